import { describe, expect, test } from "vitest";
import { type House, type HouseOptions, house, type Part, results, tool, toolbox } from "./agent-fixture.ts";
import type { TurnResult } from "./room.ts";

const call = (name: string, args: Record<string, unknown> = {}) => ({ calls: [{ name, args }] });

interface WayOut {
  readonly name: string;
  readonly options: HouseOptions;
  readonly maxIterations?: number;
  readonly act?: (home: House, interrupt: (reason: string) => void) => void;
  readonly expected: Partial<TurnResult>;
}

const part = (given: Omit<Part, "slot">): Part => ({ slot: "goal", ...given });

const ways: readonly WayOut[] = [
  { name: "an answer", options: { script: [{ text: "Done." }] }, expected: { outcome: "completed", text: "Done." } },
  {
    name: "a prompt that a handler refuses",
    options: {
      parts: [part({ on: { pre_llm_call: () => ({ verdict: { decision: "deny", reason: "not on Sundays" } }) } })],
    },
    expected: { outcome: "refused", text: "not on Sundays", exitReason: "prompt_refused", iterations: 0 },
  },
  {
    name: "a halt while a call is judged",
    options: {
      script: [call("look")],
      parts: [toolbox(tool("look")), part({ beforeTool: () => ({ halt: "enough for today" }) })],
    },
    expected: { outcome: "refused", text: "enough for today", exitReason: "hook_halt" },
  },
  {
    name: "a halt at the start of the session",
    options: { parts: [part({ on: { session_start: () => ({ halt: "closed" }) } })] },
    expected: { outcome: "refused", text: "closed", iterations: 0 },
  },
  {
    name: "a middleware that fails before the turn",
    options: {
      parts: [
        part({
          beforeAgent: () => {
            throw new Error("no disk");
          },
        }),
      ],
    },
    expected: { outcome: "failed" },
  },
  {
    name: "an error of the model",
    options: { script: [{ error: "authentication", statusCode: 401 }] },
    expected: { outcome: "failed", exitReason: "model_authentication" },
  },
  {
    name: "a refusal of the provider",
    options: { script: [{ error: "content_refused" }] },
    expected: { outcome: "refused", exitReason: "content_refused" },
  },
  {
    name: "an answer that the provider's filter stopped",
    options: { script: [{ text: "", finishReason: "content-filter" }] },
    expected: { outcome: "refused", exitReason: "content_refused" },
  },
  {
    name: "empty answers only",
    options: { script: [{ text: "" }, { text: "" }, { text: "" }, { text: "" }] },
    expected: { outcome: "failed", exitReason: "empty_answer" },
  },
  {
    name: "unknown tools three times in a row",
    options: { script: [call("fly"), call("swim"), call("dig")], parts: [toolbox(tool("look"))] },
    expected: { outcome: "failed", exitReason: "unknown_tools", iterations: 3 },
  },
  {
    name: "the iteration limit",
    options: {
      script: [call("look"), call("look", { count: 2 }), { text: "Half done." }],
      parts: [toolbox(tool("look"))],
    },
    maxIterations: 2,
    expected: { outcome: "limit", text: "Half done.", exitReason: "max_iterations", iterations: 2 },
  },
  {
    name: "an interrupt while the model answers",
    options: { script: [{ text: "slow", delayMs: 20_000 }] },
    act: (_home, interrupt) => interrupt("Ctrl-C"),
    expected: { outcome: "interrupted", text: "Ctrl-C", exitReason: "interrupted" },
  },
  {
    name: "the guardrail's hard stop",
    options: {
      script: Array.from({ length: 8 }, () => call("look", { path: "a" })),
      parts: [toolbox(tool("look", { run: async () => '{"error":"no such file"}' }))],
      settings: {
        guardrails: {
          warnings: true,
          hardStop: true,
          warnAfter: { exactFailure: 2, sameToolFailure: 3, idempotentNoProgress: 2 },
          hardStopAfter: { exactFailure: 3, sameToolFailure: 8, idempotentNoProgress: 5 },
        },
      },
    },
    expected: { outcome: "failed", exitReason: "guardrail_halt", iterations: 4 },
  },
];

describe("every way out ends with on_session_end, true to fact", () => {
  test.each(ways)("$name", async ({ options, maxIterations, act, expected }) => {
    const ends: { readonly completed: boolean; readonly interrupted: boolean }[] = [];
    const recorder = part({ on: { on_session_end: (payload) => void ends.push(payload) } });
    await using home = await house({ ...options, parts: [...(options.parts ?? []), recorder] });
    const session = await home.open();
    const limit = maxIterations === undefined ? {} : { maxIterations };
    const running = home.agent.runTurn(session, { content: "Do it.", ...limit }, home.surface);
    if (act !== undefined) setTimeout(() => act(home, session.interrupt), 100);
    const result = await running;
    expect(result).toMatchObject(expected);
    expect(ends).toHaveLength(1);
    expect(ends[0]).toMatchObject({
      completed: expected.outcome === "completed",
      interrupted: expected.outcome === "interrupted",
    });
    expect(home.seen.at(-1)).toMatchObject({ type: "turn-end", outcome: expected.outcome });
    expect(home.spans.filter(({ kind }) => kind === "turn")).toHaveLength(1);
    const stored = await home.messages(session.id);
    const calls = stored.flatMap(({ message }) => (message.role === "assistant" ? (message.toolCalls ?? []) : []));
    expect(results(stored)).toHaveLength(calls.length);
    expect(await home.store.claim(session.id, "another")).toBe(true);
  });
});

