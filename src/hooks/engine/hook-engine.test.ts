import { describe, expect, test, vi } from "vitest";
import { blueprint, createKernel, type Decoded, type Layer } from "#kernel";
import type { Executed, Execution, Executors } from "../executor.ts";
import type { HookContext, HookPorts } from "../hook-context.ts";
import type { CommandRule, HookSource, Rule, RuleSet } from "../rule.ts";
import { type EngineSettings, hookEngine } from "./hook-engine.ts";
import { liveHooks } from "./live-hooks.ts";

const source = (name: string, more: Partial<HookSource> = {}): HookSource => ({
  kind: "user",
  name,
  dialect: "claude",
  parallel: false,
  strict: false,
  trust: "none",
  mode: "enforce",
  ...more,
});

const rule = (id: string, more: Partial<CommandRule> = {}): CommandRule => ({
  id,
  source: source("settings.json"),
  event: "pre_tool_call",
  eventName: "PreToolUse",
  where: `settings.json: ${id}`,
  matcher: undefined,
  condition: undefined,
  timeoutMs: 60_000,
  once: false,
  statusMessage: undefined,
  onFailure: undefined,
  mode: "enforce",
  payload: "full",
  rejudge: true,
  parallel: false,
  type: "command",
  command: id,
  args: undefined,
  shell: undefined,
  async: false,
  asyncRewake: false,
  ...more,
});

const answer = (fields: Record<string, unknown>): Executed => ({
  decoded: { kind: "answer", answer: fields, remarks: [] },
  exitCode: 0,
});
const failure = (reason: string, exitCode?: number): Executed => ({
  decoded: { kind: "failed", reason, remarks: [] } satisfies Decoded,
  ...(exitCode === undefined ? {} : { exitCode }),
});

interface House {
  readonly layer: Layer<HookContext>;
  readonly context: HookContext;
  readonly ran: string[];
  readonly notices: string[];
  readonly logged: string[];
  apply(rules: readonly Rule[]): Promise<void>;
  fire(args?: Record<string, unknown>): Promise<Record<string, unknown>>;
}

type Behaviour = (execution: Execution) => Executed | Promise<Executed>;

function house(
  behaviours: Readonly<Record<string, Behaviour>>,
  { settings, mayRun }: { settings?: Partial<EngineSettings>; mayRun?: (rule: Rule) => string | undefined } = {},
): House {
  const ran: string[] = [];
  const notices: string[] = [];
  const logged: string[] = [];
  const run = async (execution: Execution): Promise<Executed> => {
    ran.push(execution.rule.id);
    return (await behaviours[execution.rule.id]?.(execution)) ?? answer({});
  };
  const executors = Object.fromEntries(
    ["command", "worker", "http", "prompt", "agent", "mcp_tool"].map((type) => [type, run]),
  ) as unknown as Executors;
  const ports = {
    projectFolder: () => "/project",
    transcript: async () => "/t.jsonl",
    permissionMode: () => "default",
    spill: async (_session: string, name: string) => `/spilled/${name}`,
    log: (_level: string, message: string) => logged.push(message),
  } as unknown as HookPorts;
  const slots = new Map<string, unknown>();
  const context: HookContext = {
    sessionId: "s-1",
    turnId: "t-1",
    depth: 0,
    platform: "cli",
    cwd: "/project",
    signal: new AbortController().signal,
    surface: { emit: (event) => void (event.type === "notice" && notices.push(event.text)) },
    state: <T>(slot: string, create: () => T): T => {
      if (!slots.has(slot)) slots.set(slot, create());
      return slots.get(slot) as T;
    },
    askModel: async () => "",
  };
  const layer = createKernel<HookContext>(blueprint, {
    every: (ms, tick) => {
      const timer = setInterval(tick, ms);
      return () => clearInterval(timer);
    },
    report: (kind, owner) => logged.push(`${kind}: ${owner}`),
  });
  const engine = hookEngine({
    executors,
    ports,
    mayRun: mayRun ?? (() => undefined),
    settings: { turnLimitMs: 0, breakerFailures: 3, breakerOpenMs: 60_000, ...settings },
  });
  const live = liveHooks(layer, engine);
  return {
    layer,
    context,
    ran,
    notices,
    logged,
    apply: (rules) => live.apply(setsOf(rules)),
    fire: async (args = { command: "ls" }) => {
      const ids = { sessionId: "s-1", taskId: "k", turnId: "t-1", apiRequestId: "a" };
      const call = { ...ids, toolName: "terminal", args, toolCallId: "c-1", middlewareTrace: [] };
      return { ...(await layer.plan.on.pre_tool_call?.(call, context)) };
    },
  };
}

function setsOf(rules: readonly Rule[]): readonly RuleSet[] {
  const bySource = Map.groupBy(rules, (one) => one.source.name);
  return [...bySource.values()].map((own) => ({
    source: (own[0] as Rule).source,
    rules: own,
    dropped: [],
    problems: [],
  }));
}

