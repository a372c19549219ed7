import { describe, expect, test } from "vitest";
import { house, testSettings, tool, toolbox } from "./agent-fixture.ts";
import { offeredTools } from "./toolset.ts";

const sets = ["terminal", "file", "todo", "clarify", "delegation", "web", "mcp-git", "mcp-web-search", "of-a-plugin"];
const offered = (names: readonly string[], disabled: readonly string[] = []) =>
  sets.filter((toolset) => offeredTools(names, disabled)({ toolset }));

describe("toolsets", () => {
  test.each([
    [["hermes-cli"], [], sets],
    [["all"], [], sets],
    [["hermes-telegram"], [], sets],
    [["file"], [], ["file", "mcp-git", "mcp-web-search"]],
    [["debugging"], [], ["terminal", "file", "web", "mcp-git", "mcp-web-search"]],
    [["safe", "of-a-plugin"], [], ["web", "mcp-git", "mcp-web-search", "of-a-plugin"]],
    [["hermes-webhook", "no_mcp"], [], ["clarify", "web"]],
    [["hermes-cli", "no_mcp"], ["terminal"], ["file", "todo", "clarify", "delegation", "web", "of-a-plugin"]],
    [["hermes-cli"], ["debugging", "mcp-git"], ["todo", "clarify", "delegation", "mcp-web-search", "of-a-plugin"]],
    [["file"], ["git"], ["file", "mcp-web-search"]],
    [[], [], ["mcp-git", "mcp-web-search"]],
  ])("%j without %j", (names, disabled, expected) => {
    expect(offered(names, disabled)).toEqual(expected);
  });

  test("what is not offered is neither listed nor run", async () => {
    const run = async () => "ran";
    const parts = [toolbox(tool("cut", { toolset: "terminal", run }), tool("look", { toolset: "file" }))];
    const settings = { allows: offeredTools(["hermes-cli"], ["terminal"]) };
    const script = [{ calls: [{ name: "cut" }] }, { text: "I see." }];
    await using home = await house({ script, parts, settings });
    const session = await home.open();
    await home.turn(session, "cut");
    expect(session.tools().map(({ name }) => name)).toEqual(["look"]);
    expect(home.model.requests[0]?.tools.map(({ name }) => name)).toEqual(["look"]);
    const results = (await home.store.messages(session.id)).filter(({ message }) => message.role === "tool");
    expect(JSON.stringify(results)).not.toContain("ran");
  });
});

describe("settings of requests", () => {
  const settings = {
    request: { maxOutputTokens: 321, temperature: 0.2 },
    reasoningEffort: "high",
    systemPrompt: "Answer in rhymes.\n",
  } as const;

  test("stand in every request, the system prompt's end not in the store, and the effort may change between calls", async () => {
    await using home = await house({ script: [{ text: "one" }, { text: "two" }, { text: "three" }], settings });
    const session = await home.open();
    await home.turn(session, "first");
    session.reasoningEffort = "none";
    await home.turn(session, "second");
    session.reasoningEffort = undefined;
    await home.turn(session, "third");
    const sent = home.model.requests;
    expect(sent.map(({ reasoningEffort }) => reasoningEffort)).toEqual(["high", "none", undefined]);
    for (const request of sent) {
      expect(request).toMatchObject({ maxOutputTokens: 321, temperature: 0.2 });
      expect(request.system.endsWith("\n\nAnswer in rhymes.")).toBe(true);
    }
    expect((await home.store.find(session.id))?.systemPrompt).not.toContain("rhymes");
  });

  test("a sub-agent thinks as its own setting says, and knows nothing of the prompt's end", async () => {
    const delegate = tool("delegate_task", {
      toolset: "delegation",
      run: async (_args, { context, callId, signal }) =>
        JSON.stringify(await context.delegate([{ goal: "look" }], { callId, signal })),
    });
    const delegation = { ...testSettings.delegation, reasoningEffort: "low" as const };
    const script = [{ calls: [{ name: "delegate_task" }] }, { text: "seen" }, { text: "done" }];
    await using home = await house({ script, parts: [toolbox(delegate)], settings: { ...settings, delegation } });
    await home.turn(await home.open(), "go");
    const [parent, child] = home.model.requests;
    expect([parent?.reasoningEffort, child?.reasoningEffort]).toEqual(["high", "low"]);
    expect(child?.system).toContain("You are a sub-agent");
    expect(child?.system).not.toContain("rhymes");
  });
});
