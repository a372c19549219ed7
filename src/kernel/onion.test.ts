import { describe, expect, test } from "vitest";
import { entries, type LooseEntry, settle, smallKernel } from "../../test/kernel-fixture.ts";

const payload = () => ({ name: "shell", args: { command: "ls" } });
type Next = (changed?: unknown) => Promise<unknown>;
type Wrapper = (payload: { readonly args: { readonly command: string } }, next: Next, ...rest: never[]) => unknown;

interface Given {
  readonly wrappers: readonly (Wrapper | LooseEntry)[];
  readonly event?: "act" | "model";
  readonly core?: (payload: { args: { command: string } }) => unknown;
  readonly changed?: (payload: object) => Promise<object>;
}

function around({ wrappers, event = "act", core, changed }: Given) {
  const kernel = smallKernel();
  const ran: string[] = [];
  const list = wrappers.map((given) => (typeof given === "function" ? { run: given } : given));
  kernel.root.add(entries(list as LooseEntry[], { event }));
  const act = async (given: { args: { command: string } }) => {
    ran.push(given.args.command);
    return core === undefined ? "result" : core(given);
  };
  const fire = (context?: unknown) =>
    kernel.root.plan.on[event]?.(payload(), act, context, changed ?? (async (given: object) => given));
  return { ...kernel, ran, fire };
}
const boom = (): never => {
  throw new Error("own");
};
const fail = (): never => {
  throw new Error("tool broke");
};

interface Case extends Given {
  readonly name: string;
  /** The result, or the message it rejects with. */
  readonly result?: unknown;
  readonly rejects?: string;
  /** What the core ran with. */
  readonly ran: readonly string[];
}
const cases: readonly Case[] = [
  {
    name: "the first registered is outermost",
    wrappers: [async (_, next) => `a(${await next()})`, async (_, next) => `b(${await next()})`],
    result: "a(b(result))",
    ran: ["ls"],
  },
  { name: "not calling next is a short cut", wrappers: [() => "cached", boom], result: "cached", ran: [] },
  { name: "undefined is a result like any other", wrappers: [() => undefined], result: undefined, ran: [] },
  {
    name: "a throw before next leaves the wrapper out",
    wrappers: [boom, async (_, next) => `b(${await next()})`],
    result: "b(result)",
    ran: ["ls"],
  },
  {
    name: "a rejection before next leaves the wrapper out",
    wrappers: [async () => boom()],
    result: "result",
    ran: ["ls"],
  },
  {
    name: "a throw after a successful next keeps the result, and nothing runs again",
    wrappers: [
      async (_, next) => {
        await next();
        boom();
      },
    ],
    result: "result",
    ran: ["ls"],
  },
  {
    name: "a throw while next still runs waits for its result",
    wrappers: [
      (_, next) => {
        void next();
        boom();
      },
    ],
    result: "result",
    ran: ["ls"],
  },
  {
    name: "next is used once: the second call fails, and the first result stays",
    wrappers: [async (_, next) => [await next(), await next()]],
    result: "result",
    ran: ["ls"],
  },
  {
    name: "what fails inside comes out as it is",
    wrappers: [(_, next) => next(), async (_, next) => next()],
    core: fail,
    rejects: "tool broke",
    ran: ["ls"],
  },
  {
    name: "what fails inside may be caught and replaced",
    wrappers: [(_, next) => next().catch(() => "instead")],
    core: fail,
    result: "instead",
    ran: ["ls"],
  },
  {
    name: "another error in its place comes out instead",
    wrappers: [(_, next) => next().catch(boom)],
    core: fail,
    rejects: "own",
    ran: ["ls"],
  },
  {
    name: "a core that throws at once is no different",
    wrappers: [(_, next) => next()],
    core: fail,
    rejects: "tool broke",
    ran: ["ls"],
  },
  {
    name: "a changed payload runs",
    wrappers: [(_, next) => next({ args: { command: "pwd" } }), (_, next) => next()],
    result: "result",
    ran: ["pwd"],
  },
  {
    name: "something that is no payload fails like a throw inside",
    wrappers: [(_, next) => next("pwd")],
    result: "result",
    ran: ["ls"],
  },
  {
    name: "a change is judged, and what was judged runs",
    wrappers: [(_, next) => next({ args: { command: "rm" } })],
    changed: async () => ({ args: { command: "judged" } }),
    result: "result",
    ran: ["judged"],
  },
  {
    name: "a change that is refused runs nothing",
    wrappers: [(_, next) => next({ args: { command: "rm" } })],
    changed: () => Promise.reject(new Error("denied")),
    rejects: "denied",
    ran: [],
  },
  {
    name: "the same payload again is no change",
    wrappers: [(given, next) => next({ ...given, args: { ...given.args } })],
    changed: () => Promise.reject(new Error("denied")),
    result: "result",
    ran: ["ls"],
  },
  {
    name: "a write to the payload is a throw",
    wrappers: [(given, next) => next(Object.assign(given, { args: {} }))],
    result: "result",
    ran: ["ls"],
  },
  {
    name: "next may be called again where the row says so",
    event: "model",
    wrappers: [async (_, next) => [await next(), await next()]],
    result: ["result", "result"],
    ran: ["ls", "ls"],
  },
  {
    name: "of several calls the last success stays when the wrapper throws",
    event: "model",
    wrappers: [
      async (_, next) => {
        await next({ args: { command: "one" } });
        await next({ args: { command: "two" } });
        boom();
      },
    ],
    core: (given) => given.args.command,
    result: "two",
    ran: ["one", "two"],
  },
  {
    name: "a skipped wrapper is not there",
    wrappers: [{ consider: () => "not mine", run: () => "cached" }],
    result: "result",
    ran: ["ls"],
  },
  {
    name: "a condition that throws leaves the wrapper out",
    wrappers: [{ consider: boom, run: () => "cached" }],
    result: "result",
    ran: ["ls"],
  },
  {
    name: "a shadow's result and change count for nothing",
    wrappers: [{ mode: "shadow", run: async (_, next) => `s(${await next({ args: { command: "rm" } })})` }],
    result: "result",
    ran: ["ls"],
  },
  {
    name: "a shadow that never calls next hides nothing",
    wrappers: [{ mode: "shadow", run: () => "cached" }],
    result: "result",
    ran: ["ls"],
  },
  {
    name: "a shadow that throws hurts nobody",
    wrappers: [{ mode: "shadow", run: boom }],
    result: "result",
    ran: ["ls"],
  },
];

