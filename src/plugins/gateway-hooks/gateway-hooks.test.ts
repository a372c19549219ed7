import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { type GatewayHooks, gatewayHooks } from "./gateway-hooks.ts";
import { moduleHandlers } from "./handler.ts";

interface Written {
  readonly manifest?: string;
  readonly code?: string;
  readonly file?: string;
}
const remembered: { event: string; context: Record<string, unknown>; by: string }[] = [];
Object.assign(globalThis, { gatewayHookTest: remembered });
const remembering = (by: string, rest = ""): string =>
  `export async function handle(event, context) { globalThis.gatewayHookTest.push({ event, context, by: ${JSON.stringify(by)} }); ${rest} }\n`;

function root(hooks: Readonly<Record<string, Written>>): string {
  const made = mkdtempSync(join(tmpdir(), "gateway-hooks-"));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  for (const [name, { manifest, code = remembering(name), file = "handler.mjs" }] of Object.entries(hooks)) {
    mkdirSync(join(made, name));
    if (manifest !== undefined) writeFileSync(join(made, name, "HOOK.yaml"), manifest);
    if (file !== "") writeFileSync(join(made, name, file), code);
  }
  return made;
}

async function opened(...roots: string[]): Promise<{ hooks: GatewayHooks; lines: string[] }> {
  remembered.length = 0;
  const lines: string[] = [];
  const typescript = moduleHandlers((file) => import(/* @vite-ignore */ pathToFileURL(file).href));
  const python = async () => {
    throw new Error("no Python here");
  };
  const hooks = await gatewayHooks({
    roots,
    loaders: { typescript, python },
    log: (level, line) => void (level !== "info" && lines.push(line)),
  });
  return { hooks, lines };
}

test.each<[string, Written, string | undefined]>([
  ["an empty manifest", { manifest: "" }, "[hooks] Skipping one: invalid HOOK.yaml"],
  ["a list", { manifest: "- agent:start\n" }, "[hooks] Skipping one: invalid HOOK.yaml"],
  ["no YAML", { manifest: "events: [agent:start\nname: {" }, "[hooks] Skipping one: invalid HOOK.yaml: line"],
  ["no events", { manifest: "name: other\n" }, "[hooks] Skipping one: no events declared"],
  ["an empty list of events", { manifest: "events: []\n" }, "[hooks] Skipping one: no events declared"],
  [
    "events as text",
    { manifest: "events: agent:start\n" },
    "[hooks] Skipping one: events must be a list; write: events: [agent:start]",
  ],
  ["events as a mapping", { manifest: "events: {a: 1}\n" }, "[hooks] Skipping one: events must be a list"],
  ["events that are numbers", { manifest: "events: [1, 2]\n" }, "[hooks] Skipping one: an event must be text, not 1"],
  [
    "a handler that throws",
    { manifest: "events: [agent:start]\n", code: "throw new Error('at import')" },
    "[hooks] Error loading hook one: at import",
  ],
  [
    "no handle",
    { manifest: "events: [agent:start]\n", code: "export const x = 1" },
    "[hooks] Skipping one: no 'handle' function found in",
  ],
  ["no manifest", {}, undefined],
  ["no handler", { manifest: "events: [agent:start]\n", file: "" }, undefined],
  ["a manifest of another name", { code: "", file: "HOOK.yml" }, undefined],
])("a folder with %s is left out, the others are loaded", async (_, written, problem) => {
  const { hooks, lines } = await opened(root({ one: written, two: { manifest: "events: [agent:end]\n" } }));
  expect(hooks.hooks.map(({ name }) => name)).toEqual(["two"]);
  expect(hooks.problems).toEqual(lines);
  if (problem === undefined) expect(lines).toEqual([]);
  else expect(lines[0]).toContain(problem);
});

test("no hooks folder is no problem", async () => {
  const { hooks } = await opened(join(root({}), "missing"));
  expect([hooks.hooks, hooks.problems]).toEqual([[], []]);
});

test("keys of others are ignored; a name that nothing fires is kept and told of", async () => {
  const manifest =
    "name: card\nversion: 2\nauthor: Ada\nplatforms: [feishu]\nevents: [agent:start, agent:interim, 'x:*', '*', agent:start]\n";
  const { hooks, lines } = await opened(root({ folder: { manifest } }));
  expect(hooks.hooks).toMatchObject([{ name: "card", events: ["agent:start", "agent:interim", "x:*", "*"] }]);
  expect(lines.map((line) => line.replace(/: (nothing|'\*' alone).*/, ""))).toEqual([
    "[hooks] Hook card: no event is called 'agent:interim'",
    "[hooks] Hook card: no event is called 'x:*'",
    "[hooks] Hook card: no event is called '*'",
  ]);
});

test("hooks are asked in the order of their folders, exact names before prefixes", async () => {
  const { hooks } = await opened(
    root({
      c: { manifest: "events: [agent:start]\n" },
      a: { manifest: "events: ['agent:*']\n" },
      b: { manifest: "events: [agent:start, 'agent:*']\n" },
      d: { manifest: "events: ['*', agent, '*:start', 'agent:s*']\n" },
    }),
  );
  const runs = await hooks.run("agent:start", { message: "hi" }, 1000);
  expect(runs.map(({ hook }) => hook.name)).toEqual(["b", "c", "a", "b"]);
});

