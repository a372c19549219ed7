import { describe, expect, test } from "vitest";
import { type House, type HouseOptions, house, listener, type Part, results, tool, toolbox } from "./agent-fixture.ts";

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const forever = () => new Promise<never>(() => undefined);
const part = (given: Omit<Part, "slot">): Part => ({ slot: "goal", ...given });
const oneCall = [{ calls: [{ name: "look", args: { path: "a" } }] }, { text: "ok" }];

async function interrupted(options: HouseOptions, after = 80) {
  const ends: unknown[] = [];
  const end = part({ on: { on_session_end: (payload) => void ends.push(payload) } });
  const home: House = await house({ ...options, parts: [...(options.parts ?? []), end] });
  const session = await home.open();
  const running = home.turn(session, "look");
  await wait(after);
  const before = performance.now();
  session.interrupt("Ctrl-C");
  const result = await running;
  return { home, session, result, ends, took: performance.now() - before };
}

const phases: readonly [string, HouseOptions][] = [
  ["session_start hangs", { parts: [part({ on: { session_start: forever } })] }],
  ["pre_llm_call hangs", { parts: [part({ on: { pre_llm_call: forever } })] }],
  ["before_agent hangs", { parts: [part({ beforeAgent: forever })] }],
  ["a request middleware hangs", { script: [{ text: "x" }], parts: [part({ modelRequest: forever })] }],
  ["a wrapper of the model hangs", { script: [{ text: "x" }], parts: [part({ wrapModelCall: forever })] }],
  ["the model hangs", { script: [forever as never] }],
  ["the model waits for a retry", { script: [{ error: "rate_limit", retryAfterMs: 50_000 }] }],
  ["a call is judged", { script: oneCall, parts: [toolbox(tool("look")), part({ beforeTool: forever })] }],
  ["a permission is asked for", { script: oneCall, parts: [toolbox(tool("look")), part({ permit: forever })] }],
  [
    "a result is transformed",
    { script: oneCall, parts: [toolbox(tool("look")), part({ on: { transform_tool_result: forever } })] },
  ],
  ["post_tool_call hangs", { script: oneCall, parts: [toolbox(tool("look")), part({ afterTool: forever })] }],
  ["stop hangs", { script: [{ text: "x" }], parts: [part({ onStop: forever })] }],
  ["post_llm_call hangs", { script: [{ text: "x" }], parts: [part({ on: { post_llm_call: forever } })] }],
];

describe("an interrupt ends the turn at once", () => {
  test.each(phases)("while %s", async (_name, options) => {
    const { home, session, result, ends, took } = await interrupted(options);
    await using _closing = home;
    expect(result).toMatchObject({ outcome: "interrupted", text: "Ctrl-C" });
    expect(took).toBeLessThan(900);
    expect(ends).toMatchObject([{ completed: false, interrupted: true }]);
    const stored = await home.messages(session.id);
    const calls = stored.flatMap(({ message }) => (message.role === "assistant" ? (message.toolCalls ?? []) : []));
    expect(results(stored)).toHaveLength(calls.length);
  });

  test("while a tool runs that heeds its signal", async () => {
    const told: string[] = [];
    const slow = tool("look", {
      run: (_args, { signal }) =>
        new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
    });
    const watch = part({ afterTool: ({ status, errorType }) => void told.push(`${status} ${errorType}`) });
    const { home, session, result, took } = await interrupted({ script: oneCall, parts: [toolbox(slow), watch] });
    await using _closing = home;
    expect(result.outcome).toBe("interrupted");
    expect(took).toBeLessThan(900);
    expect(told).toEqual(["cancelled keyboard_interrupt"]);
    expect(results(await home.messages(session.id))[0]).toContain("was stopped");
  });

  test("while a tool runs that ignores its signal: it is left alone after a second", async () => {
    const { home, session, result, took } = await interrupted({
      script: oneCall,
      parts: [toolbox(tool("look", { run: forever }))],
    });
    await using _closing = home;
    expect(result.outcome).toBe("interrupted");
    expect(took).toBeGreaterThan(800);
    expect(took).toBeLessThan(2_000);
    expect(results(await home.messages(session.id))).toHaveLength(1);
  });

  test("and calls that had not begun are skipped without any event", async () => {
    const events: string[] = [];
    const log = (event: string, payload: { args?: { path?: string } }) => `${event} ${payload.args?.path ?? ""}`.trim();
    const slow = tool("look", {
      run: (_args, { signal }) =>
        new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
    });
    const calls = ["a", "b", "c"].map((path) => ({ name: "look", args: { path } }));
    const { home, session } = await interrupted({ script: [{ calls }], parts: [toolbox(slow), listener(events, log)] });
    await using _closing = home;
    expect(events.filter((event) => event.endsWith(" b") || event.endsWith(" c"))).toEqual([]);
    const told = results(await home.messages(session.id));
    expect(told.map((line) => line.includes("Skipped"))).toEqual([false, true, true]);
  });

  test("a second interrupt cuts short what is told at the end", async () => {
    const home = await house({
      script: [{ text: "x", delayMs: 10_000 }],
      parts: [part({ on: { on_session_end: forever } })],
    });
    await using _closing = home;
    const session = await home.open();
    const running = home.turn(session, "look");
    await wait(50);
    session.interrupt("Ctrl-C");
    await wait(50);
    const before = performance.now();
    session.interrupt("Ctrl-C");
    expect((await running).outcome).toBe("interrupted");
    expect(performance.now() - before).toBeLessThan(500);
  });

  test("what was streamed before it stays in the conversation", async () => {
    const half = async (_request: unknown, call: { onDelta?: (delta: { type: "text"; text: string }) => void }) => {
      call.onDelta?.({ type: "text", text: "Half an ans" });
      return forever();
    };
    const { home, session } = await interrupted({ script: [half as never] });
    await using _closing = home;
    const texts = (await home.messages(session.id)).map(({ message }) => message.content);
    expect(texts).toEqual(["look", "Half an ans", "[The person interrupted the turn above.]"]);
  });

  test("a signal of the caller interrupts like the person", async () => {
    await using home = await house({ script: [{ text: "x", delayMs: 10_000 }] });
    const session = await home.open();
    const signal = AbortSignal.timeout(50);
    const result = await home.agent.runTurn(session, { content: "look", signal }, home.surface);
    expect(result.outcome).toBe("interrupted");
  });
});

describe("steering", () => {
  test("a note reaches the model with the results of the running batch", async () => {
    await using home = await house({ script: [], parts: [toolbox(tool("look", { run: async () => "seen" }))] });
    const session = await home.open();
    home.model.push(
      () => {
        session.steer("use the other file");
        return { calls: [{ name: "look" }] };
      },
      { text: "ok" },
    );
    await home.turn(session, "look");
    const sent = home.model.requests[1]?.messages ?? [];
    expect(sent.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "user"]);
    expect(sent[3]?.content).toContain("use the other file");
  });

  test("a note that came too late is told at the start of the next turn, once", async () => {
    await using home = await house({ script: [], parts: [toolbox()] });
    const session = await home.open();
    home.model.push(
      () => {
        session.steer("be brief");
        return { text: "long answer" };
      },
      { text: "short" },
      { text: "third" },
    );
    await home.turn(session, "one");
    await home.turn(session, "two");
    await home.turn(session, "three");
    const count = (index: number) =>
      home.model.requests[index]?.messages.filter(({ content }) => String(content).includes("be brief")).length;
    expect([count(0), count(1), count(2)]).toEqual([0, 1, 1]);
  });
});
