import { join } from "node:path";
import { ensureDirectory, exists, writeAtomic } from "#host";

export type ScaffoldLanguage = "typescript" | "python";

/** Writes a new plugin with a tool, a hook, a slash command and a test into a folder that is not there yet; gives its files. */
export async function createPlugin(
  folder: string,
  { name, language }: { readonly name: string; readonly language: ScaffoldLanguage },
): Promise<readonly string[]> {
  if (!/^[a-z0-9][a-z0-9_-]*$/i.test(name))
    throw new Error(`a plugin cannot be called '${name}': letters, digits, - and _ make a name`);
  if (await exists(folder)) throw new Error(`${folder} is there already: choose another name`);
  const files = language === "python" ? pythonFiles(name) : typescriptFiles(name);
  await ensureDirectory(folder);
  for (const [path, text] of Object.entries(files)) await writeAtomic(join(folder, path), text);
  return Object.keys(files);
}

const identifier = (name: string): string => name.toLowerCase().replaceAll("-", "_");

const manifest = (name: string): string => `name: ${name}
version: 0.1.0
description: Greets people.
provides_tools:
  - ${identifier(name)}_greet
provides_hooks:
  - post_tool_call
`;

const readme = (name: string, test: string): string => `# ${name}

A plugin for Talaria. It gives the model a tool, \`${identifier(name)}_greet\`, counts the tool calls of a session, and answers
\`/${name.toLowerCase()}\` in the chat.

    talaria plugins test .                     # try it by itself, with ${test}
    talaria plugins install . --enable         # copy it into Talaria's home and use it
    talaria plugins info ${name}
${test.endsWith(".ts") ? "\nWith talaria installed beside it (`npm install --no-save talaria`), `node --test` runs the test, too.\n" : ""}`;

const typescriptFiles = (name: string): Readonly<Record<string, string>> => ({
  "plugin.yaml": manifest(name),
  "index.ts": `import { definePlugin } from "talaria/plugin";
import { greet } from "./greeting.ts";

export default definePlugin((ctx) => {
  let calls = 0;

  ctx.registerTool({
    name: "${identifier(name)}_greet",
    toolset: "${name}",
    schema: {
      description: "Greets a person by name.",
      parameters: {
        type: "object",
        properties: { name: { type: "string", description: "Whom to greet." } },
        required: ["name"],
      },
    },
    handler: ({ name }) => greet(String(name)),
    readOnly: true,
  });

  ctx.registerHook("post_tool_call", ({ toolName }) => {
    calls += 1;
    ctx.log.debug(\`call \${calls}: \${toolName}\`);
  });

  ctx.registerCommand({
    name: "${name.toLowerCase()}",
    description: "Say how many tools were called.",
    handler: () => \`\${calls} tool calls so far\`,
  });
});
`,
  "greeting.ts": `export const greet = (name: string): string => \`Hello, \${name.trim() || "stranger"}!\`;
`,
  "index.test.ts": `import assert from "node:assert/strict";
import { after, test } from "node:test";
import { pluginTester } from "talaria/testing";

const plugin = await pluginTester(import.meta.dirname);
after(() => plugin.close());

test("the tool greets people by name, and who has none as a stranger", async () => {
  assert.equal(await plugin.callTool("${identifier(name)}_greet", { name: " Ada " }), "Hello, Ada!");
  assert.equal(await plugin.callTool("${identifier(name)}_greet", { name: "  " }), "Hello, stranger!");
});

test("/${name.toLowerCase()} says how many tools were called", async () => {
  await plugin.fire("post_tool_call", { toolName: "read_file" });
  assert.equal(await plugin.slash("/${name.toLowerCase()}"), "1 tool calls so far");
});
`,
  "README.md": readme(name, "index.test.ts"),
});

const pythonFiles = (name: string): Readonly<Record<string, string>> => ({
  "plugin.yaml": manifest(name),
  "__init__.py": `"""Greets people."""

from .greeting import greet

SCHEMA = {
    "name": "${identifier(name)}_greet",
    "description": "Greets a person by name.",
    "parameters": {
        "type": "object",
        "properties": {"name": {"type": "string", "description": "Whom to greet."}},
        "required": ["name"],
    },
}


def register(ctx):
    calls = []

    def handle_greet(args, **kwargs):
        return greet(str(args.get("name", "")))

    def count(tool_name="", **kwargs):
        calls.append(tool_name)

    ctx.register_tool(name="${identifier(name)}_greet", toolset="${name}", schema=SCHEMA, handler=handle_greet)
    ctx.register_hook("post_tool_call", count)
    ctx.register_command(
        "${name.toLowerCase()}",
        handler=lambda raw_args: f"{len(calls)} tool calls so far",
        description="Say how many tools were called.",
    )
`,
  "greeting.py": `def greet(name):
    return f"Hello, {name.strip() or 'stranger'}!"
`,
  "test_greeting.py": `import unittest

from greeting import greet


class GreetingTest(unittest.TestCase):
    def test_people_are_greeted_by_name(self):
        self.assertEqual(greet(" Ada "), "Hello, Ada!")

    def test_who_has_no_name_is_a_stranger(self):
        self.assertEqual(greet("  "), "Hello, stranger!")


if __name__ == "__main__":
    unittest.main()
`,
  "README.md": readme(name, "test_greeting.py"),
});
