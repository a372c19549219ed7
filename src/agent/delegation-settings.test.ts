import { expect, test } from "vitest";
import { scriptedModel } from "../testing.ts";
import { house, routeOf, testSettings, tool, toolbox } from "./agent-fixture.ts";
import type { ChildTask } from "./context.ts";

/** A tool that delegates the same task with each call, and tells what came of it. */
const delegating = (task: ChildTask, background = false) =>
  tool("delegate_task", {
    toolset: "delegation",
    run: async (_args, { context, callId, signal }) =>
      JSON.stringify(
        await context
          .delegate([task], { callId, signal, background })
          .catch((error: unknown) => ({ refused: error instanceof Error ? error.message : String(error) })),
      ),
  });

test("more sub-agents in the background than the setting says are refused, and the one that works goes on", async () => {
  const delegation = { ...testSettings.delegation, maxBackgroundChildren: 1 };
  const slow = scriptedModel([{ text: "never told", delayMs: 60_000 }]);
  const script = [{ calls: [{ name: "delegate_task" }] }, { calls: [{ name: "delegate_task" }] }, { text: "done" }];
  const childRoute = async () => routeOf(slow);
  const parts = [toolbox(delegating({ goal: "wait" }, true))];
  await using home = await house({ script, parts, settings: { delegation }, ports: { childRoute } });
  const session = await home.open();
  await home.turn(session, "go");
  const results = JSON.stringify((await home.messages(session.id)).filter(({ message }) => message.role === "tool"));
  expect(results).toContain("dispatched");
  expect(results).toContain("1 sub-agents are already working in the background (delegation.max_async_children)");
  await session.close("other");
});

test.each([
  [true, ["look", "remote"]],
  [false, ["look"]],
])("with inherited MCP tools %s a sub-agent for files has %j", async (inheritMcpTools, expected) => {
  const delegation = { ...testSettings.delegation, inheritMcpTools };
  const parts = [
    toolbox(
      delegating({ goal: "look", toolsets: ["file"] }),
      tool("look", { toolset: "file" }),
      tool("run", { toolset: "terminal" }),
      tool("remote", { toolset: "mcp-hub" }),
    ),
  ];
  const script = [{ calls: [{ name: "delegate_task" }] }, { text: "seen" }, { text: "done" }];
  await using home = await house({ script, parts, settings: { delegation } });
  await home.turn(await home.open(), "go");
  expect(home.model.requests[1]?.tools.map(({ name }) => name)).toEqual(expected);
});

test("a model of their own is theirs in the request and in the store", async () => {
  const other = scriptedModel([{ text: "seen" }], { id: "small", provider: "elsewhere" });
  const script = [{ calls: [{ name: "delegate_task" }] }, { text: "done" }];
  const childRoute = async () => routeOf(other);
  await using home = await house({ script, parts: [toolbox(delegating({ goal: "look" }))], ports: { childRoute } });
  await home.turn(await home.open(), "go");
  expect(other.requests).toHaveLength(1);
  const [child] = await home.store.list({ children: true, source: "subagent" });
  expect(child).toMatchObject({ model: "small", provider: "elsewhere" });
});
