import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { folder, run } from "../program-fixture.ts";

function hooks(files: Readonly<Record<string, string>>): {
  home: string;
  emit: (...words: string[]) => ReturnType<typeof run>;
} {
  const home = folder();
  for (const [path, text] of Object.entries(files)) {
    const full = join(home, ".talaria", "hooks", path);
    mkdirSync(dirname(full), { recursive: true });
    writeFileSync(full, text);
  }
  return { home, emit: (...words) => run(["hooks", "emit", ...words], { home }) };
}

test("handlers in TypeScript and Python are fired by hand: what ran, what they decided, what failed", async () => {
  const here = hooks({
    "a/HOOK.yaml": "name: judge\nevents: ['command:*']\n",
    "a/handler.ts": `import type { PluginTool } from "talaria/plugin";
      interface Context { command: string; }
      export async function handle(event: string, { command }: Context): Promise<object | undefined> {
        return command === "rm" ? { decision: "deny" } : undefined;
      }`,
    "b/HOOK.yaml": "name: log\nevents: [command:rm, agent:end]\n",
    "b/handler.py":
      "import pathlib\n\nasync def handle(event_type, context):\n    with open(pathlib.Path(__file__).parent / 'seen', 'a') as f:\n        f.write(event_type + ' ' + context['command'] + '\\n')\n",
  });
  const ran = await here.emit("command:rm", "--json");
  expect(ran.status).toBe(0);
  expect(JSON.parse(ran.stdout)).toMatchObject({
    context: { command: "rm", raw_command: "rm" },
    handlers: [
      { hook: "log", error: null, decision: null },
      { hook: "judge", decision: { decision: "deny", message: "Command `/rm` was blocked by a hook." } },
    ],
    decision: { decision: "deny" },
    problems: [],
  });
  expect(readFileSync(join(here.home, ".talaria/hooks/b/seen"), "utf8")).toBe("command:rm rm\n");
  const failing = await here.emit("agent:end", "--context", '{"platform": "telegram"}');
  expect(failing).toMatchObject({ status: 1 });
  expect(failing.stdout).toContain("✗ log: ");
  const log = readFileSync(join(here.home, ".talaria/logs/agent.log"), "utf8");
  expect(log).toContain("[hooks] Error in handler for 'agent:end': ");
});

test("an event that nobody hears of, one that is misspelt, and contexts that are none", async () => {
  const here = hooks({});
  expect(await here.emit("agent:end")).toMatchObject({
    status: 0,
    stdout: "No hook hears of agent:end (0 hooks are loaded).\n",
  });
  expect(await here.emit("agent:edn")).toMatchObject({
    status: 1,
    stdout: "No event is called agent:edn; did you mean agent:end?\n",
  });
  expect(await here.emit("agent:end", "--context", "{")).toMatchObject({ status: 2 });
  expect(await here.emit("agent:end", "--context", "[]")).toMatchObject({ status: 2 });
  expect(await here.emit("agent:end", "--context-file", "nowhere.json")).toMatchObject({ status: 1 });
});

test("nothing but the gateway loads them", async () => {
  const here = hooks({
    "a/HOOK.yaml": "events: [agent:start, agent:end, session:start, gateway:startup]\n",
    "a/handler.mjs":
      "import { writeFileSync } from 'node:fs'; writeFileSync(new URL('loaded', import.meta.url), ''); export const handle = () => {};",
  });
  await run(["run", "hello"], { home: here.home });
  expect(() => readFileSync(join(here.home, ".talaria/hooks/a/loaded"))).toThrow("ENOENT");
  await here.emit("agent:start");
  expect(readFileSync(join(here.home, ".talaria/hooks/a/loaded"), "utf8")).toBe("");
});
