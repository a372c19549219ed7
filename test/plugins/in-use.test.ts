import { expect, test } from "vitest";
import { say } from "../hooks/hook-fixture.ts";
import { sent } from "../program-fixture.ts";
import { type PluginHome, pluginHome, registering } from "./plugin-fixture.ts";

const call = (name: string, args: Readonly<Record<string, unknown>> = {}) => ({ calls: [{ name, args }] });

/** A plugin whose tool `do_it` is the given body; what it notes is in the home. */
const tool = (body: string, more = ""): string =>
  registering(`
  const { appendFileSync } = await import("node:fs");
  const note = (value: unknown): void => appendFileSync(\`\${context.home}/notes\`, \`\${JSON.stringify(value)}\\n\`);
  ${more}
  context.registerTool({
    name: "do_it",
    toolset: "home_assistant",
    schema: { name: "do_it", description: "Does it.", parameters: { type: "object", properties: {} } },
    handler: async (args, run) => { ${body} },
  });
`);

const notes = (home: PluginHome): readonly unknown[] =>
  home
    .read("~/.talaria/notes")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as unknown);

test("a plugin asks the host's model, whose calls no hook sees", async () => {
  const home = await pluginHome();
  home.plugin(
    "asker",
    tool(
      `const plain = await context.llm.complete([{ role: "user", content: "2 + 2?" }], { purpose: "sum", maxTokens: 5 });
       const made = await context.llm.completeStructured({
         instructions: "Count.", input: "a b", schemaName: "count",
         jsonSchema: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] },
       });
       const refused = await context.llm.complete([{ role: "user", content: "x" }], { model: "other" }).catch((error) => error.name + ": " + error.message);
       return { plain, parsed: made.parsed, type: made.contentType, refused };`,
      `context.registerHook("pre_api_request", () => note("asked"));`,
    ),
  );
  home.plugins("enabled: [asker]");
  const turn = await home.turn({ steps: [call("do_it"), say("4"), say('```json\n{"n": 2}\n```'), say("done")] });
  expect(turn.status, turn.stderr).toBe(0);
  const result = JSON.parse(turn.results[0] ?? "") as Record<string, unknown>;
  expect(result).toMatchObject({
    plain: { text: "4", provider: "custom", agentId: "default", audit: { pluginId: "asker", purpose: "sum" } },
    parsed: { n: 2 },
    type: "json",
  });
  expect(result["refused"]).toContain("PluginLlmTrustError");
  expect(result["refused"]).toContain("plugins.entries.asker.llm.allow_model_override");
  expect(notes(home)).toEqual(["asked", "asked"]);
  const { body } = home.server.requests.at(-2) ?? {};
  expect(body).toMatchObject({
    response_format: { type: "json_schema", json_schema: { name: "plugin_structured_output", strict: false } },
  });
  expect(home.log()).toContain("plugin asker asked custom/");
});

test("a task of a plugin is asked of the model that the configuration names for it", async () => {
  const home = await pluginHome();
  home.plugin(
    "asker",
    tool(
      `return (await context.llm.complete([{ role: "user", content: "hm" }], { task: "ranking" })).model;`,
      `context.registerAuxiliaryTask({ key: "ranking", displayName: "Ranking", description: "Ranks.", defaults: { model: "from-plugin", extra_body: { top_k: 3 } } });`,
    ),
  );
  home.plugins("enabled: [asker]");
  const models = async (env: Readonly<Record<string, string>> = {}) => {
    await home.turn({ steps: [call("do_it"), say("ranked"), say("done")], env });
    return (home.server.requests.at(-2)?.body as { readonly model: string } | undefined)?.model;
  };
  expect(await models()).toBe("from-plugin");
  expect(home.server.requests.at(-2)?.body).toMatchObject({ top_k: 3 });
  home.write(
    "~/.talaria/config.yaml",
    `${home.read("~/.talaria/config.yaml")}auxiliary:\n  ranking:\n    model: from-file\n`,
  );
  expect(await models()).toBe("from-file");
  expect(await models({ AUXILIARY_RANKING_MODEL: "from-environment" })).toBe("from-environment");
});

