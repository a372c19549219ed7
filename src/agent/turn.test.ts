import { describe, expect, test } from "vitest";
import { house, listener, results, tool, toolbox } from "./agent-fixture.ts";

describe("a turn", () => {
  test("answers with text, and the conversation is stored", async () => {
    await using home = await house({ script: [{ text: "Two files." }], parts: [toolbox()] });
    const session = await home.open();
    const result = await home.turn(session, "List the files.");
    expect(result).toMatchObject({ outcome: "completed", text: "Two files.", iterations: 1, exitReason: "answer" });
    const stored = await home.messages(session.id);
    expect(stored.map(({ message }) => [message.role, message.content])).toEqual([
      ["user", "List the files."],
      ["assistant", "Two files."],
    ]);
    expect(home.model.requests[0]?.system).toBe("You are a test agent.");
  });

  test("runs tool calls and tells the model their results", async () => {
    await using home = await house({
      script: [{ text: "Looking.", calls: [{ name: "look", args: { path: "a" } }] }, { text: "Seen." }],
      parts: [toolbox(tool("look"))],
    });
    const session = await home.open();
    const result = await home.turn(session, "Look at a.");
    expect(result).toMatchObject({ outcome: "completed", text: "Seen.", iterations: 2 });
    expect(home.model.requests[1]?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
    expect(results(await home.messages(session.id))).toEqual(['look: {"done":"look","path":"a"}']);
  });

  test("fires its events in the documented order", async () => {
    const events: string[] = [];
    await using home = await house({
      script: [{ calls: [{ name: "look", args: { path: "a" } }] }, { text: "Seen." }, { text: "Again." }],
      parts: [toolbox(tool("look")), listener(events)],
    });
    const session = await home.open();
    await home.turn(session, "Look at a.");
    const call = ["model_call", "llm_request", "pre_api_request", "llm_execution", "post_api_request"];
    expect(events).toEqual([
      "session_start",
      "on_session_start",
      "pre_llm_call",
      "before_agent",
      "before_input",
      ...call,
      "tool_request",
      "pre_tool_call",
      "permit",
      "tool_execution",
      "transform_tool_result",
      "post_tool_call",
      "post_tool_batch",
      ...call,
      "message_display",
      "stop",
      "after_agent",
      "transform_llm_output",
      "post_llm_call",
      "on_session_end",
    ]);
    events.length = 0;
    await home.turn(session, "And again.");
    expect(events.slice(0, 2)).toEqual(["pre_llm_call", "before_agent"]);
    expect(home.logs.filter((line) => line.includes("failed"))).toEqual([]);
  });
});
