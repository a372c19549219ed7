import { expect, test } from "vitest";
import { say } from "../hooks/hook-fixture.ts";
import { type PluginHome, pluginHome, registering } from "./plugin-fixture.ts";

const call = (name: string, args: Readonly<Record<string, unknown>> = {}) => ({ calls: [{ name, args }] });
const alone = (name: string): { readonly manifest: string } => ({ manifest: `name: ${name}\nisolate: true\n` });
const tool = (name: string, handler: string): string =>
  `context.registerTool({ name: "${name}", toolset: "${name}", schema: { description: "x", parameters: { type: "object" } }, handler: ${handler} });`;

async function homeWith(name: string, body: string): Promise<PluginHome> {
  const home = await pluginHome();
  home.plugin(name, registering(body), alone(name));
  home.plugins(`enabled: [${name}]`);
  return home;
}

test("an isolated plugin has a process of its own, and its tools, hooks, middleware and model work as in this one", async () => {
  const home = await homeWith(
    "apart",
    `${tool(
      "where",
      `async (args, run) => {
      const { text } = await context.llm.complete([{ role: "user", content: "what is it?" }]);
      const listing = await context.dispatchTool("todo", {});
      return { pid: process.pid, args, session: run.sessionId !== "", text, listing };
    }`,
    )}
    context.registerHook("pre_llm_call", ({ userMessage }) => ({ context: "apart heard " + userMessage }));
    context.registerHook("pre_tool_call", ({ toolName }) => toolName === "read_file" ? { action: "block", message: "apart says no" } : undefined);
    context.registerMiddleware("tool_execution", async (payload, next) => {
      const inner = await next();
      return payload.toolName === "where" ? "<" + (typeof inner === "string" ? inner : inner.content) + ">" : inner;
    });`,
  );
  const steps = [call("where", { a: [1, "b"] }), { text: "an answer" }, call("read_file", { path: "a" }), say("done")];
  const turn = await home.turn({ steps, prompt: "hello there" });
  expect(turn.status, turn.stderr).toBe(0);
  expect(turn.sent).toContain("apart heard hello there");
  const wrapped = turn.results.find((result) => result.startsWith("<")) ?? "";
  expect(wrapped).toMatch(/^<\{.*\}>$/);
  const answer = JSON.parse(wrapped.slice(1, -1)) as Readonly<Record<string, unknown>>;
  expect(answer).toMatchObject({ args: { a: [1, "b"] }, session: true, text: "an answer" });
  expect(answer["listing"]).toContain("todos");
  expect(turn.sent).toContain("apart says no");
});

test.each([
  ["ends the process", "process.exit(7)", /the process of the plugin rough ended with exit code 7/],
  ["breaks the process", "process.abort()", /the process of the plugin rough was ended by SIGABRT/],
  ["throws", `{ throw new Error("hook broke"); }`, /Hook 'pre_llm_call' callback \S+ raised: hook broke/],
])("a hook that %s costs the turn nothing, and the plugin goes on", async (_, body, told) => {
  const home = await homeWith(
    "rough",
    `context.registerHook("pre_llm_call", () => ${body}); ${tool("calm", `() => "it runs in " + process.pid`)}`,
  );
  const turn = await home.turn({ steps: [call("calm"), say("done")] });
  expect(turn.status, turn.stderr).toBe(0);
  expect(turn.results[0]).toMatch(/it runs in \d+/);
  expect(home.log()).toMatch(told);
});

test("a hook that spins for ever is left at its time limit, its process is replaced, and the plugin goes on", async () => {
  const home = await homeWith(
    "spin",
    `context.registerHook("pre_llm_call", () => { for (;;) {} }, { timeoutSeconds: 1 }); ${tool("calm", `() => "alive"`)}`,
  );
  const turn = await home.turn({ steps: [call("calm"), say("done")] });
  expect(turn.status, turn.stderr).toBe(0);
  expect(home.log()).toMatch(/Hook 'pre_llm_call'|pre_llm_call.*time/);
  expect(turn.results).toHaveLength(1);
});

test("what an isolated plugin prints never gets among the lines of --json, whatever it writes to", async () => {
  const home = await homeWith(
    "loud",
    `const { writeSync } = await import("node:fs");
    context.registerHook("pre_llm_call", () => { console.log("by console"); writeSync(1, "by descriptor\\n"); process.stderr.write("by stderr\\n"); });`,
  );
  const turn = await home.turn();
  expect(turn.status, turn.stderr).toBe(0);
  expect(turn.stdout.split("\n").filter((line) => line !== "" && !line.startsWith("{"))).toEqual([]);
  for (const how of ["console", "descriptor", "stderr"]) expect(home.log()).toContain(`plugin loud printed: by ${how}`);
});

test.each([
  ["throws at its import", `throw new Error("import-broke");`, /import-broke/],
  [
    "throws in register",
    registering(`${tool("half", `() => ""`)} throw new Error("register-broke");`),
    /register-broke/,
  ],
  ["ends while it is loaded", "process.exit(3);", /ended with exit code 3/],
  ["registers nonsense", registering(`context.registerTool({ name: 5 });`), /registerTool/],
  [
    "registers a platform",
    registering("context.registerPlatform({});"),
    /registerPlatform cannot work in an isolated plugin/,
  ],
])("an isolated plugin that %s is named with the reason, and leaves nothing", async (_, source, why) => {
  const home = await pluginHome();
  home.plugin("bad", source, alone("bad"));
  home.plugins("enabled: [bad]");
  const turn = await home.turn();
  expect(turn.status, turn.stderr).toBe(0);
  expect(turn.notices.join("\n")).toMatch(/plugin bad is not loaded: /);
  expect(turn.notices.join("\n")).toMatch(why);
  expect(turn.sent).not.toContain('"name":"half"');
});

test("the person decides: plugins.entries.<key>.isolate goes over the manifest", async () => {
  const home = await pluginHome();
  const body = `context.registerHook("pre_llm_call", () => process.exit(9));`;
  home.plugin("free", registering(body));
  home.plugins("enabled: [free]\nentries:\n  free:\n    isolate: true");
  expect((await home.turn()).status).toBe(0);
  expect(home.log()).toContain("the process of the plugin free ended with exit code 9");
});
