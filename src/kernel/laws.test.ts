import fc from "fast-check";
import { expect, test } from "vitest";
import { entries, type LooseEntry, smallKernel } from "../../test/kernel-fixture.ts";
import { lifecycle } from "./lifecycle.ts";

type Answer = Record<string, unknown> | undefined;
interface Payload {
  readonly args: Record<string, unknown>;
}
const payload = (): Payload & { name: string } => ({ name: "shell", args: { a: 0, b: 0, c: 0 } });

const decision = fc.constantFrom("allow", "ask", "defer", "deny");
const rewriting = fc.dictionary(fc.constantFrom("a", "b", "c", "d"), fc.integer({ min: 0, max: 2 }), { maxKeys: 2 });
/** A handler: what it answers, whether it is asked again, and how many turns of the microtask queue it takes (0: none). */
const handler = fc.record({
  decision: fc.option(decision, { nil: undefined }),
  rewrite: fc.option(rewriting, { nil: undefined }),
  reminder: fc.boolean(),
  rejudge: fc.boolean(),
  delay: fc.integer({ min: 0, max: 3 }),
});
type Handler = typeof handler extends fc.Arbitrary<infer T> ? T : never;

function answerOf(given: Handler, at: number, seen: Payload): Answer {
  const answer: Record<string, unknown> = {};
  if (given.decision !== undefined) answer["verdict"] = { decision: given.decision, reason: `r${at}` };
  if (given.rewrite !== undefined) answer["args"] = { ...seen.args, ...given.rewrite };
  if (given.reminder) answer["reminder"] = [`m${at}`];
  return answer;
}

async function after<T>(turns: number, value: T): Promise<T> {
  for (let at = 0; at < turns; at++) await undefined;
  return value;
}

interface Asked {
  readonly at: number;
  readonly args: Record<string, unknown>;
}

function runs(handlers: readonly Handler[], asked: Asked[] = []): LooseEntry[] {
  return handlers.map((given, at) => ({
    rejudge: given.rejudge,
    run: (seen: Payload) => {
      asked.push({ at, args: seen.args });
      const answer = answerOf(given, at, seen);
      return given.delay === 0 ? answer : after(given.delay, answer);
    },
  }));
}

interface Added {
  readonly layer: number;
  readonly slot?: string;
  readonly owners?: readonly number[];
}
const slots = ["first", "second", "hook", "gate", "last"];
const added: fc.Arbitrary<Added> = fc.oneof(
  fc.record({ slot: fc.constantFrom("first", "second", "gate", "last"), layer: fc.nat(2) }),
  fc.record({ owners: fc.array(fc.nat(3), { minLength: 1, maxLength: 3 }), layer: fc.nat(2) }),
);

/** The handlers of a part: where each belongs, and what it says when it runs. */
function placed({ slot, owners = [] }: Added, at: number): { readonly key: readonly number[]; readonly id: string }[] {
  if (slot !== undefined) return [{ key: [slots.indexOf(slot), 0, 0], id: `${at}` }];
  return owners.map((owner, n) => ({ key: [2, owner, at * 10 + n], id: `${at}.${n}` }));
}

const inOrder = (one: readonly number[], other: readonly number[]): number =>
  one.map((value, at) => value - (other[at] ?? 0)).find((difference) => difference !== 0) ?? 0;

test("law 1: a firing walks one array, methods in blueprint order and entries by rank at their slot", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(added, { maxLength: 8 }), async (unsorted) => {
      const parts = [...unsorted].sort((one, other) => one.layer - other.layer);
      const { root } = smallKernel();
      const child = root.child();
      const layers = [root, child, child.child()];
      const seen: string[] = [];
      for (const [at, part] of parts.entries()) {
        const list = placed(part, at).map(({ key, id }) => ({
          rank: [key[1] ?? 0, key[2] ?? 0] as const,
          run: () => void seen.push(id),
        }));
        const method = { slot: part.slot, beforeJudge: list[0]?.run };
        layers[part.layer]?.add(part.slot === undefined ? entries(list) : method);
      }
      await layers[2]?.plan.on["judge"]?.(payload(), undefined);
      const expected = parts.flatMap(placed).sort((one, other) => inOrder(one.key, other.key));
      expect(seen).toEqual(expected.map(({ id }) => id));
    }),
  );
});