test("of two roots with a folder of one name the first wins", async () => {
  const manifest = "events: [agent:start]\n";
  const { hooks } = await opened(
    root({ b: { manifest: `name: first\n${manifest}` } }),
    root({ b: { manifest: `name: second\n${manifest}` }, a: { manifest } }),
  );
  expect(hooks.hooks.map(({ name }) => name)).toEqual(["a", "first"]);
});

const person = { platform: "telegram", userId: "7" };
const reset = { ...person, command: "new", rawCommand: "reset", args: "now", rawArgs: "now" };

test("a command is told under the canonical and the typed name, each hook once", async () => {
  const { hooks } = await opened(
    root({
      canonical: { manifest: "events: [command:new]\n" },
      typed: { manifest: "events: [command:reset]\n" },
      both: { manifest: "events: [command:reset, command:new]\n" },
      all: { manifest: "events: ['command:*']\n" },
      other: { manifest: "events: [command:model]\n" },
    }),
  );
  expect(await hooks.decide(reset)).toBeUndefined();
  expect(remembered.map(({ by, event }) => [by, event])).toEqual([
    ["both", "command:new"],
    ["canonical", "command:new"],
    ["typed", "command:reset"],
    ["all", "command:new"],
  ]);
  expect(remembered[0]?.context).toEqual({
    platform: "telegram",
    user_id: "7",
    command: "new",
    raw_command: "reset",
    args: "now",
    raw_args: "now",
  });
});

test.each([
  ["{decision: 'deny', message: 'no'}", { decision: "deny", message: "no" }],
  ["{decision: ' Deny '}", { decision: "deny", message: "Command `/reset` was blocked by a hook." }],
  ["{decision: 'handled'}", { decision: "handled" }],
  [
    "{decision: 'rewrite', command_name: '/status', raw_args: '-v'}",
    { decision: "rewrite", commandName: "status", rawArgs: "-v" },
  ],
  ["{decision: 'rewrite', command_name: ' / '}", { decision: "handled", message: "later" }],
  ["{decision: 'allow'}", { decision: "handled", message: "later" }],
  ["{decision: 'dance'}", { decision: "handled", message: "later" }],
  ["'deny'", { decision: "handled", message: "later" }],
  ["null", { decision: "handled", message: "later" }],
])("a first hook that returns %s, a second that handles: the first decision counts", async (returned, expected) => {
  const events = "events: ['command:*']\n";
  const { hooks } = await opened(
    root({
      a: { manifest: events, code: `export const handle = () => (${returned});` },
      b: {
        manifest: events,
        code: "export default { handle: async () => ({ decision: 'handled', message: 'later' }) };",
      },
    }),
  );
  expect(await hooks.decide(reset)).toEqual(expected);
});

test("a handler that throws is logged under the event's name and harms nobody; what others return counts for nothing", async () => {
  const events = "events: [agent:start]\n";
  const { hooks, lines } = await opened(
    root({
      a: { manifest: events, code: "export function handle() { throw new Error('Task s1 blocked'); }" },
      b: { manifest: events, code: remembering("b", "return { decision: 'deny' };") },
    }),
  );
  hooks.emit("agent:start", { ...person, chatId: "1", threadId: "", chatType: "dm", sessionId: "s", message: "go" });
  await hooks.settled();
  expect(lines).toEqual([
    "[hooks] Error in handler for 'agent:start': Task s1 blocked (hook a)",
    "[hooks] b on 'agent:start': agent:start does not honour decision",
  ]);
  expect(remembered.map(({ by }) => by)).toEqual(["b"]);
});

test("emit returns at once; each hook gets its events one after another, and a copy of its own", async () => {
  const slow = `let open; const gate = new Promise((go) => { open = go; });
    export async function handle(event, context) {
      context.message = "changed";
      if (event === "agent:start") { globalThis.openGate = open; await gate; }
      globalThis.gatewayHookTest.push({ event, context, by: "slow" });
    }`;
  const manifest = "events: ['agent:*']\n";
  const { hooks } = await opened(root({ slow: { manifest, code: slow }, other: { manifest } }));
  const run = { ...person, chatId: "1", threadId: "", chatType: "dm", sessionId: "s", message: "go" };
  hooks.emit("agent:start", run);
  hooks.emit("agent:end", { ...run, response: "done" });
  await hooks.run("agent:step", {}, 0).catch(() => undefined);
  expect(remembered.map(({ by, event }) => `${by} ${event}`)).toEqual([
    "other agent:start",
    "other agent:end",
    "other agent:step",
  ]);
  expect(remembered[0]?.context["message"]).toBe("go");
  (globalThis as unknown as { openGate(): void }).openGate();
  await hooks.settled();
  expect(remembered.filter(({ by }) => by === "slow").map(({ event }) => event)).toEqual([
    "agent:start",
    "agent:end",
    "agent:step",
  ]);
  expect(run.message).toBe("go");
});

test("a hook that gives no answer in time has none, and is not waited for again while it works", async () => {
  const manifest = "events: ['command:*']\n";
  const code = "export const handle = () => new Promise(() => {});";
  const { hooks } = await opened(root({ hangs: { manifest, code } }));
  const [first] = await hooks.run("command:new", {}, 1);
  expect(first?.error).toBe("no answer within 0.001 s");
  const [second] = await hooks.run("command:new", {}, 600_000);
  expect(second?.error).toContain("still busy");
});
