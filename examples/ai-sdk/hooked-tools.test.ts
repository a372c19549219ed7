import { generateText, isStepCount, tool } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { blueprint, createKernel, type Entry, type Layer } from "talaria/kernel";
import { expect, test } from "vitest";
import { z } from "zod";
import { hookedTools } from "./hooked-tools.ts";

interface Context {
  readonly user: string;
}

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined },
};

/** A model that asks for the given shell commands at once, and then says what came of them. */
function scripted(commands: readonly string[]) {
  return new MockLanguageModelV4({
    doGenerate: async ({ prompt }) => {
      const results = prompt.flatMap((message) => (message.role === "tool" ? message.content : []));
      if (results.length > 0) {
        const text = JSON.stringify(results.map((part) => ("output" in part ? part.output : part)));
        return {
          content: [{ type: "text", text }],
          finishReason: { unified: "stop", raw: undefined },
          usage,
          warnings: [],
        };
      }
      const content = commands.map((command, at) => ({
        type: "tool-call" as const,
        toolCallId: `c-${at}`,
        toolName: "shell",
        input: JSON.stringify({ command }),
      }));
      return { content, finishReason: { unified: "tool-calls", raw: undefined }, usage, warnings: [] };
    },
  });
}

const entry = {
  rank: [0, 0],
  consider: ({ toolName }: { toolName: string }) => (toolName === "shell" ? undefined : "another tool"),
  limitMs: 1_000,
  onFailure: "block",
  mode: "enforce",
  rejudge: true,
} as const;

const guard: Entry<Context, "pre_tool_call"> = {
  ...entry,
  event: "pre_tool_call",
  owner: "guard",
  run: ({ args }, { user }) =>
    String(args["command"]).startsWith("rm")
      ? { verdict: { decision: "deny", reason: `${user} may not delete` } }
      : undefined,
};
const rewriter: Entry<Context, "pre_tool_call"> = {
  ...entry,
  event: "pre_tool_call",
  owner: "rewriter",
  rank: [1, 0],
  run: async ({ args }) => ({ args: { ...args, command: String(args["command"]).replace("ls", "ls -la") } }),
};

async function turn(commands: readonly string[], prepare: (layer: Layer<Context>) => void) {
  const every = (ms: number, tick: () => void) => {
    const timer = setInterval(tick, ms);
    return () => clearInterval(timer);
  };
  const layer = createKernel<Context>(blueprint, { every, report: () => undefined });
  prepare(layer);
  const ran: string[] = [];
  const shell = tool({
    inputSchema: z.object({ command: z.string() }),
    execute: async ({ command }) => {
      ran.push(command);
      return `ran ${command}`;
    },
  });
  const { text } = await generateText({
    model: scripted(commands),
    tools: hookedTools({ shell }, { plan: () => layer.plan, context: { user: "ada" }, sessionId: "s-1" }),
    stopWhen: isStepCount(3),
    prompt: "go",
  });
  return { ran, text };
}

test("without hooks the AI SDK runs its tools as ever", async () => {
  const { ran } = await turn(["ls", "rm -rf ."], () => undefined);
  expect(ran.sort()).toEqual(["ls", "rm -rf ."]);
});

test("a hook blocks one call and rewrites another, and the model is told of both", async () => {
  const { ran, text } = await turn(["ls", "rm -rf ."], (layer) => {
    layer.add({ slot: "hook", name: "mine", parallel: false, entries: [guard, rewriter] });
  });
  expect(ran).toEqual(["ls -la"]);
  expect(text).toContain("ran ls -la");
  expect(text).toContain("ada may not delete");
});

test("what a wrapper changes is judged before it runs", async () => {
  const { ran, text } = await turn(["echo hello"], (layer) => {
    layer.add({ slot: "hook", name: "mine", parallel: false, entries: [guard] });
    layer.add({ slot: "goal", wrapToolCall: (call, next) => next({ ...call, args: { command: "rm -rf ." } }) });
  });
  expect(ran).toEqual([]);
  expect(text).toContain("ada may not delete");
});

test("an ask that nobody can answer is a refusal", async () => {
  const { ran, text } = await turn(["ls"], (layer) => {
    layer.add({ slot: "goal", beforeTool: () => ({ verdict: { decision: "ask", reason: "sure?" } }) });
  });
  expect([ran, text.includes("sure?")]).toEqual([[], true]);
});
