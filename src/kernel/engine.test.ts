import { describe, expect, test } from "vitest";
import { entries, type LooseEntry, settle, smallKernel } from "../../test/kernel-fixture.ts";
import type { Call } from "./chain.ts";
import type { FiringRecord, HandlerRecord } from "./kernel.ts";

const payload = () => ({ name: "shell", args: { command: "ls", deep: { list: [1] } } });
const silent = () => undefined;
// biome-ignore lint/suspicious/noExplicitAny: handlers of rows of all kinds
type Any = any;

describe("payloads", () => {
  test("are frozen all the way down, getters unread", () => {
    const { root } = smallKernel();
    let read = 0;
    const costly = {
      ...payload(),
      get history() {
        read++;
        return [];
      },
    };
    root.add(entries([{ run: (given) => void expect(Object.isFrozen(given.args.deep.list)).toBe(true) }]));
    root.add({ slot: "last", beforeJudge: (given: Any) => ({ args: { ...given.args, command: "pwd" } }) });
    root.add({ slot: "last", beforeJudge: silent });
    root.plan.on["judge"]?.(costly, undefined);
    expect(read).toBe(0);
    const seen: unknown[] = [];
    root.add({ slot: "last", beforeJudge: (given: Any) => void seen.push(given.history, given.args.command) });
    root.plan.on["judge"]?.(costly, undefined);
    expect([read, seen]).toEqual([1, [[], "pwd"]]);
  });

  test("of what the program owns are left alone", () => {
    const { root } = smallKernel();
    class Store {
      count = 0;
    }
    const store = new Store();
    root.add(entries([{ run: (given) => void given.args.store.count++ }]));
    root.plan.on["judge"]?.({ name: "x", args: { store } }, undefined);
    expect(store.count).toBe(1);
  });

  test("of a request row are working copies: a change in place counts as a return", async () => {
    const { root } = smallKernel();
    const original = payload();
    const changes: LooseEntry[] = [
      { run: (given) => void given.args.deep.list.push(2) },
      { run: async (given) => void Object.assign(given.args, { command: "pwd" }) },
      { run: (given) => ({ args: { ...given.args, returned: true } }) },
      { run: silent },
    ];
    root.add(entries(changes, { event: "request" }));
    const answer = await root.plan.on["request"]?.(original, undefined);
    expect(answer).toEqual({ args: { command: "pwd", deep: { list: [1, 2] }, returned: true } });
    expect(original).toEqual(payload());
  });

  test("of a request row change nothing when the handler fails", async () => {
    const { root } = smallKernel();
    const fails = async (given: Any) => {
      given.args.command = "pwd";
      throw new Error("broken");
    };
    root.add(entries([{ run: fails }], { event: "request" }));
    expect(await root.plan.on["request"]?.(payload(), undefined)).toEqual({});
  });

  test("of a request row that several change in parallel compose", async () => {
    const { root } = smallKernel();
    const list: LooseEntry[] = [
      { run: async (given) => void Object.assign(given.args, { a: 1 }) },
      { run: (given) => void Object.assign(given.args, { b: 2 }) },
    ];
    root.add(entries(list, { event: "request", parallel: true }));
    const answer = await root.plan.on["request"]?.(payload(), undefined);
    expect(answer).toEqual({ args: { ...payload().args, a: 1, b: 2 } });
  });
});

