import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import { entries, settle, smallKernel } from "../../test/kernel-fixture.ts";

const payload = () => ({ name: "shell", args: { command: "ls" } });
const silent = () => undefined;

function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
}

describe("layers", () => {
  test("a child sees what its parent gains and loses later", async () => {
    const { root } = smallKernel();
    const session = root.child();
    session.add({ slot: "last", beforeJudge: silent });
    const undo = root.add({ slot: "first", beforeJudge: silent });
    expect(session.plan.chain).toHaveLength(2);
    await undo();
    expect(session.plan.chain).toHaveLength(1);
    expect(root.plan.chain).toHaveLength(0);
  });

  test("a session of its own does not make others compile again", () => {
    const { root } = smallKernel();
    root.add({ slot: "first", beforeJudge: silent });
    const busy = root.child();
    busy.add({ slot: "gate", beforeJudge: silent });
    const before = { root: root.plan, busy: busy.plan };
    root.child().add({ slot: "last", beforeJudge: silent });
    expect(root.plan).toBe(before.root);
    expect(busy.plan).toBe(before.busy);
  });

  test("rows that a layer does not touch keep their parent's array", () => {
    const { root } = smallKernel();
    root.add({ slot: "first", beforeJudge: silent, onTold: silent });
    const session = root.child();
    session.add({ slot: "last", beforeJudge: silent });
    expect(session.plan.on["told"]).toBe(root.plan.on["told"]);
    expect(session.plan.on["judge"]).not.toBe(root.plan.on["judge"]);
  });

  test("hides slots from all below it, also what is added there later, but shows its own", () => {
    const { root } = smallKernel();
    const child = root.child({ without: ["hook", "gate"] });
    root.add(entries([{ run: silent }]));
    root.add({ slot: "gate", beforeJudge: silent });
    root.add({ slot: "last", beforeJudge: silent });
    expect(child.child().plan.explain("judge", payload())).toEqual([{ owner: "last" }]);
    child.add(entries([{ owner: "mine", run: silent }]));
    expect(child.plan.explain("judge", payload()).map(({ owner }) => owner)).toEqual(["mine", "last"]);
  });

  test("refuses slots and events that nobody knows, by name", () => {
    const { root } = smallKernel();
    expect(() => root.add({ slot: "frist" })).toThrow('"frist"');
    expect(() => root.add({ slot: "first", on: { jugde: silent } })).toThrow('"jugde"');
    expect(() => root.add(entries([{ event: "jugde", run: silent }]))).toThrow('"jugde"');
    expect(() => root.child({ without: ["frist"] })).toThrow('"frist"');
    expect(root.plan.chain).toEqual([]);
  });
});

describe("undo", () => {
  test("takes the part out at once and settles when its last handler has ended", async () => {
    const { root } = smallKernel();
    let finish: (value: unknown) => void = silent;
    const undo = root.add(entries([{ run: () => new Promise((resolve) => (finish = resolve)) }]));
    const firing = root.plan.on["judge"]?.(payload(), undefined);
    const settled: string[] = [];
    const undone = undo().then(() => settled.push("undone"));
    expect(root.plan.on["judge"]).toBeUndefined();
    await settle();
    expect(settled).toEqual([]);
    finish({ reminder: ["still counts"] });
    expect(await firing).toEqual({ reminder: ["still counts"] });
    await undone;
    expect(settled).toEqual(["undone"]);
  });

  test("lets a firing end on the array it began with", async () => {
    const { root } = smallKernel();
    let finish: (value?: unknown) => void = silent;
    root.add(entries([{ run: () => new Promise((resolve) => (finish = resolve)) }]));
    const undo = root.add(entries([{ rank: [1, 0], run: () => ({ reminder: ["second"] }) }]));
    const firing = root.plan.on["judge"]?.(payload(), undefined);
    const undone = undo();
    finish();
    expect(await firing).toEqual({ reminder: ["second"] });
    await undone;
  });

  test("after five seconds cuts off what hangs, aborts its signal, and lets the firing go on without it", async () => {
    const { root, pass, reports } = smallKernel();
    let signal: AbortSignal | undefined;
    const hang = {
      call: true,
      run: (_payload: unknown, _context: unknown, call: { signal: AbortSignal }) => {
        signal = call.signal;
        return new Promise(silent);
      },
    };
    const undo = root.add(entries([hang, { run: () => ({ reminder: ["never asked"] }) }]));
    root.add({ slot: "last", beforeJudge: async () => ({ reminder: ["end"] }) });
    const stale = root.plan;
    const firing = stale.on["judge"]?.(payload(), undefined);
    let undone = false;
    void undo().then(() => {
      undone = true;
    });
    await pass(4_900);
    expect([undone, signal?.aborted]).toEqual([false, false]);
    await pass(200);
    expect([undone, signal?.aborted]).toEqual([true, true]);
    expect(await firing).toMatchObject({ reminder: expect.arrayContaining(["end"]) });
    expect(reports).toMatchObject([{ kind: "failed", detail: { code: "removed" } }]);
    expect(await stale.on["judge"]?.(payload(), undefined)).toEqual({ reminder: ["end"] });
  });

  test("is the same undo however often it is called, and waits for a wrap's whole onion", async () => {
    const { root } = smallKernel();
    let finish: (value: unknown) => void = silent;
    const undo = root.add(entries([{ run: (_p, next) => next() }], { event: "act" }));
    const core = () => new Promise((resolve) => (finish = resolve));
    const firing = root.plan.on["act"]?.(payload(), core, undefined, async () => payload());
    const undone = undo();
    expect(undo()).toBe(undone);
    expect(await Promise.race([undone.then(() => "undone"), settle().then(() => "waiting")])).toBe("waiting");
    finish("done");
    expect(await firing).toBe("done");
    await undone;
  });

  test("waits for a wrapper inside one that did not wait for it", async () => {
    const { root } = smallKernel();
    let finish: (value: unknown) => void = silent;
    const early = { run: (_p: unknown, next: () => unknown) => [next(), "early"][1] };
    const slow = { run: () => new Promise((resolve) => (finish = resolve)) };
    const undo = root.add(entries([early, slow], { event: "act" }));
    expect(await root.plan.on["act"]?.(payload(), silent, undefined, silent)).toBe("early");
    const undone = undo().then(() => "undone");
    expect(await Promise.race([undone, settle().then(() => "waiting")])).toBe("waiting");
    finish("late");
    expect(await undone).toBe("undone");
  });

  test("leaves nothing behind after a thousand times", async () => {
    const { root, timers, pass } = smallKernel();
    const kept = entries([{ rank: [9, 9], run: silent }], { name: "kept" });
    root.add(kept);
    const session = root.child();
    const gone: WeakRef<object>[] = [];
    for (let at = 0; at < 1_000; at++) {
      const part = entries([{ run: async () => ({ reminder: ["x"] }) }, { run: silent, event: "act" }]);
      gone.push(new WeakRef(part));
      const undo = root.add(part);
      await session.plan.on["judge"]?.(payload(), undefined);
      await undo();
    }
    expect(session.plan).toBe(root.plan);
    expect(root.plan.chain).toEqual([kept]);
    await pass(200);
    expect(timers()).toBe(0);
    // Objects with weak references to them may outlive the first collections.
    await expect
      .poll(async () => {
        await settle();
        collectGarbage();
        return gone.filter((reference) => reference.deref() !== undefined).length;
      })
      .toBeLessThan(5);
  });
});
