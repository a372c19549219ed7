import { expect, test } from "vitest";
import { say } from "../hooks/hook-fixture.ts";
import { run, sent } from "../program-fixture.ts";
import { terminal } from "../terminal-fixture.ts";
import { type PluginHome, pluginHome, registering } from "./plugin-fixture.ts";

const slash = registering(`
  context.registerCommand({ name: "Shout It", description: "Shouts.", argsHint: "<text>", handler: (raw) => raw.toUpperCase() + "!" });
  context.registerCommand({ name: "fail", handler: () => { throw new Error("no voice"); } });
  context.registerCommand({ name: "wait", handler: () => new Promise(() => undefined) });
  context.registerCommand({ name: "help", handler: () => "not this" });
  context.registerCommand({ name: "tell", handler: async (raw) => { context.injectMessage(raw); return "told"; } });
  context.registerCommand({ name: "look", handler: async () => JSON.parse(await context.dispatchTool("terminal", { command: "echo looked" })).output });
`);

function chat(home: PluginHome) {
  return terminal([], { home: home.home, cwd: home.project });
}

test("slash commands of plugins: listed, run with their raw words, their errors shown, left by Ctrl-C", async () => {
  const home = await pluginHome();
  home.plugin("shouter", slash);
  home.plugin("zz-shouter", registering(`context.registerCommand({ name: "fail", handler: () => "I never fail" });`));
  home.plugins("enabled: [shouter]");
  const screen = chat(home);
  await screen.sees("› ");
  screen.type("/help\r");
  await screen.sees("/queue");
  await screen.sees(/\/shout-it <text> +Shouts\. \(plugin shouter\)/);
  screen.type("/shout-it  hello  there \r");
  await screen.sees("HELLO  THERE!");
  screen.type("/SHOUT_IT again\r");
  await screen.sees("AGAIN!");
  screen.type("/fail\r");
  await screen.sees("Plugin command error: no voice");
  screen.type("/look\r");
  await screen.sees("looked");
  screen.type("/wait\r");
  await screen.sees("/wait");
  screen.type("\x03");
  await screen.sees("/wait was left");
  screen.type("/sho\t");
  await screen.sees("/shout-it ");
  screen.type("x\r");
  await screen.sees("X!");
  screen.type("/quit\r");
  expect(await screen.done).toBe(0);
  expect(home.log()).toContain("the slash command '/help' is left out");
});

test("a message that a command puts in becomes the next one of the chat", async () => {
  const home = await pluginHome();
  home.plugin("shouter", slash);
  home.plugins("enabled: [shouter]");
  home.server.push(say("I heard you"));
  const ran = await run([], { home: home.home, cwd: home.project, input: "/tell the house is on fire\n" });
  expect(ran.stdout + ran.stderr).toContain("told");
  expect(ran.stdout + ran.stderr).toContain("I heard you");
  expect(sent(home.server.requests.at(-1)).at(-1)?.content).toBe("the house is on fire");
});

test("a command works while a turn runs, and of two plugins the later one counts", async () => {
  const home = await pluginHome();
  home.plugin("shouter", slash);
  home.plugin("zz-shouter", registering(`context.registerCommand({ name: "fail", handler: () => "I never fail" });`));
  home.plugins("enabled: [shouter, zz-shouter]");
  home.server.push({ calls: [{ name: "terminal", args: { command: "echo begun; sleep 300" } }] }, say("done"));
  const screen = chat(home);
  await screen.sees("› ");
  screen.type("work\r");
  await screen.sees("begun");
  screen.type("/fail\r");
  await screen.sees("I never fail");
  screen.type("/stop\r");
  await screen.sees("interrupted");
  screen.type("/quit\r");
  expect(await screen.done).toBe(0);
  expect(home.log()).toContain("its slash command /fail takes the place of that of shouter");
});

const cli = registering(`
  context.registerCliCommand({
    name: "tally", help: "Counts words.", arguments: "[words...]", options: [{ flags: "--loud", about: "in capitals" }],
    handler: ({ arguments: words, options, print }) => { print((options.loud ? "WORDS " : "words ") + words.length); return words.length; },
  });
  context.registerCliCommand({ name: "raw", help: "Takes words as they are.", parsesItself: true, handler: ({ words, print }) => print(JSON.stringify(words)) });
  context.registerCliCommand({ name: "broken", help: "Fails.", handler: () => { throw new Error("it broke"); } });
  context.registerCliCommand({ name: "doctor", help: "Not this one.", handler: () => 7 });
`);

