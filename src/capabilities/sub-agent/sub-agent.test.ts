import { expect, test } from "vitest";
import type { ChildResult, ChildTask, Delegate, Tool, TurnContext } from "#agent";
import { subAgent } from "./sub-agent.ts";

const result: ChildResult = {
  taskIndex: 0,
  sessionId: "s-2",
  status: "completed",
  summary: "done",
  apiCalls: 2,
  durationSeconds: 1.5,
  model: "m",
  exitReason: "text_response(stop)",
  tokens: { input: 10, output: 5 },
  toolTrace: [{ tool: "terminal", status: "ok" }],
};

function tool(delegate: Delegate, depth = 0) {
  let time = 0;
  const context = { depth, delegate } as unknown as TurnContext;
  const [found] = subAgent({ maxSpawnDepth: 1, ticks: () => (time += 250) }).tools!(context) as readonly Tool[];
  const run = async (args: Readonly<Record<string, unknown>>, signal = new AbortController().signal) => {
    const outcome = await found!.run(args, { callId: "c-1", context, signal, progress: () => undefined });
    return JSON.parse(typeof outcome === "string" ? outcome : (outcome.content as string));
  };
  return { run, offered: found!.available?.(context) };
}

test("one goal or a batch goes to the loop, and results come back in order under Hermes's names", async () => {
  const given: (readonly ChildTask[])[] = [];
  const { run } = tool(async (tasks) => {
    given.push(tasks);
    return tasks.map((_, taskIndex) => ({ ...result, taskIndex }));
  });
  const one = await run({ goal: " find it ", context: "in src", toolsets: ["file"], role: "orchestrator" });
  expect(given[0]).toEqual([{ goal: "find it", context: "in src", toolsets: ["file"], role: "orchestrator" }]);
  expect(one).toEqual({
    results: [
      {
        task_index: 0,
        status: "completed",
        summary: "done",
        api_calls: 2,
        duration_seconds: 1.5,
        model: "m",
        exit_reason: "text_response(stop)",
        tokens: { input: 10, output: 5 },
        tool_trace: [{ tool: "terminal", status: "ok" }],
      },
    ],
    total_duration_seconds: 0.25,
  });
  const two = await run({ tasks: '[{"goal":"a"},"b"]' });
  expect(two.results.map((item: { task_index: number }) => item.task_index)).toEqual([0, 1]);
});

test.each([
  [{}, "give goal"],
  [{ goal: "  " }, "give goal"],
  [{ tasks: 3 }, "list of objects"],
  [{ tasks: [{ goal: "a" }, { context: "b" }] }, "task 1 has no goal"],
])("%j runs nothing and says why", async (args, text) => {
  let ran = false;
  const { run } = tool(async () => {
    ran = true;
    return [];
  });
  expect((await run(args)).error).toContain(text);
  expect(ran).toBe(false);
});

test("a refusal of the loop is the model's to read, an interrupt is not", async () => {
  const { run } = tool(async () => Promise.reject(new Error("4 tasks are more than the 3 allowed")));
  expect((await run({ goal: "x" })).error).toContain("3 allowed");
  await expect(run({ goal: "x" }, AbortSignal.abort())).rejects.toThrow("3 allowed");
});

test("in the background the id comes at once", async () => {
  const { run } = tool(async (_, { background }) => ({ dispatched: background ? "d-1" : "no" }));
  expect(await run({ goal: "x", background: "true" })).toEqual({ status: "dispatched", delegation_id: "d-1" });
});

test("it is offered only above the deepest level", () => {
  expect([tool(async () => [], 0).offered, tool(async () => [], 1).offered]).toEqual([true, false]);
});