describe("the onion", () => {
  test.each(cases)("$name", async ({ result, rejects, ran: expected, ...given }) => {
    const { fire, ran } = around(given);
    if (rejects === undefined) expect(await fire()).toEqual(result);
    else await expect(fire()).rejects.toThrow(rejects);
    expect(ran).toEqual(expected);
  });

  test("a wrapper whose failure blocks keeps the act from running", async () => {
    const { fire, ran } = around({ wrappers: [{ onFailure: "block", run: boom }] });
    await expect(fire()).rejects.toMatchObject({ code: "closed", cause: { message: "own" } });
    expect(ran).toEqual([]);
  });

  test("a throw of a middleware's method before next stops the pass", async () => {
    const { root } = smallKernel();
    root.add({ slot: "first", aroundAct: boom });
    const ran: string[] = [];
    const core = async () => ran.push("core");
    await expect(root.plan.on["act"]?.(payload(), core, undefined, async () => payload())).rejects.toThrow("own");
    expect(ran).toEqual([]);
  });

  test("the limit counts a wrapper's own time, not what runs inside", async () => {
    let finish: (value: string) => void = () => undefined;
    const core = () => new Promise<string>((resolve) => (finish = resolve));
    const { fire, pass } = around({ wrappers: [{ limitMs: 100, run: async (_, next) => `a(${await next()})` }], core });
    const firing = fire();
    await pass(1_000);
    finish("slow");
    expect(await firing).toBe("a(slow)");
  });

  test("a wrapper that hangs before next is left out at its limit, and may not call next later", async () => {
    let late: Next = async () => undefined;
    const hang: LooseEntry = {
      limitMs: 50,
      run: (_payload, next) => {
        late = next;
        return new Promise(() => undefined);
      },
    };
    const { fire, pass, ran, reports } = around({ wrappers: [hang] });
    const firing = fire();
    await pass(150);
    expect(await firing).toBe("result");
    await expect(late()).rejects.toMatchObject({ code: "next-late" });
    expect(ran).toEqual(["ls"]);
    expect(reports).toMatchObject([{ kind: "failed", owner: "h0", detail: { code: "timed-out" } }]);
  });

  test("a wrapper that hangs after next keeps the result", async () => {
    const hang: LooseEntry = {
      limitMs: 50,
      run: (_payload, next: Next) => next().then(() => new Promise(() => undefined)),
    };
    const { fire, pass, ran } = around({ wrappers: [hang] });
    const firing = fire();
    await pass(200);
    expect(await firing).toBe("result");
    expect(ran).toEqual(["ls"]);
  });

  test("a wrapper that awaits nothing of what it started ends no process", async () => {
    const seen: unknown[] = [];
    const listen = (error: unknown) => seen.push(error);
    process.on("unhandledRejection", listen);
    const started: Wrapper = (_, next) => {
      void next();
      return "early";
    };
    const { fire } = around({ wrappers: [started, (_, next) => next()], core: fail });
    expect(await fire()).toBe("early");
    await settle();
    process.off("unhandledRejection", listen);
    expect(seen).toEqual([]);
  });

  test("an event that the wrapper itself fires does not come back to it", async () => {
    const { root, reports } = smallKernel();
    const core = async () => "core";
    const fire = () => root.plan.on["act"]?.(payload(), core, undefined, async () => payload());
    root.add(entries([{ run: async () => `own ${await fire()}` }], { event: "act" }));
    expect(await fire()).toBe("own core");
    expect(reports).toMatchObject([{ kind: "re-entered", owner: "h0" }]);
  });

  test("what happens inside next is not on the wrapper's behalf: a nested call passes it too", async () => {
    const { root } = smallKernel();
    let depth = 0;
    const passed: number[] = [];
    const wrapper = (_payload: unknown, next: Next) => {
      passed.push(depth);
      return next();
    };
    root.add(entries([{ run: wrapper }], { event: "act" }));
    const core = (): Promise<unknown> => (++depth < 3 ? (fire() as Promise<unknown>) : Promise.resolve("deep"));
    const fire = () => root.plan.on["act"]?.(payload(), core, undefined, async () => payload());
    expect(await fire()).toBe("deep");
    expect(passed).toEqual([0, 1, 2]);
  });
});

test.each<[string, Wrapper]>([
  ["pass on", (_payload, next) => next()],
  ["throw", boom],
  ["change the payload", (given, next) => next({ ...given, args: { command: `${given.args.command}!` } })],
])("ten thousand wrappers that %s do not fill the stack", async (_name, wrapper) => {
  const { fire, ran } = around({ wrappers: Array.from({ length: 10_000 }, () => wrapper) });
  await expect(fire()).resolves.toBe("result");
  expect(ran).toHaveLength(1);
});