const deny = (reason: string) => () => answer({ verdict: { decision: "deny", reason } });

describe("what is considered", () => {
  test("trust, then matcher, then condition; the first that fails is the reason that explain gives", async () => {
    const { apply, fire, ran, layer, context } = house(
      {},
      { mayRun: ({ id }) => (id === "held" ? "no consent" : undefined) },
    );
    await apply([
      rule("held"),
      rule("other", { matcher: "Read" }),
      rule("if-not", { condition: "Bash(git *)" }),
      rule("goes", { matcher: "Bash", condition: "Bash(ls *)" }),
    ]);
    await fire();
    expect(ran).toEqual(["goes"]);
    const payload = { toolName: "terminal", args: { command: "ls" } } as never;
    const explained = layer.plan.explain("pre_tool_call", payload, context);
    expect(explained.map(({ skipped }) => skipped ?? "runs")).toEqual([
      "no consent",
      "the matcher Read does not match Bash",
      "'if: Bash(git *)' does not hold",
      "runs",
    ]);
  });

  test("a rule of a kind that its event does not run is left out with the reason", async () => {
    const { apply, layer } = house({});
    const prompt = { ...rule("p"), type: "prompt", prompt: "ok?", model: undefined, continueOnBlock: false };
    await apply([{ ...prompt, event: "pre_compact", eventName: "PreCompact" } as unknown as Rule]);
    expect(layer.plan.on.pre_compact).toBeUndefined();
  });

  test("`if` on an event without tools never runs", async () => {
    const { apply, layer } = house({});
    await apply([rule("x", { event: "stop", eventName: "Stop", condition: "Bash(*)" })]);
    expect(layer.plan.on.stop).toBeUndefined();
  });
});

describe("once", () => {
  test("is used up by the first success and given back by a failure", async () => {
    let runs = 0;
    const { apply, fire, ran } = house({ o: () => (++runs === 1 ? failure("broke", 1) : answer({})) });
    await apply([rule("o", { once: true })]);
    for (let turn = 0; turn < 4; turn++) await fire();
    expect(ran).toHaveLength(2);
  });

  test("two firings at the same time start it once", async () => {
    const { apply, fire, ran } = house({ o: () => new Promise((settle) => setTimeout(() => settle(answer({})), 20)) });
    await apply([rule("o", { once: true })]);
    await Promise.all([fire(), fire(), fire()]);
    expect(ran).toEqual(["o"]);
  });
});

describe("failure", () => {
  test("is told to the person and has no opinion", async () => {
    const { apply, fire, notices, logged } = house({ f: () => failure("exit code 1: boom", 1) });
    await apply([rule("f")]);
    expect(await fire()).toEqual({});
    expect(notices).toEqual(["PreToolUse hook failed: exit code 1: boom (settings.json: f)"]);
    expect(logged).toContain("failed: f");
  });

  test.each<[string, Partial<CommandRule>, boolean]>([
    ["onFailure: block", { onFailure: "block" }, true],
    ["strict on the source", { source: source("settings.json", { strict: true }) }, true],
    [
      "the rule's own word before the source's",
      { onFailure: "continue", source: source("settings.json", { strict: true }) },
      false,
    ],
  ])("%s denies: %s", async (_name, more, denies) => {
    const { apply, fire } = house({ f: () => failure("exit code 127", 127) });
    await apply([rule("f", more)]);
    const { verdict } = (await fire()) as { verdict?: { decision: string; reason: string } };
    expect(verdict?.decision).toBe(denies ? "deny" : undefined);
    if (denies) expect(verdict?.reason).toContain("exit code 127");
  });

  test("a time-out has no opinion, aborts the run, and denies under onFailure: block", async () => {
    const aborted = vi.fn();
    const slow: Behaviour = ({ signal }) =>
      new Promise((settle) =>
        signal.addEventListener("abort", () => {
          aborted();
          settle(failure("timed out"));
        }),
      );
    const { apply, fire } = house({ a: slow, b: slow });
    await apply([rule("a", { timeoutMs: 60 }), rule("b", { timeoutMs: 60, onFailure: "block" })]);
    expect(await fire()).toMatchObject({ verdict: { decision: "deny", by: "b" } });
    expect(aborted).toHaveBeenCalledTimes(2);
  });
});