test("law 1: there is one fold for all groups, so an ask of the first reaches the end once", () => {
  const { root } = smallKernel();
  root.add(entries([{ run: () => ({ verdict: { decision: "ask", reason: "first" } }) }]));
  root.add(entries([{ rank: [1, 0], run: () => ({ verdict: { decision: "ask", reason: "second" } }) }]));
  expect(root.plan.on["judge"]?.(payload(), undefined)).toMatchObject({
    verdict: { decision: "ask", reason: "first" },
  });
});

test("law 2: permit may not rewrite", () => {
  const fields: Record<string, { readonly threads?: string }> = lifecycle.permit.answer;
  expect(Object.values(fields).filter(({ threads }) => threads !== undefined)).toEqual([]);
});

/** What one handler may have been asked, by its place before or after the last change. */
function mayHaveBeenAsked(place: number, rejudge: boolean, times: readonly Asked[], final: unknown): void {
  const last = times.at(-1)?.args;
  if (place < 0) expect(times).toHaveLength(rejudge ? 2 : 1);
  if (place > 0 || (place < 0 && rejudge)) expect(last).toEqual(final);
}

test("law 3: whoever stood before the last change judges the final value, and nobody runs more than twice", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(handler, { maxLength: 6 }), async (handlers) => {
      const asked: Asked[] = [];
      const { root } = smallKernel();
      root.add(entries(runs(handlers, asked)));
      const answer = (await root.plan.on["judge"]?.(payload(), undefined)) ?? {};
      const mine = handlers.map((_, at) => asked.filter((one) => one.at === at));
      for (const times of mine) expect(times.length).toBeLessThanOrEqual(2);
      if (answer.verdict?.decision === "deny") return;
      const final = answer.args ?? payload().args;
      const changer = handlers.findLastIndex((given, at) => changes(given, mine[at]?.[0]?.args ?? {}));
      for (const [at, { rejudge }] of handlers.entries())
        mayHaveBeenAsked(at - changer, rejudge, mine[at] ?? [], final);
      const allows = handlers.filter((given, at) => given.decision === "allow" && (at >= changer || given.rejudge));
      if (answer.verdict?.decision === "allow") expect(allows).not.toEqual([]);
    }),
    { numRuns: 400 },
  );
});

function changes(given: Handler, args: Record<string, unknown>): boolean {
  return Object.entries(given.rewrite ?? {}).some(([key, value]) => args[key] !== value);
}

test("law 3: an ask that was given before the change stays", () => {
  fc.assert(
    fc.property(fc.boolean(), (rejudge) => {
      const { root } = smallKernel();
      const first = [{ verdict: { decision: "ask", reason: "look" } }, { verdict: { decision: "allow" } }];
      root.add(entries([{ rejudge, run: () => first.shift() }, { run: () => ({ args: { a: 9 } }) }]));
      expect(root.plan.on["judge"]?.(payload(), undefined)).toMatchObject({
        verdict: { decision: "ask", reason: "look" },
      });
    }),
  );
});

test("law 3: a rewrite in the second pass is refused and reported", () => {
  const { root, reports } = smallKernel();
  let asked = 0;
  root.add(entries([{ run: () => ({ args: { times: ++asked } }) }, { run: () => ({ args: { a: 9 } }) }]));
  expect(root.plan.on["judge"]?.(payload(), undefined)).toEqual({ args: { a: 9 } });
  expect(reports.map(({ kind, owner }) => [kind, owner])).toContainEqual(["rewrite-refused", "h0"]);
});

test("law 4: whoever denies first has the last word", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(handler, { maxLength: 6 }), fc.boolean(), async (handlers, parallel) => {
      const asked: Asked[] = [];
      const { root } = smallKernel();
      root.add(entries(runs(handlers, asked), { parallel }));
      const answer = await root.plan.on["judge"]?.(payload(), undefined);
      const denied = handlers.findIndex((given, at) => given.decision === "deny" && asked.some((one) => one.at === at));
      if (denied < 0) expect(answer?.verdict?.decision).not.toBe("deny");
      else expect(answer.verdict).toMatchObject({ decision: "deny", reason: `r${denied}` });
    }),
    { numRuns: 300 },
  );
});

test("law 5: a parallel group answers the same under every finishing order", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(handler, { minLength: 2, maxLength: 5 }),
      fc.infiniteStream(fc.nat(6)),
      async (handlers, delays) => {
        const answers: unknown[] = [];
        for (let order = 0; order < 3; order++) {
          const { root, reports } = smallKernel();
          const delayed = handlers.map((given) => ({ ...given, delay: order === 0 ? 0 : delays.next().value }));
          root.add(entries(runs(delayed), { parallel: true }));
          const answer = await root.plan.on["judge"]?.(payload(), undefined);
          answers.push({
            answer,
            reports: reports.map(({ kind, owner, detail }) => ({ kind, owner, key: detail?.key })),
          });
        }
        expect(answers[1]).toEqual(answers[0]);
        expect(answers[2]).toEqual(answers[0]);
      },
    ),
  );
});

