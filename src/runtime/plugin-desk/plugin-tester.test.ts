import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { definePlugin, type PluginContext } from "../../plugin.ts";
import { type PluginTester, pluginTester, type TesterOptions } from "../../testing.ts";

async function testing(
  register: (context: PluginContext) => void | Promise<void>,
  options?: TesterOptions,
): Promise<PluginTester> {
  const tester = await pluginTester(definePlugin(register), options);
  onTestFinished(() => tester.close().catch(() => undefined));
  return tester;
}

test("hooks are fired over an example of their payload, and answer as in the loop", async () => {
  const seen: unknown[] = [];
  const tester = await testing((context) => {
    context.registerHook("pre_tool_call", ({ toolName, args }) => {
      seen.push(toolName, args);
      return toolName === "terminal" ? { action: "block", message: "not here" } : undefined;
    });
    context.registerHook("pre_llm_call", () => ({ context: "remember this" }));
  });
  expect(await tester.fire("pre_tool_call", { toolName: "terminal", args: { command: "ls" } })).toMatchObject({
    verdict: { decision: "deny", reason: "not here" },
  });
  expect(seen).toEqual(["terminal", { command: "ls" }]);
  expect(await tester.fire("pre_llm_call")).toMatchObject({ context: ["remember this"] });
  expect(tester.report).toMatchObject({ name: "plugin", hooks: ["pre_tool_call", "pre_llm_call"] });
});

test("what a callback throws is the test's error, and a name that nothing fires is told", async () => {
  const tester = await testing((context) => {
    context.registerHook("post_tool_call", () => {
      throw new Error("it broke");
    });
  });
  await expect(tester.fire("post_tool_call")).rejects.toThrow("it broke");
  await expect(tester.fire("no_such_event")).rejects.toThrow("nothing fires 'no_such_event'");
});

test("middleware wraps what the test puts inside, with what it changes", async () => {
  const tester = await testing((context) => {
    context.registerMiddleware("tool_execution", async (payload, next) => {
      const inner = await next({ ...payload, args: { command: "ls -la" } });
      return `<${typeof inner === "string" ? inner : inner.content}>`;
    });
    context.registerMiddleware("tool_request", ({ args }) => ({ args: { ...(args as object), extra: 1 } }));
    context.registerMiddleware("llm_execution", (_payload, next) => next());
  });
  const inside: unknown[] = [];
  const ran = await tester.wrap("tool_execution", {}, ({ args }) => {
    inside.push(args);
    return "two files";
  });
  expect([ran, inside]).toEqual(["<two files>", [{ command: "ls -la" }]]);
  expect(await tester.wrap("tool_request", { args: { a: 1 } })).toMatchObject({ args: { a: 1, extra: 1 } });
  expect(await tester.wrap("llm_execution")).toMatchObject({ message: { content: "An answer." } });
});

test("tools, commands, the model, other tools and the conversation are in the test's hands", async () => {
  const tester = await testing(
    (context) => {
      context.registerTool({
        name: "ask",
        toolset: "x",
        schema: { description: "asks", parameters: { type: "object" } },
        handler: async ({ question }) => {
          const { text } = await context.llm.complete([{ role: "user", content: String(question) }]);
          const file = await context.dispatchTool("read_file", { path: "a.txt" });
          return `${text} / ${file} / ${context.config["tone"]}`;
        },
      });
      context.registerCommand({
        name: "say",
        handler: (words) => (context.injectMessage(words) ? `said ${words}` : "nobody listens"),
      });
      context.registerCliCommand({
        name: "count",
        help: "counts",
        handler: ({ arguments: [first], print }) => {
          print(`${first} things`);
          return 3;
        },
      });
      context.log.warning("it is registered");
    },
    {
      model: [{ text: "forty-two" }],
      tools: { read_file: ({ path }) => `content of ${path}` },
      config: { tone: "calm" },
      manifest: { name: "asker", version: "2.0.0" },
    },
  );
  expect(await tester.callTool("ask", { question: "how many?" })).toBe("forty-two / content of a.txt / calm");
  expect(JSON.stringify(tester.model.requests)).toContain("how many?");
  expect(await tester.slash("/say hello  you")).toBe("said hello  you");
  expect(tester.injected).toEqual(["hello  you"]);
  expect(await tester.cli("count", { words: ["12"] })).toEqual({ status: 3, stdout: "12 things\n", stderr: "" });
  expect(tester.log).toContainEqual({ level: "warning", message: "plugin asker: it is registered" });
  expect(tester.report).toMatchObject({ key: "asker", version: "2.0.0", tools: ["ask"], others: ["cli:count"] });
  expect(tester.registered("tool").map(({ name }) => name)).toEqual(["ask"]);
  await expect(tester.slash("/nothing")).rejects.toThrow("no slash command /nothing");
});

test("the end takes everything back and removes the home", async () => {
  let undone = false;
  const tester = await testing((context) => {
    context.onUnload(() => {
      undone = true;
    });
  });
  expect(existsSync(tester.home)).toBe(true);
  await tester.close();
  expect([existsSync(tester.home), undone]).toEqual([false, true]);
});

test("a plugin that cannot be loaded says why, and leaves no home behind", async () => {
  const register = (): void => {
    throw new Error("no luck today");
  };
  await expect(pluginTester({ register })).rejects.toThrow("the plugin plugin is not loaded: no luck today");
});

test("a folder is loaded as the program does it, and anew after an edit", async () => {
  const folder = join(mkdtempSync(join(tmpdir(), "tester-")), "greeter");
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(folder, { recursive: true });
  const write = (greeting: string): void =>
    writeFileSync(
      join(folder, "index.mjs"),
      `export const register = (context) => context.registerCommand({ name: "greet", handler: () => "${greeting}" });\n`,
    );
  writeFileSync(join(folder, "plugin.yaml"), "name: greeter\n");
  write("hello");
  const tester = await pluginTester(folder);
  expect(await tester.slash("greet")).toBe("hello");
  write("good day");
  await tester.reload();
  expect(await tester.slash("greet")).toBe("good day");
  await tester.close();
});