test("a tool that a plugin dispatches goes the whole way, hooks and permission included", async () => {
  const home = await pluginHome();
  home.plugin(
    "caller",
    tool(
      `return { read: JSON.parse(await context.dispatchTool("terminal", { command: "echo hello" })).output, no: await context.dispatchTool("nobody", {}), hard: await context.dispatchTool("terminal", { command: "rm -rf /" }) };`,
      `context.registerHook("pre_tool_call", async ({ toolName, toolCallId }) => {
        note(toolName);
        if (toolName === "do_it") note(JSON.parse(await context.dispatchTool("terminal", { command: "echo from-hook" })).output);
      });
      context.registerHook("post_tool_call", ({ toolName, toolCallId, status }) => toolName === "terminal" && note(toolCallId.split(":").slice(0, 2).join(":") + " " + status));`,
    ),
  );
  home.plugins("enabled: [caller]");
  const turn = await home.turn({ steps: [call("do_it"), say("done")] });
  const result = JSON.parse(turn.results.at(-1) ?? "") as Record<string, string>;
  expect(result["read"]?.trim()).toBe("hello");
  expect(JSON.parse(result["no"] ?? "").error).toContain("Unknown tool: nobody");
  expect(JSON.parse(result["hard"] ?? "").error).toBeTruthy();
  expect(notes(home)).toEqual([
    "do_it",
    "plugin:caller ok",
    expect.stringContaining("from-hook"),
    "terminal",
    "plugin:caller ok",
    "terminal",
    "plugin:caller blocked",
  ]);
});

test("a message that a plugin puts in reaches the running turn", async () => {
  const home = await pluginHome();
  home.plugin(
    "putter",
    tool(
      `return String(context.injectMessage("look at the sky", "observer"));`,
      `note(context.injectMessage("too early"));`,
    ),
  );
  home.plugins("enabled: [putter]");
  const turn = await home.turn({ steps: [call("do_it"), say("done")] });
  expect(turn.results).toEqual(["true"]);
  expect(JSON.stringify(home.server.requests.at(-1)?.body)).toContain("[observer] look at the sky");
  expect(notes(home)).toEqual([false]);
  expect(home.log()).toContain("injectMessage: no conversation is open");
});

test("the context engine that the configuration names makes room, and offers its tools", async () => {
  const home = await pluginHome();
  home.plugin(
    "sieve",
    registering(`
  const { appendFileSync } = await import("node:fs");
  const note = (value: unknown): void => appendFileSync(\`\${context.home}/notes\`, \`\${JSON.stringify(value)}\\n\`);
  context.registerContextEngine({
    name: "sieve",
    updateModel: ({ model, contextLength }) => note([model, contextLength > 0]),
    shouldCompress: () => true,
    compress: async (messages) => messages.length < 3 ? messages : [{ role: "user", content: "[sieved]" }, ...messages.slice(-2)],
    onSessionStart: () => note("start"),
    onSessionEnd: () => note("end"),
    updateFromResponse: (usage) => note(Object.keys(usage).includes("prompt_tokens")),
    toolSchemas: () => [{ type: "function", function: { name: "sieve_status", description: "Says how it is.", parameters: { type: "object", properties: {} } } }],
    handleToolCall: (name) => ({ name, fine: true }),
  });
`),
  );
  home.plugins("enabled: [sieve]");
  home.write("~/.talaria/config.yaml", `${home.read("~/.talaria/config.yaml")}context:\n  engine: sieve\n`);
  const turn = await home.turn({ steps: [call("sieve_status"), say("done")] });
  expect(turn.status, turn.stderr).toBe(0);
  expect(turn.results).toEqual(['{"name":"sieve_status","fine":true}']);
  const last = sent(home.server.requests.at(-1));
  expect(last.map(({ role }) => role)).toEqual(["system", "user", "assistant", "tool"]);
  expect(last[1]?.content).toBe("[sieved]");
  expect(notes(home)).toEqual(["start", ["test-model", true], true, true, "end"]);
});