test("law 5: all rules get the same base, rewrites compose key by key, and a later one wins a conflict", async () => {
  const { root, reports } = smallKernel();
  const asked: Asked[] = [];
  const rewrites = [{ a: 1 }, { b: 2 }, { a: 3 }];
  const list = rewrites.map((rewrite) => ({ decision: undefined, rewrite, reminder: false, rejudge: false, delay: 1 }));
  root.add(entries(runs(list, asked), { parallel: true }));
  expect(await root.plan.on["judge"]?.(payload(), undefined)).toEqual({ args: { a: 3, b: 2, c: 0 } });
  expect(asked.map(({ args }) => args)).toEqual([payload().args, payload().args, payload().args]);
  expect(reports).toEqual([
    { kind: "conflict", owner: "h2", event: "judge", detail: { field: "args", key: "a", earlier: "h0" } },
  ]);
});

test("law 5: a rule whose rewrite stands alone has judged it already", async () => {
  const { root } = smallKernel();
  const asked: Asked[] = [];
  const list = [{ a: 1 }, undefined].map((rewrite) => ({
    decision: undefined,
    rewrite,
    reminder: false,
    rejudge: true,
    delay: 1,
  }));
  root.add(entries(runs(list, asked), { parallel: true }));
  await root.plan.on["judge"]?.(payload(), undefined);
  expect(asked.map(({ at, args }) => [at, args["a"]])).toEqual([
    [0, 0],
    [1, 0],
    [1, 1],
  ]);
});

test("law 5: a rule that judged only the base judges what the group made of it", async () => {
  const { root } = smallKernel();
  const guard = (seen: Payload) => (seen.args["a"] === 1 ? { verdict: { decision: "deny", reason: "one" } } : {});
  root.add(entries([{ run: guard }, { run: async () => ({ args: { a: 1 } }) }], { parallel: true }));
  expect(await root.plan.on["judge"]?.(payload(), undefined)).toMatchObject({ verdict: { reason: "one" } });
});

const failures: Readonly<Record<string, () => unknown>> = {
  throws: () => {
    throw new Error("broken");
  },
  rejects: () => Promise.reject(new Error("broken")),
  "rejects with nothing": () => Promise.reject(undefined),
  "answers nonsense": () => ({ verdict: { decision: "maybe" }, reminder: ["lost"] }),
  "answers nonsense later": async () => ({ reminder: 5 }),
  "throws when its answer is read": () => ({
    get verdict() {
      throw new Error("trap");
    },
  }),
  "throws from a then": () =>
    Object.defineProperty({}, ["then"].join(), {
      get: () => {
        throw new Error("trap");
      },
    }),
  "writes to its payload": (...given: unknown[]) => {
    (given[0] as { name: string }).name = "other";
  },
  "never answers": () => new Promise(() => undefined),
};

/** The reason of a closed answer also says what failed; the law is about the rest. */
const withoutCause = (answer: unknown): unknown =>
  JSON.parse(JSON.stringify(answer), (_key, value: unknown) =>
    typeof value === "string" ? value.replace(/^(failed before it decided): .*/s, "$1") : value,
  );

test("law 6: the answer of a failed entry says what failed", async () => {
  const { root } = smallKernel();
  const broken = () => {
    throw new Error("exit code 127");
  };
  root.add(entries([{ run: broken, onFailure: "block" }], { parallel: false }));
  expect(await root.plan.on["judge"]?.(payload(), undefined)).toMatchObject({
    verdict: { decision: "deny", reason: "failed before it decided: exit code 127" },
  });
});