test("commands of plugins: in the help and in completion, with a help and an exit status of their own", async () => {
  const home = await pluginHome();
  home.plugin("counter", cli);
  home.plugins("enabled: [counter]");
  const help = await home.program("--help");
  expect(help.stdout).toMatch(/tally \[options\] \[words\.\.\.\] +Counts words\./);
  expect(help.stdout).not.toContain("Not this one.");
  expect((await home.program("completion", "bash")).stdout).toContain("tally");
  const own = await home.program("tally", "--help");
  expect(own.stdout).toContain("in capitals");
  expect(own.status).toBe(0);
  expect(await home.program("tally", "a", "b", "--loud")).toMatchObject({ stdout: "WORDS 2\n", status: 2 });
  expect((await home.program("raw", "--help", "-x", "a b")).stdout).toBe('["--help","-x","a b"]\n');
  expect(await home.program("broken")).toMatchObject({ stderr: "talaria: it broke\n", status: 1 });
  expect((await home.program("nosuch")).stderr).toContain("unknown command 'nosuch'");
  expect((await home.program("tally", "--nosuch")).status).toBe(2);
});

test("where no plugin is enabled, the help loads none", async () => {
  const home = await pluginHome();
  home.plugin("counter", cli);
  const help = await home.program("--help");
  expect(help.stdout).not.toContain("tally");
  expect(help.status).toBe(0);
  expect(home.has("~/.talaria/state.db")).toBe(false);
});

test("a skill of a plugin is read by its qualified name", async () => {
  const home = await pluginHome();
  home.plugin(
    "tea",
    registering(
      `context.registerSkill({ name: "brew", path: context.folder + "/skills/brew/SKILL.md", description: "Makes tea." });`,
    ),
    {
      files: { "skills/brew/SKILL.md": "Boil water.", "skills/brew/references/leaves.md": "Green." },
    },
  );
  home.plugins("enabled: [tea]");
  const view = (args: object) => ({ calls: [{ name: "skill_view", args: { ...args } }] });
  const turn = await home.turn({
    steps: [
      view({ name: "tea:brew" }),
      view({ name: "tea:brew", file_path: "references/leaves.md" }),
      view({ name: "tea:bru" }),
      say("done"),
    ],
  });
  expect(turn.results.map((text) => JSON.parse(text))).toMatchObject([
    { success: true, name: "tea:brew", description: "Makes tea.", content: "Boil water." },
    { success: true, file: "references/leaves.md", content: "Green." },
    { error: expect.stringContaining("did you mean 'tea:brew'") },
  ]);
  expect(sent(home.server.requests.at(-1))[0]?.content).not.toContain("tea:brew");
});

test("tools of plugins are listed under their toolset's title; one whose check fails is not", async () => {
  const home = await pluginHome();
  const tool = (name: string, more: string): string =>
    `context.registerTool({ name: "${name}", toolset: "home_assistant", schema: { description: "Says ${name}." }, handler: () => "", ${more} });`;
  home.plugin(
    "house",
    registering(tool("light_on", "") + tool("light_off", "check: async () => { throw new Error('no lamp'); }")),
  );
  home.plugins("enabled: [house]");
  const { stdout } = await home.program("tools");
  expect(stdout).toMatch(/light_on +🔌 Home Assistant +Says light_on\./);
  expect(stdout).not.toContain("light_off");
});

test("plugins ask for all plugins of their program, and narrow the tools of a run", async () => {
  const home = await pluginHome();
  home.plugin(
    "asker",
    `import { definePlugin, getPluginCommands, getPluginToolsets, getPreToolCallBlockMessage, hasHook, hasMiddleware, invokeHook, setThreadToolWhitelist } from "talaria/plugin";
export default definePlugin((context) => {
  context.registerHook("pre_tool_call", ({ toolName }) => toolName === "terminal" ? { action: "block", message: "no shell" } : undefined);
  context.registerHook("my_own", ({ n }) => n + 1);
  context.registerCommand({ name: "hi", handler: () => "hi" });
  context.registerTool({ name: "ask", toolset: "ask", schema: { description: "Asks." }, handler: async () => {
    const before = await getPreToolCallBlockMessage("terminal", {});
    setThreadToolWhitelist(["ask"], "{tool_name} is off");
    return { before, after: await getPreToolCallBlockMessage("read_file", {}), has: [hasHook("my_own"), hasHook("nothing"), hasMiddleware("tool_request")], own: await invokeHook("my_own", { n: 1 }), commands: Object.keys(getPluginCommands()), toolsets: getPluginToolsets() };
  } });
});
`,
  );
  home.plugins("enabled: [asker]");
  const turn = await home.turn({
    steps: [
      { calls: [{ name: "ask", args: {} }] },
      { calls: [{ name: "read_file", args: { path: "x" } }] },
      say("done"),
    ],
  });
  expect(JSON.parse(turn.results[0] ?? "")).toEqual({
    before: "no shell",
    after: "read_file is off",
    has: [true, false, false],
    own: [2],
    commands: ["hi"],
    toolsets: [["ask", "🔌 Ask", "ask"]],
  });
  expect(turn.results[1]).toBe('{"error":"read_file is off"}');
});
