import { describe, expect, test } from "vitest";
import { house, type Part, testSettings, tool, toolbox } from "./agent-fixture.ts";
import type { Delegate } from "./context.ts";

const part = (given: Omit<Part, "slot">): Part => ({ slot: "goal", ...given });
type Tasks = Parameters<Delegate>[0];

/** A delegating tool: each call runs the given tasks. */
function delegating(tasks: Tasks, results: unknown[], background = false): Part {
  const delegate = tool("delegate_task", {
    toolset: "delegation",
    run: async (_args, { context, callId, signal }) => {
      const given = await context.delegate(tasks, { callId, signal, background });
      results.push(given);
      return JSON.stringify(given);
    },
  });
  return { slot: "sub-agent", tools: () => [delegate] };
}

const isChild = (request: { system: string }) => request.system.includes("You are a sub-agent");
type Step = { text?: string; calls?: { name: string; args?: Record<string, unknown> }[]; delayMs?: number };

/** Parents answer from one list, children from another, whoever asks first. */
function cast(parent: Step[], child: Step[]) {
  return Array.from({ length: parent.length + child.length }, () => (request: { system: string }) => {
    const step = (isChild(request) ? child : parent).shift();
    return step ?? { text: "nothing left" };
  }) as never[];
}

describe("sub-agents", () => {
  test("all are announced before any runs, they run together, and their ends are told in task order", async () => {
    const events: string[] = [];
    const results: unknown[] = [];
    const watch = part({
      on: {
        subagent_start: ({ childGoal }) => void events.push(`start ${childGoal}`),
        subagent_stop: ({ childSummary, childStatus }) => void events.push(`stop ${childSummary} ${childStatus}`),
        on_session_start: ({ platform }) => void events.push(`session ${platform}`),
        on_session_end: ({ platform }) => void events.push(`end ${platform}`),
      },
    });
    await using home = await house({
      script: cast(
        [{ calls: [{ name: "delegate_task" }] }, { text: "All told." }],
        [
          { text: "one", delayMs: 60 },
          { text: "two", delayMs: 20 },
          { text: "three", delayMs: 1 },
        ],
      ),
      parts: [toolbox(tool("look")), delegating([{ goal: "A" }, { goal: "B" }, { goal: "C" }], results), watch],
    });
    const session = await home.open();
    expect(await home.turn(session, "Delegate.")).toMatchObject({ outcome: "completed", text: "All told." });
    expect(events.slice(0, 7)).toEqual([
      "session test",
      "start A",
      "start B",
      "start C",
      ...Array(3).fill("session subagent"),
    ]);
    expect(events.slice(-4)).toEqual(["stop one completed", "stop two completed", "stop three completed", "end test"]);
    expect(results[0]).toMatchObject([
      { taskIndex: 0, status: "completed", summary: "one", exitReason: "answer", apiCalls: 1 },
      { taskIndex: 1, summary: "two" },
      { taskIndex: 2, summary: "three" },
    ]);
    const children = await home.store.list({ children: true, source: "subagent" });
    expect(children).toHaveLength(3);
    expect(children.every(({ parentSessionId }) => parentSessionId === session.id)).toBe(true);
    expect(home.seen.filter((event) => event.type === "child" && event.event.type === "turn-end")).toHaveLength(3);
  });

  test("a child has the asked-for toolsets without blocked tools, and a fresh history", async () => {
    await using home = await house({
      script: cast([{ calls: [{ name: "delegate_task" }] }, { text: "ok" }], [{ text: "done" }]),
      parts: [
        toolbox(tool("look"), tool("clarify"), tool("fetch", { toolset: "web" })),
        delegating([{ goal: "A", context: "the parser", toolsets: ["test"] }], []),
      ],
    });
    await home.turn(await home.open(), "Delegate.");
    const request = home.model.requests.find(isChild);
    expect(request?.tools.map(({ name }) => name)).toEqual(["look"]);
    expect(request?.messages).toMatchObject([{ role: "user", content: "A\n\nContext:\nthe parser" }]);
  });

  test.each([
    ["too many tasks", Array.from({ length: 4 }, () => ({ goal: "A" })), {}, "more than the 3"],
    ["no task", [], {}, "no task"],
    ["a task without a goal", [{ goal: " " }], {}, "needs a goal"],
    ["too deep a nesting", [{ goal: "A" }], { maxSpawnDepth: 0 }, "nested 0 deep"],
  ])("%s is refused before anything is built", async (_name, tasks, change, expected) => {
    const events: string[] = [];
    await using home = await house({
      script: [{ calls: [{ name: "delegate_task" }] }, { text: "ok" }],
      parts: [toolbox(), delegating(tasks, []), part({ on: { subagent_start: () => void events.push("start") } })],
      settings: { delegation: { ...testSettings.delegation, ...change } },
    });
    await home.turn(await home.open(), "Delegate.");
    expect(events).toEqual([]);
    expect(String(home.model.requests[1]?.messages.at(-1)?.content)).toContain(expected);
  });

  test("an interrupt of the parent reaches the children, and their ends are told", async () => {
    const stops: string[] = [];
    await using home = await house({
      script: cast(
        [{ calls: [{ name: "delegate_task" }] }],
        [
          { text: "x", delayMs: 30_000 },
          { text: "y", delayMs: 30_000 },
        ],
      ),
      parts: [
        toolbox(),
        delegating([{ goal: "A" }, { goal: "B" }], []),
        part({ on: { subagent_stop: ({ childStatus }) => void stops.push(childStatus) } }),
      ],
    });
    const session = await home.open();
    const running = home.turn(session, "Delegate.");
    setTimeout(() => session.interrupt("Ctrl-C"), 150);
    expect((await running).outcome).toBe("interrupted");
    expect(stops).toEqual(["interrupted", "interrupted"]);
  });

  test("a child that takes too long is stopped and reported", async () => {
    const results: unknown[] = [];
    await using home = await house({
      script: cast([{ calls: [{ name: "delegate_task" }] }, { text: "ok" }], [{ text: "x", delayMs: 30_000 }]),
      parts: [toolbox(), delegating([{ goal: "A" }], results)],
      settings: { delegation: { ...testSettings.delegation, childTimeoutSeconds: 0.1 } },
    });
    expect(await home.turn(await home.open(), "Delegate.")).toMatchObject({ outcome: "completed" });
    expect(results[0]).toMatchObject([{ status: "timeout", exitReason: "timeout" }]);
  });

  test("a child's own stop hook sees it as a sub-agent and may send it on", async () => {
    const seen: unknown[] = [];
    const guard = part({
      onStop: ({ agentId, stopHookActive }) => {
        seen.push([agentId === undefined, stopHookActive]);
        return agentId !== undefined && !stopHookActive
          ? { verdict: { decision: "deny", reason: "look again" } }
          : undefined;
      },
    });
    const results: unknown[] = [];
    await using home = await house({
      script: cast([{ calls: [{ name: "delegate_task" }] }, { text: "ok" }], [{ text: "first" }, { text: "second" }]),
      parts: [toolbox(), delegating([{ goal: "A" }], results), guard],
    });
    await home.turn(await home.open(), "Delegate.");
    expect(seen).toEqual([
      [false, false],
      [false, true],
      [true, false],
    ]);
    expect(results[0]).toMatchObject([{ summary: "second" }]);
  });

  test("in the background the turn goes on, and the result comes with a later turn", async () => {
    const results: unknown[] = [];
    const stops: string[] = [];
    await using home = await house({
      script: cast(
        [{ calls: [{ name: "delegate_task" }] }, { text: "sent off" }, { text: "heard" }],
        [{ text: "found it", delayMs: 150 }],
      ),
      parts: [
        toolbox(),
        delegating([{ goal: "A" }], results, true),
        part({ on: { subagent_stop: ({ childStatus }) => void stops.push(childStatus) } }),
      ],
    });
    const session = await home.open();
    expect(await home.turn(session, "Delegate.")).toMatchObject({ text: "sent off" });
    expect(results[0]).toMatchObject({ dispatched: expect.stringMatching(/^sa-0-/) });
    expect(stops).toEqual([]);
    await expect.poll(() => stops).toEqual(["completed"]);
    await home.turn(session, "And?");
    const last = home.model.requests.at(-1)?.messages ?? [];
    expect(last.some(({ content }) => String(content).includes("found it"))).toBe(true);
  });

  test("what works in the background ends with its session, and its end is told", async () => {
    const stops: string[] = [];
    await using home = await house({
      script: cast([{ calls: [{ name: "delegate_task" }] }, { text: "sent off" }], [{ text: "x", delayMs: 30_000 }]),
      parts: [
        toolbox(),
        delegating([{ goal: "A" }], [], true),
        part({
          on: {
            subagent_stop: ({ childStatus }) => void stops.push(childStatus),
            session_end: () => void stops.push("end"),
          },
        }),
      ],
    });
    const session = await home.open();
    await home.turn(session, "Delegate.");
    await session.close("shutdown");
    expect(stops).toEqual(["interrupted", "end"]);
  });
});