test("law 6: an entry's failure is its answer, whatever stands around it", async () => {
  const kinds = fc.constantFrom(...Object.keys(failures));
  await fc.assert(
    fc.asyncProperty(kinds, fc.boolean(), fc.boolean(), fc.array(handler, { maxLength: 3 }), async (...given) => {
      const [kind, blocks, parallel, handlers] = given;
      const failing: LooseEntry = {
        limitMs: 50,
        onFailure: blocks ? "block" : "continue",
        run: failures[kind] as () => unknown,
      };
      const all = [...runs(handlers), failing];
      const answers: unknown[] = [];
      const denying: LooseEntry = {
        run: () => ({ verdict: { decision: "deny", reason: "failed before it decided" } }),
      };
      for (const list of [all, blocks ? [...runs(handlers), denying] : runs(handlers)]) {
        const { root, pass, reports } = smallKernel();
        root.add(entries(list, { parallel }));
        const firing = root.plan.on["judge"]?.(payload(), undefined);
        await pass(200);
        answers.push((await firing) ?? {});
        const reached = list !== all || parallel || !handlers.some((one) => one.decision === "deny");
        if (list === all && reached)
          expect(reports.some((one) => one.kind === "failed" && one.owner === `h${handlers.length}`)).toBe(true);
      }
      expect(withoutCause(answers[0])).toEqual(answers[1]);
    }),
    { numRuns: 150 },
  );
});

test("law 6: a throw of a middleware's method stops the pass, at once or later", async () => {
  for (const asynchronous of [false, true]) {
    for (const before of [[], [{ run: async () => ({ reminder: ["x"] }) }]]) {
      const { root } = smallKernel();
      const seen: string[] = [];
      const error = new Error("stop");
      if (before.length > 0) root.add(entries(before));
      root.add({
        slot: "gate",
        beforeJudge: () => {
          if (asynchronous) return Promise.reject(error);
          throw error;
        },
      });
      root.add({ slot: "last", beforeJudge: () => void seen.push("last") });
      const fire = async () => root.plan.on["judge"]?.(payload(), undefined);
      await expect(fire()).rejects.toBe(error);
      expect(seen).toEqual([]);
    }
  }
});

test("law 8: after an undo the plan is the plan that never had the part", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(fc.nat(4), fc.boolean()), { maxLength: 10 }), async (steps) => {
      const { root } = smallKernel();
      const other = smallKernel().root;
      const part = (at: number) =>
        at % 2 === 0
          ? { slot: ["first", "gate", "last"][at % 3] ?? "last", beforeJudge: () => undefined }
          : entries([{ owner: `e${at}`, rank: [at, 0], run: () => ({ reminder: [`${at}`] }) }], { name: `g${at}` });
      for (const [at, stays] of steps) {
        const source = part(at);
        const undo = root.add(source);
        if (stays) other.add(source);
        else await undo();
      }
      expect(root.plan.chain).toEqual(other.plan.chain);
      const heard = (layer: typeof root) =>
        Object.entries(layer.plan.on).map(([event, fire]) => [event, fire !== undefined]);
      expect(heard(root)).toEqual(heard(other));
      expect(root.plan.explain("judge", payload())).toEqual(other.plan.explain("judge", payload()));
      expect(root.plan.on["judge"]?.(payload(), {})).toEqual(other.plan.on["judge"]?.(payload(), {}));
    }),
  );
});

test("law 9: a layer that adds nothing hands out its parent's plan, whenever it is read", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.boolean(), { maxLength: 6 }), async (adds) => {
      const { root } = smallKernel();
      const sessions = [
        root.child(),
        root.child({ without: [] }),
        root.child().child(),
        root.child({ without: ["second"] }),
      ];
      const undos: (() => Promise<void>)[] = [];
      for (const add of adds) {
        if (add) undos.push(root.add({ slot: "first", beforeJudge: () => undefined }));
        else await undos.pop()?.();
        for (const session of sessions) expect(session.plan).toBe(root.plan);
      }
    }),
  );
});

test("law 10: explain and firing agree on who runs", async () => {
  const considered = fc.record({ skip: fc.boolean(), delay: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.array(considered, { maxLength: 6 }), fc.boolean(), async (list, parallel) => {
      const { root } = smallKernel();
      const ran: string[] = [];
      root.add({ slot: "first", beforeJudge: () => void ran.push("first") });
      root.add(
        entries(
          list.map(({ skip, delay }, at) => ({
            consider: () => (skip ? "not mine" : undefined),
            run: () => {
              ran.push(`h${at}`);
              return delay ? after(1, undefined) : undefined;
            },
          })),
          { parallel },
        ),
      );
      const explained = root.plan.explain("judge", payload());
      expect(explained.map(({ owner }) => owner)).toEqual(["first", ...list.map((_, at) => `h${at}`)]);
      await root.plan.on["judge"]?.(payload(), undefined);
      expect(ran).toEqual(explained.filter(({ skipped }) => skipped === undefined).map(({ owner }) => owner));
    }),
  );
});
