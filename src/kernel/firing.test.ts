import { describe, expect, test } from "vitest";
import { entries, type LooseEntry, settle, smallKernel } from "../../test/kernel-fixture.ts";

const payload = () => ({ name: "shell", args: { command: "ls" } });
const deny = (reason: string) => ({ verdict: { decision: "deny", reason } });
const allow = { verdict: { decision: "allow" } };
const rewrite = (command: string) => ({ args: { command } });

function judging(list: readonly LooseEntry[], parallel = false) {
  const kernel = smallKernel();
  kernel.root.add(entries(list, { parallel }));
  return { ...kernel, judge: (context?: unknown) => kernel.root.plan.on["judge"]?.(payload(), context) };
}

describe("a firing", () => {
  test("is undefined where nobody listens", () => {
    expect(smallKernel().root.plan.on["judge"]).toBeUndefined();
  });

  test("answers at once when no handler is pending, and nothing when none has an opinion", () => {
    const { judge } = judging([{ run: () => undefined }, { run: () => "text" }, { run: () => ({ unknown: 1 }) }]);
    expect(judge()).toEqual({});
  });

  test("runs methods in blueprint order around the hook groups' entries by rank", async () => {
    const { root } = smallKernel();
    const seen: string[] = [];
    const say = (word: string) => () => void seen.push(word);
    root.add({ slot: "last", beforeJudge: say("last") });
    root.add({ slot: "gate", on: { judge: say("gate") } });
    root.add(
      entries([
        { rank: [2, 0], run: say("b") },
        { rank: [1, 7], run: async () => void seen.push("a") },
      ]),
    );
    root.add(entries([{ rank: [1, 8], run: say("between") }]));
    root.add({ slot: "first", beforeJudge: say("first") });
    await root.plan.on["judge"]?.(payload(), undefined);
    expect(seen).toEqual(["first", "a", "between", "b", "gate", "last"]);
  });

  test("ends at the first deny, and later handlers do not run", async () => {
    const ran: string[] = [];
    const { judge } = judging([{ run: async () => deny("no") }, { run: () => void ran.push("later") }]);
    expect(await judge()).toMatchObject({ verdict: { decision: "deny", reason: "no" } });
    expect(ran).toEqual([]);
  });

  test("shows a rewrite to the next handler and lets the earlier one judge it again", async () => {
    const seen: string[] = [];
    const guard = (name: string) => (given: { args: { command: string } }) => {
      seen.push(`${name}:${given.args.command}`);
      return given.args.command === "rm" ? deny(name) : allow;
    };
    const { judge } = judging([
      { run: guard("one") },
      { run: () => rewrite("rm") },
      { run: async (p) => void seen.push(p.args.command) },
    ]);
    expect(await judge()).toMatchObject(deny("one"));
    expect(seen).toEqual(["one:ls", "rm", "one:rm"]);
  });

  test("makes an allow void that was given before the change, and keeps an ask", async () => {
    const earlier = (verdict: object) => ({ rejudge: false, run: () => ({ verdict }) });
    const change = { run: () => rewrite("pwd") };
    expect(judging([earlier({ decision: "allow" }), change]).judge()).toEqual({ args: { command: "pwd" } });
    expect(judging([earlier({ decision: "ask" }), change]).judge()).toMatchObject({ verdict: { decision: "ask" } });
  });

  test("takes a failure for an answer: none, or the row's closed one", async () => {
    const fails = (onFailure: "continue" | "block") =>
      judging([{ onFailure, run: () => Promise.reject(new Error("broken")) }, { run: () => ({ reminder: ["r"] }) }]);
    expect(await fails("continue").judge()).toEqual({ reminder: ["r"] });
    const blocking = fails("block");
    expect(await blocking.judge()).toMatchObject({ verdict: { decision: "deny" } });
    expect(blocking.reports).toMatchObject([{ kind: "failed", owner: "h0", event: "judge" }]);
  });

  test("stops at a throw of a middleware's method", async () => {
    const { root } = smallKernel();
    root.add({ slot: "first", beforeJudge: () => Promise.reject(new Error("stop")) });
    await expect(root.plan.on["judge"]?.(payload(), undefined)).rejects.toThrow("stop");
  });

  test("ends a handler at its limit, aborts its signal and ignores its late answer", async () => {
    let answer: (value: unknown) => void = () => undefined;
    let signal: AbortSignal | undefined;
    const { judge, pass, timers } = judging([
      {
        limitMs: 100,
        call: true,
        run: (_payload, _context, call) => {
          signal = call.signal;
          return new Promise((resolve) => {
            answer = resolve;
          });
        },
      },
      { run: async () => ({ reminder: ["later"] }) },
    ]);
    const firing = judge();
    await pass(100);
    expect(signal?.aborted).toBe(false);
    await pass(50);
    answer(deny("too late"));
    expect(await firing).toEqual({ reminder: ["later"] });
    expect(signal?.aborted).toBe(true);
    await pass(50);
    await settle();
    expect(timers()).toBe(0);
  });
});