describe("answers", () => {
  test("say who decided, and keep the reason with the verdict", () => {
    const { root } = smallKernel();
    root.add(entries([{ owner: "guard", run: () => ({ verdict: { decision: "ask", reason: "why" } }) }]));
    root.add(
      entries([{ rank: [1, 0], owner: "other", run: () => ({ verdict: { decision: "allow", reason: "fine" } }) }]),
    );
    expect(root.plan.on["judge"]?.(payload(), undefined)).toEqual({
      verdict: { decision: "ask", reason: "why", by: "guard" },
    });
  });

  test("of a claiming row: the first valid one wins, and the rest is not asked", async () => {
    const { root, reports } = smallKernel();
    const asked: string[] = [];
    const list: LooseEntry[] = [
      { run: () => ({ text: 5 }) },
      { run: async () => ({ text: "mine" }) },
      { run: () => void asked.push("later") },
    ];
    root.add(entries(list, { event: "transform" }));
    expect(await root.plan.on["transform"]?.({ text: "t" }, undefined)).toEqual({ text: "mine" });
    expect([asked, reports.map(({ owner }) => owner)]).toEqual([[], ["h0"]]);
  });

  test("of a row that cannot close stay open when a blocking handler fails", () => {
    const { root } = smallKernel();
    root.add(entries([{ event: "transform", onFailure: "block", run: () => Promise.reject(new Error("x")) }]));
    return expect(root.plan.on["transform"]?.({ text: "t" }, undefined)).resolves.toEqual({});
  });

  test("of a halt end the event", () => {
    const { root } = smallKernel();
    const asked: string[] = [];
    root.add(entries([{ run: () => ({ halt: "enough" }) }, { run: () => void asked.push("later") }]));
    expect([root.plan.on["judge"]?.(payload(), undefined), asked]).toEqual([{ halt: "enough" }, []]);
  });

  test("report who overrides whom", () => {
    const { root, reports } = smallKernel();
    const set = (a: number) => ({ rejudge: false, run: (given: Any) => ({ args: { ...given.args, a } }) });
    root.add(entries([set(1), set(2)]));
    root.plan.on["judge"]?.(payload(), undefined);
    expect(reports).toMatchObject([
      { kind: "overridden", owner: "h1", event: "judge", detail: { field: "args", key: "a", earlier: "h0" } },
    ]);
  });

  test("of a handler that is asked again do not count twice", () => {
    const { root } = smallKernel();
    const change = (given: Any) => ({ args: { ...given.args, command: "pwd" } });
    root.add(entries([{ run: () => ({ reminder: ["once"] }) }, { run: change }]));
    expect(root.plan.on["judge"]?.(payload(), undefined)).toMatchObject({ reminder: ["once"] });
  });

  test("a handler that skipped the first value judges the final one", () => {
    const { root } = smallKernel();
    const guard: LooseEntry = {
      consider: (given) => (given.args.command === "rm" ? undefined : "no match"),
      run: () => ({ verdict: { decision: "deny", reason: "rm" } }),
    };
    root.add(entries([guard, { run: (given) => ({ args: { ...given.args, command: "rm" } }) }]));
    expect(root.plan.on["judge"]?.(payload(), undefined)).toMatchObject({ verdict: { reason: "rm" } });
  });
});

test("a shadow handler runs and is recorded, and counts for nothing, failed or not", async () => {
  const { root, reports } = smallKernel();
  const deny = { verdict: { decision: "deny", reason: "shadow" } };
  const list: LooseEntry[] = [
    { mode: "shadow", run: () => deny },
    { mode: "shadow", onFailure: "block", run: () => Promise.reject(new Error("x")) },
    { run: () => ({ reminder: ["real"] }) },
  ];
  for (const parallel of [false, true]) {
    const kernel = smallKernel();
    kernel.root.add(entries(list, { parallel }));
    expect(await kernel.root.plan.on["judge"]?.(payload(), undefined)).toEqual({ reminder: ["real"] });
    expect(kernel.reports.map(({ kind, owner }) => `${kind} ${owner}`).sort()).toEqual(["failed h1", "shadow h0"]);
  }
  expect([root.plan.on["judge"], reports]).toEqual([undefined, []]);
});

describe("an entry is not re-entered by what is fired on its own behalf", () => {
  test("in its synchronous part, whatever the context", async () => {
    const { root, reports } = smallKernel();
    const ran: string[] = [];
    const nested = (name: string, asynchronous: boolean): LooseEntry => ({
      owner: name,
      run: () => {
        ran.push(name);
        const inner = root.plan.on["judge"]?.(payload(), {});
        return asynchronous ? Promise.resolve(inner).then(silent) : undefined;
      },
    });
    root.add(entries([nested("a", false), nested("b", true)]));
    await root.plan.on["judge"]?.(payload(), {});
    expect(ran).toEqual(["a", "b", "b", "a"]);
    expect(reports.filter(({ kind }) => kind !== "re-entered")).toEqual([]);
    expect(reports.length).toBeGreaterThan(0);
  });

  test("nor is a rule of a parallel group", async () => {
    const { root, reports } = smallKernel();
    let ran = 0;
    const nested = () => {
      ran++;
      return root.plan.on["judge"]?.(payload(), {});
    };
    root.add(entries([{ run: nested }, { run: silent }], { parallel: true }));
    await root.plan.on["judge"]?.(payload(), {});
    expect([ran, reports.map(({ kind }) => kind)]).toEqual([1, ["re-entered"]]);
  });

  test("later too, through contexts that say on whose behalf they act", async () => {
    const { root, reports } = smallKernel();
    const ran: string[] = [];
    const later: LooseEntry = {
      owner: "later",
      call: true,
      run: async (_payload, _context, call: Call) => {
        ran.push("later");
        await settle();
        await root.plan.on["judge"]?.(payload(), { onBehalf: call });
      },
    };
    root.add(entries([later, { owner: "other", run: () => void ran.push("other") }]));
    await root.plan.on["judge"]?.(payload(), {});
    expect(ran).toEqual(["later", "other", "other"]);
    expect(reports).toEqual([{ kind: "re-entered", owner: "later", event: "judge", detail: undefined }]);
  });

  test("and runs beside itself for another call of the same session", async () => {
    const { root, reports } = smallKernel();
    let running = 0;
    let most = 0;
    const slow = async () => {
      most = Math.max(most, ++running);
      await settle();
      running--;
    };
    root.add(entries([{ run: slow }]));
    const context = {};
    await Promise.all([1, 2, 3].map(() => root.plan.on["judge"]?.(payload(), context)));
    expect([most, reports]).toEqual([3, []]);
  });
});