describe("what a way out leaves", () => {
  test("a refused prompt leaves nothing", async () => {
    const deny = part({ on: { pre_llm_call: () => ({ verdict: { decision: "deny", reason: "no" } }) } });
    await using home = await house({ parts: [deny] });
    const session = await home.open();
    await home.turn(session, "a secret");
    expect(await home.messages(session.id)).toEqual([]);
  });

  test("the next turn knows that the last one was interrupted", async () => {
    await using home = await house({ script: [{ text: "slow", delayMs: 20_000 }, { text: "Ok." }] });
    const session = await home.open();
    const running = home.turn(session, "First.");
    setTimeout(() => session.interrupt("Ctrl-C"), 50);
    await running;
    expect(await home.turn(session, "Second.")).toMatchObject({ outcome: "completed", text: "Ok." });
    const texts = home.model.requests[1]?.messages.map(({ content }) => content);
    expect(texts).toEqual(["First.", "[The person interrupted the turn above.]", "Second."]);
  });

  test("a failed middleware is told to onError, and the error names it", async () => {
    const failures: string[] = [];
    await using home = await house({
      parts: [
        part({
          beforeAgent: () => {
            throw new Error("no disk");
          },
          onError: ({ errorDetails }) => void failures.push(errorDetails ?? ""),
        }),
      ],
    });
    const result = await home.turn(await home.open(), "Do it.");
    expect(result.text).toContain("no disk");
    expect(failures).toEqual([result.text]);
  });

  test("a second turn on a busy session is refused and disturbs nothing", async () => {
    await using home = await house({ script: [{ text: "slow", delayMs: 200 }] });
    const session = await home.open();
    const first = home.turn(session, "First.");
    expect(await home.turn(session, "Second.")).toMatchObject({ outcome: "failed", exitReason: "session_busy" });
    expect(await first).toMatchObject({ outcome: "completed" });
  });

  test("a halt over a note of the person ends the turn before the model is asked", async () => {
    const halt = part({ beforeInput: ({ content }) => (content === "Faster!" ? { halt: "too fast" } : undefined) });
    await using home = await house({ script: [{ text: "Hi." }], parts: [halt] });
    const session = await home.open();
    session.steer("Faster!");
    expect(await home.turn(session, "Do it.")).toMatchObject({ outcome: "refused", exitReason: "hook_halt" });
    expect(home.model.requests).toEqual([]);
  });

  test("calls that a halt left out are told to post_tool_batch with what the model is told", async () => {
    const batches: unknown[] = [];
    const recorder = part({
      on: {
        pre_tool_call: ({ toolName }) => (toolName === "act" ? { halt: "enough" } : undefined),
        post_tool_batch: ({ toolCalls }) => void batches.push(toolCalls.map(({ result }) => result)),
      },
    });
    const tools = toolbox(tool("look", { concurrency: "parallel" }), tool("act", { concurrency: "parallel" }));
    await using home = await house({
      script: [{ calls: [{ name: "look" }, { name: "act" }] }],
      parts: [tools, recorder],
    });
    await home.turn(await home.open(), "Do it.");
    expect(batches).toEqual([[expect.stringContaining("Skipped"), expect.stringContaining("enough")]]);
  });

  test.each([
    ["a halt of stop", part({ onStop: () => ({ halt: "no more" }) }), "was ended after the answer: no more"],
    [
      "a failure after the answer",
      part({
        afterAgent: () => {
          throw new Error("no paper");
        },
      }),
      "ended with an error after the answer: no paper",
    ],
    ["a halt before it", part({ afterTool: () => ({ halt: "no more" }) }), "was ended before an answer: no more"],
  ])("the note about %s says whether there was an answer", async (_name, ending, expected) => {
    await using home = await house({ script: [call("look"), { text: "Hi." }], parts: [toolbox(tool("look")), ending] });
    const session = await home.open();
    await home.turn(session, "Do it.");
    expect((await home.messages(session.id)).at(-1)?.message.content).toContain(expected);
  });

  test.each(["sections", "tools"] as const)("a middleware whose %s fail is named", async (method) => {
    const broken = part({
      [method]: () => {
        throw new Error("no disk");
      },
    });
    await using home = await house({ parts: [broken] });
    expect(await home.turn(await home.open(), "Do it.")).toMatchObject({
      exitReason: "middleware_failed",
      text: expect.stringMatching(/"goal".*no disk/),
    });
  });
});
