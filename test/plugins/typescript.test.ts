import { expect, test } from "vitest";
import { say } from "../hooks/hook-fixture.ts";
import { pluginHome, registering } from "./plugin-fixture.ts";

const call = (name: string, args: Readonly<Record<string, unknown>>) => ({ calls: [{ name, args }] });

test("a plugin in the home gives the model a tool, and has its hooks and middleware fire", async () => {
  const home = await pluginHome();
  home.plugin(
    "weather",
    registering(`
  const { appendFileSync } = await import("node:fs");
  const note = (line: string): void => appendFileSync(\`\${context.home}/notes\`, \`\${line}\\n\`);
  context.registerTool({
    name: "weather",
    toolset: "weather",
    schema: { name: "weather", description: "Tells the weather.", parameters: { type: "object", properties: { city: { type: "string" } } } },
    handler: (args) => ({ city: args.city, sky: "clear" }),
  });
  context.registerHook("pre_llm_call", () => ({ context: "the sun is up" }));
  context.registerHook("pre_tool_call", ({ toolName }) => note(\`judged \${toolName}\`));
  context.registerHook("post_tool_call", ({ toolName, status }) => note(\`done \${toolName} \${status}\`));
  context.registerMiddleware("tool_request", ({ args }) => ({ args: { ...args, city: "Rome" } }));
  context.registerMiddleware("tool_execution", async (payload, next) => {
    const result = await next();
    return JSON.stringify({ wrapped: JSON.parse(String(result)) });
  });
  context.registerMiddleware("llm_request", ({ request }) => ({ request: { ...request, temperature: 0.25 } }));
  context.registerMiddleware("llm_execution", async (payload, next) => next());
`),
  );
  home.plugins("enabled: [weather]");
  const turn = await home.turn({ steps: [call("weather", { city: "Oslo" }), say("done")] });
  expect(turn.status, turn.stderr).toBe(0);
  expect(turn.results).toEqual(['{"wrapped":{"city":"Rome","sky":"clear"}}']);
  expect(turn.sent).toContain("the sun is up");
  expect(turn.sent).toContain('"temperature":0.25');
  expect(home.read("~/.talaria/notes")).toBe("judged weather\ndone weather ok\n");
});

test("a plugin that is not enabled does nothing", async () => {
  const home = await pluginHome();
  home.plugin("quiet", registering(`context.registerHook("pre_llm_call", () => ({ context: "heard" }));`));
  const turn = await home.turn();
  expect(turn.sent).not.toContain("heard");
});