describe("the circuit breaker", () => {
  test("leaves a rule out that could not be run three times, tries it once later, and closes when that succeeds", async () => {
    let works = false;
    const { apply, fire, ran, layer, context } = house(
      { f: () => (works ? answer({}) : failure("connection refused")) },
      { settings: { breakerOpenMs: 40 } },
    );
    await apply([rule("f")]);
    for (let count = 0; count < 6; count++) await fire();
    expect(ran).toHaveLength(3);
    const payload = { toolName: "terminal", args: {} } as never;
    expect(layer.plan.explain("pre_tool_call", payload, context)[0]?.skipped).toContain("circuit breaker");
    await new Promise((settle) => setTimeout(settle, 50));
    works = true;
    await Promise.all([fire(), fire()]);
    expect(ran.length).toBeGreaterThanOrEqual(4);
    await fire();
    expect(ran.length).toBeGreaterThanOrEqual(5);
  });

  test("does not count a program that ran and ended with a code of its own", async () => {
    const { apply, fire, ran } = house({ f: () => failure("exit code 1", 1) });
    await apply([rule("f")]);
    for (let count = 0; count < 6; count++) await fire();
    expect(ran).toHaveLength(6);
  });

  test("never leaves out a rule whose failure denies", async () => {
    const { apply, fire, ran } = house({ f: () => failure("connection refused") });
    await apply([rule("f", { onFailure: "block" })]);
    for (let count = 0; count < 6; count++) expect(await fire()).toMatchObject({ verdict: { decision: "deny" } });
    expect(ran).toHaveLength(6);
  });
});

test("the budget of a turn leaves out what cannot refuse on failure, and says so once", async () => {
  const slow = () => new Promise<Executed>((settle) => setTimeout(() => settle(answer({})), 30));
  const { apply, fire, ran, notices } = house({ a: slow, b: slow }, { settings: { turnLimitMs: 20 } });
  await apply([rule("a"), rule("b", { onFailure: "block" })]);
  await fire();
  await fire();
  expect(ran).toEqual(["a", "b", "b"]);
  expect(notices.filter((text) => text.includes("20 ms of this turn"))).toHaveLength(1);
});

test("what rules of one firing read is encoded once", async () => {
  const read: Execution[] = [];
  const reads: Behaviour = (one) => {
    read.push(one);
    return answer({});
  };
  const { apply, fire } = house({ a: reads, b: reads });
  await apply([rule("a"), rule("b")]);
  await fire();
  expect(read[0]?.wire).toBe(read[1]?.wire);
  expect(JSON.parse(read[0]?.json ?? "")).toMatchObject({ tool_name: "Bash", tool_input: { command: "ls" } });
});

test("a shadow rule runs and decides nothing", async () => {
  const { apply, fire, ran, logged } = house({ s: deny("no") });
  await apply([rule("s", { mode: "shadow" })]);
  expect(await fire()).toEqual({});
  expect(ran).toEqual(["s"]);
  expect(logged).toContain("shadow: s");
});

test("a long text is put into a file, with a preview that splits no character", async () => {
  const text = `${"x".repeat(1_999)}😀${"y".repeat(20_000)}`;
  const { apply, fire } = house({ l: () => answer({ reminder: [text, "short"], notice: ["n".repeat(10_000)] }) });
  await apply([rule("l")]);
  const { reminder, notice } = (await fire()) as { reminder: string[]; notice: string[] };
  expect(reminder[0]).toMatch(/^x{1999}😀\n\n\[.*\/spilled\/hook-l-reminder-0;/u);
  expect(reminder[1]).toBe("short");
  expect(notice[0]).toHaveLength(10_000);
});

test("parallel rules answer in declared order, whoever is first", async () => {
  const after = (ms: number, fields: Record<string, unknown>) => () =>
    new Promise<Executed>((settle) => setTimeout(() => settle(answer(fields)), ms));
  const { apply, fire } = house({
    a: after(60, { args: { command: "a" }, reminder: ["a"] }),
    b: after(10, { args: { command: "b" }, reminder: ["b"] }),
  });
  await apply([rule("a", { parallel: true }), rule("b", { parallel: true })]);
  expect(await fire()).toMatchObject({ args: { command: "b" }, reminder: ["a", "b"] });
});

describe("a reload", () => {
  test("acts at the next event, and what is in flight ends by its old rule", async () => {
    let release: (value: Executed) => void = () => undefined;
    const { apply, fire, ran } = house({
      old: () => new Promise<Executed>((settle) => (release = settle)),
      new: deny("new"),
    });
    await apply([rule("old")]);
    const first = fire();
    await vi.waitFor(() => expect(ran).toEqual(["old"]));
    await apply([rule("new")]);
    expect(await fire()).toMatchObject({ verdict: { reason: "new" } });
    release(answer({ verdict: { decision: "deny", reason: "old" } }));
    expect(await first).toMatchObject({ verdict: { reason: "old" } });
  });

  test("keeps the groups of sources that stayed as they were", async () => {
    const { apply, layer } = house({});
    const other = source("other.json", { kind: "project" });
    await apply([rule("a"), rule("b", { source: other })]);
    const before = layer.plan.chain.length;
    const [kept] = layer.plan.chain;
    await apply([rule("a"), rule("c", { source: other })]);
    expect(layer.plan.chain[0]).toBe(kept);
    expect(layer.plan.chain).toHaveLength(before);
    await apply([]);
    expect(layer.plan.chain).toHaveLength(0);
    expect(layer.plan.on.pre_tool_call).toBeUndefined();
  });
});