const memory = `
  const { appendFileSync } = await import("node:fs");
  const note = (value: unknown): void => appendFileSync(\`\${context.home}/notes\`, \`\${JSON.stringify(value)}\\n\`);
  context.registerMemoryProvider({
    name: "attic",
    initialize: (sessionId, options) => note(["initialize", options.platform, options.agentContext]),
    systemPromptBlock: async () => "You have an attic.",
    onTurnStart: (number, message) => note(["turn", number, message]),
    prefetch: async (query) => "the attic says: " + query,
    queuePrefetch: (query) => note(["queue", query]),
    onDelegation: (task, result) => note(["delegated", task, result]),
    syncTurn: async (user, assistant) => note(["sync", user, assistant]),
    toolSchemas: () => [{ name: "attic_find", description: "Looks.", parameters: { type: "object", properties: {} } }],
    handleToolCall: async (name, args) => ({ found: name }),
    onSessionEnd: () => note("end"),
    shutdown: () => note("shutdown"),
  });
`;

test("long-term memory: a prompt section, what it recalls, its tools, and the turn that it is told", async () => {
  const home = await pluginHome();
  home.plugin("attic", registering(memory), { manifest: "name: attic\nkind: exclusive\n" });
  home.write("~/.talaria/config.yaml", `${home.read("~/.talaria/config.yaml")}memory:\n  provider: attic\n`);
  const turn = await home.turn({ steps: [call("attic_find"), say("found it")], prompt: "where is the lamp?" });
  expect(turn.status, turn.stderr).toBe(0);
  expect(turn.results).toEqual(['{"found":"attic_find"}']);
  expect(turn.sent).toContain("You have an attic.");
  expect(turn.sent).toContain("the attic says: where is the lamp?");
  expect(notes(home)).toEqual([
    ["initialize", "run", "primary"],
    ["turn", 1, "where is the lamp?"],
    ["sync", "where is the lamp?", "found it"],
    ["queue", "where is the lamp?"],
    "end",
    "shutdown",
  ]);
});

test("a memory that fails everywhere costs the turn nothing", async () => {
  const home = await pluginHome();
  home.plugin(
    "attic",
    registering(`
  const fail = () => { throw new Error("the roof leaks"); };
  context.registerMemoryProvider({ name: "attic", initialize: () => undefined, systemPromptBlock: fail, prefetch: fail, syncTurn: fail, toolSchemas: fail, onSessionEnd: fail, shutdown: fail });`),
    { manifest: "name: attic\nkind: exclusive\n" },
  );
  home.write("~/.talaria/config.yaml", `${home.read("~/.talaria/config.yaml")}memory:\n  provider: attic\n`);
  const turn = await home.turn();
  expect(turn.status, turn.stderr).toBe(0);
  for (const what of ["systemPromptBlock", "prefetch", "syncTurn", "onSessionEnd", "shutdown"])
    expect(home.log()).toContain(`${what} of the memory 'attic' failed: the roof leaks`);
});

test("names that no plugin has registered are told, and the program does without", async () => {
  const home = await pluginHome();
  home.plugin("quiet", registering(""));
  home.plugins("enabled: [quiet]");
  const more = "context:\n  engine: nosuch\nmemory:\n  provider: nosuch\n";
  home.write("~/.talaria/config.yaml", `${home.read("~/.talaria/config.yaml")}${more}`);
  const turn = await home.turn();
  expect(turn.status, turn.stderr).toBe(0);
  expect(home.log()).toContain("context.engine: no plugin has registered 'nosuch'");
  expect(home.log()).toContain("memory.provider: no plugin has registered 'nosuch'");
});