describe("rows that nobody awaits", () => {
  test("return at once, and each handler gets its events one after another", async () => {
    const { root, reports } = smallKernel();
    const seen: string[] = [];
    let running = 0;
    const slow = async ({ n }: { n: number }) => {
      expect(running++).toBe(0);
      await settle();
      running--;
      if (n === 2) throw new Error("one failure stops nothing");
      seen.push(`slow ${n}`);
    };
    root.add(entries([{ run: slow }, { run: ({ n }) => void seen.push(`quick ${n}`) }], { event: "queue" }));
    for (const n of [1, 2, 3]) expect(root.plan.on["queue"]?.({ n }, undefined)).toBeUndefined();
    expect(seen).toEqual([]);
    for (let at = 0; at < 6; at++) await settle();
    expect(seen).toEqual(["quick 1", "quick 2", "quick 3", "slow 1", "slow 3"]);
    expect(reports).toHaveLength(1);
  });

  test("are waited for by an undo", async () => {
    const { root } = smallKernel();
    const seen: number[] = [];
    const undo = root.add(entries([{ run: ({ n }) => settle().then(() => void seen.push(n)) }], { event: "queue" }));
    for (const n of [1, 2, 3]) root.plan.on["queue"]?.({ n }, undefined);
    await undo();
    expect(seen).toEqual([1, 2, 3]);
  });
});

describe("the probe", () => {
  function probed() {
    const firings: FiringRecord[] = [];
    const handlers: HandlerRecord[] = [];
    let clock = 0;
    const probe = {
      now: () => ++clock,
      firing: (record: FiringRecord) => void firings.push(record),
      handler: (record: HandlerRecord) => void handlers.push(record),
    };
    return { ...smallKernel({ probe }), firings, handlers };
  }

  test("is told once of each firing, and of handlers that waited, answered or failed", async () => {
    const { root, firings, handlers } = probed();
    const context = { session: "s" };
    const list: LooseEntry[] = [
      { run: silent },
      { run: async () => undefined },
      { run: () => ({ reminder: ["x"] }) },
      { run: () => Promise.reject(new Error("broken")) },
    ];
    root.add(entries(list));
    await root.plan.on["judge"]?.(payload(), context);
    expect(firings).toMatchObject([{ event: "judge", context, started: 1, handlers: 4, answer: { reminder: ["x"] } }]);
    expect(
      handlers.map(({ owner, started, failure }) => [owner, started !== undefined, failure !== undefined]),
    ).toEqual([
      ["h1", true, false],
      ["h2", false, false],
      ["h3", true, true],
    ]);
  });

  test("is told of what stopped a pass, and of a wrap's result", async () => {
    const { root, firings } = probed();
    root.add({
      slot: "first",
      beforeJudge: () => Promise.reject(new Error("stop")),
      aroundAct: (_: Any, next: Any) => next(),
    });
    await expect(root.plan.on["judge"]?.(payload(), "c")).rejects.toThrow("stop");
    await root.plan.on["act"]?.(
      payload(),
      async () => "done",
      "c",
      async () => payload(),
    );
    expect(firings).toMatchObject([
      { event: "judge", error: { message: "stop" } },
      { event: "act", context: "c", answer: "done" },
    ]);
  });
});

test("handlers are called without this", () => {
  const { root } = smallKernel();
  const seen: unknown[] = [];
  function run(this: unknown) {
    seen.push(this);
  }
  root.add({ slot: "first", beforeJudge: run });
  root.add(entries([{ run }]));
  root.plan.on["judge"]?.(payload(), undefined);
  expect(seen).toEqual([undefined, undefined]);
});

test("what is thenable and no promise is awaited once, however often it answers", async () => {
  const { root } = smallKernel();
  const twice = Object.defineProperty({}, ["then"].join(), {
    value: (resolve: (value: unknown) => void) => {
      resolve({ reminder: ["one"] });
      resolve({ reminder: ["two"] });
    },
  });
  root.add(entries([{ run: () => twice }, { run: async () => ({ reminder: ["end"] }) }]));
  expect(await root.plan.on["judge"]?.(payload(), undefined)).toEqual({ reminder: ["one", "end"] });
});
