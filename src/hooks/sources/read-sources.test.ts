import { chmodSync, linkSync, mkdirSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { commandsOf, droppedOf, machine, problemsOf, rulesOf, withCommand } from "./source-files-fixture.ts";

test("all sources are read, in the order in which their rules are asked", async () => {
  using on = machine();
  on.write("policy/managed-settings.json", withCommand("managed"));
  on.write("policy/managed-settings.d/10-team.json", withCommand("team"));
  on.write("~/.talaria/config.yaml", "hooks:\n  pre_tool_call:\n    - command: shell\n");
  on.write("~/.talaria/cli-config.yaml", "hooks:\n  pre_tool_call:\n    - command: shell\n    - command: cli\n");
  on.write("plugin/hooks/hooks.json", withCommand("plugin"));
  on.write("~/.claude/settings.json", withCommand("user"));
  on.write("~/.talaria/settings.json", withCommand("own"));
  on.write("project/.claude/settings.json", withCommand("project"));
  on.write("project/.claude/settings.local.json", withCommand("local"));
  on.write("project/.talaria/settings.json", withCommand("own project"));
  on.write("project/.talaria/settings.local.json", withCommand("own local"));
  on.write("project/extra.json", withCommand("option"));
  on.write(
    "~/.talaria/config.yaml",
    `plugins:\n  claude: [${on.path("plugin")}]\nhooks:\n  pre_tool_call:\n    - command: shell\n`,
  );
  const read = await on.read({ settingsOption: "extra.json" });
  expect(commandsOf(read)).toEqual([
    "managed",
    "team",
    "shell",
    "cli",
    "plugin",
    "user",
    "own",
    "project",
    "local",
    "own project",
    "own local",
    "option",
  ]);
  expect(problemsOf(read)).toEqual([]);
  expect(rulesOf(read).map(({ source }) => source.trust)).toEqual([
    ...["none", "none", "consent", "consent", "none", "none", "none"],
    ...["folder", "folder", "folder", "folder", "none"],
  ]);
});

test("the second home gives its shell hooks, after ours and without what ours has already", async () => {
  using on = machine();
  on.write("~/.talaria/config.yaml", "hooks:\n  pre_tool_call:\n    - {command: both, timeout: 5}\n");
  on.write("~/.hermes/config.yaml", "hooks:\n  pre_tool_call:\n    - {command: both}\n    - {command: theirs}\n");
  on.write("~/.hermes/settings.json", withCommand("not read"));
  const read = await on.read({ secondHome: on.path("~/.hermes") });
  expect(commandsOf(read)).toEqual(["both", "theirs"]);
  expect(rulesOf(read)[0]?.timeoutMs).toBe(5000);
  expect(droppedOf(read)).toEqual([expect.stringContaining("config.yaml:3 already")]);
});

test("CLAUDE_CONFIG_DIR moves the person's folder", async () => {
  using on = machine();
  on.write("~/.claude/settings.json", withCommand("usual"));
  on.write("elsewhere/settings.json", withCommand("moved"));
  const environment = { ...on.search.environment, CLAUDE_CONFIG_DIR: on.path("elsewhere") };
  expect(commandsOf(await on.read({ environment }))).toEqual(["moved"]);
});

test.each([
  ["is the home itself", (_: string) => undefined],
  ["is linked to it", (home: string) => symlinkSync(join(home, ".claude"), join(dirname(home), "project", ".claude"))],
  [
    "has the same file under a name of its own",
    (home: string) => {
      mkdirSync(join(dirname(home), "project", ".claude"));
      linkSync(join(home, ".claude", "settings.json"), join(dirname(home), "project", ".claude", "settings.json"));
    },
  ],
])("a project that %s has the person's rules once", async (how, link) => {
  using on = machine();
  on.write("~/.claude/settings.json", {
    hooks: { Stop: [{ hooks: [{ type: "command", command: "user", timeout: 1 }] }] },
  });
  link(on.path("~"));
  const project = how === "is the home itself" ? on.path("~") : on.path("project");
  const read = await on.read({ project });
  expect(commandsOf(read)).toEqual(["user"]);
  expect(droppedOf(read)).toEqual([]);
});

test("a broken file costs its own rules only, and says line and column", async () => {
  using on = machine();
  on.write("~/.claude/settings.json", withCommand("user"));
  const file = on.write("project/.claude/settings.json", '{\n  "hooks": {\n    "Stop": [],\n  }\n}\n');
  const read = await on.read();
  expect(commandsOf(read)).toEqual(["user"]);
  expect(read.sets.flatMap(({ problems }) => problems)).toEqual([
    {
      source: ".claude/settings.json",
      where: `${file}:4`,
      level: "warning",
      message: "this is not JSON (column 3): take away the comma before }; the file is left out until it is corrected",
    },
  ]);
  expect([...read.broken]).toEqual([".claude/settings.json"]);
});

test.each<[string, string | Uint8Array, RegExp | undefined]>([
  ["a byte order mark", `\ufeff${JSON.stringify(withCommand("fine"))}`, undefined],
  ["UTF-16", Buffer.from(`\ufeff${JSON.stringify(withCommand("fine"))}`, "utf16le"), undefined],
  ["nothing", "", undefined],
  ["blanks", " \n\n", undefined],
  ["a list", "[]", /top level must be an object/],
  ["a comment", '{\n // no\n "hooks": {}}', /JSON has no comments/],
  ["single quotes", "{'hooks': {}}", /double quotes/],
  ["half a file", '{"hooks": {"Stop": [', /the file ends/],
  ["an image", Buffer.from("89504e470d0a1a0a0000", "hex"), /PNG/],
  ["binary", Buffer.from([0x7b, 0, 1, 2, 0, 3]), /binary/],
  ["Latin-1", Buffer.from('{"note": "caf\u00e9"}', "latin1"), undefined],
  ["a tab in a text", '{"a": "b\tc"}', /control character/],
  ["nests without end", `${'{"a":'.repeat(5000)}1${"}".repeat(5000)}`, /nested more than/],
  ["more bytes than settings have", `{"a": "${"x".repeat(9 << 20)}"}`, /more than the limit/],
])("a settings file with %s is read or reported, and never throws", async (_, content, complaint) => {
  using on = machine();
  on.write("~/.talaria/settings.json", withCommand("neighbour"));
  on.write("~/.claude/settings.json", content);
  const read = await on.read();
  expect(commandsOf(read)).toContain("neighbour");
  if (complaint === undefined) expect(problemsOf(read)).toEqual([]);
  else expect(problemsOf(read)).toEqual([expect.stringMatching(complaint)]);
});

test("folders, pipes of links and forbidden files in place of settings are reported", async () => {
  using on = machine();
  mkdirSync(on.path("~/.claude/settings.json"), { recursive: true });
  mkdirSync(on.path("project/.claude"), { recursive: true });
  symlinkSync(on.path("project/.claude/settings.json"), on.path("project/.claude/settings.json"));
  on.write("~/.talaria/settings.json", withCommand("forbidden"));
  chmodSync(on.path("~/.talaria/settings.json"), 0o000);
  const read = await on.read();
  expect(problemsOf(read)).toEqual(
    expect.arrayContaining([expect.stringContaining("directory"), expect.stringContaining("circle")]),
  );
});

test("settings on the command line may be a file or JSON itself", async () => {
  using on = machine();
  expect(commandsOf(await on.read({ settingsOption: JSON.stringify(withCommand("inline")) }))).toEqual(["inline"]);
  expect(problemsOf(await on.read({ settingsOption: "{oops" }))).toEqual([expect.stringContaining("this is not JSON")]);
  expect(problemsOf(await on.read({ settingsOption: "none.json" }))).toEqual([expect.stringContaining("no such file")]);
});

test("without the project's hooks they are shown and never run", async () => {
  using on = machine();
  on.write("project/.claude/settings.json", withCommand("project", "PreToolUse", { disableAllHooks: true }));
  on.write("~/.claude/settings.json", withCommand("user"));
  const read = await on.read({ projectHooks: false });
  expect(commandsOf(read)).toEqual(["user"]);
  expect(droppedOf(read)).toEqual([expect.stringContaining("--no-project-hooks")]);
});

test("the same handler in several settings files runs once, a plugin's copy besides", async () => {
  using on = machine();
  on.write("plugin/hooks/hooks.json", withCommand("same"));
  on.write("~/.talaria/config.yaml", `plugins:\n  claude: ${on.path("plugin")}\n`);
  on.write("~/.claude/settings.json", withCommand("same"));
  on.write("project/.claude/settings.json", withCommand("same"));
  const read = await on.read();
  expect(rulesOf(read).map(({ source }) => source.name)).toEqual([
    "plugin:plugin",
    expect.stringContaining("settings.json"),
  ]);
  expect(droppedOf(read)).toEqual([expect.stringContaining(on.path("~/.claude/settings.json"))]);
});

test("handlers that differ in matcher, condition or deed are no duplicates", async () => {
  using on = machine();
  const group = (matcher: string, handler: object) => ({
    matcher,
    hooks: [{ type: "command", command: "x", ...handler }],
  });
  on.write("~/.claude/settings.json", {
    hooks: {
      PreToolUse: [
        group("Bash", {}),
        group("Edit", {}),
        group("Bash", { if: "Bash(git push:*)" }),
        group("Bash", { args: [] }),
        group("Bash", { timeout: 3, statusMessage: "again" }),
      ],
    },
  });
  const read = await on.read();
  expect(rulesOf(read)).toHaveLength(4);
  expect(droppedOf(read)).toHaveLength(1);
});

test("safe mode leaves the organisation's rules alone", async () => {
  using on = machine();
  on.write("policy/managed-settings.json", withCommand("managed"));
  on.write("~/.claude/settings.json", withCommand("user"));
  on.write("~/.talaria/config.yaml", "hooks:\n  pre_tool_call:\n    - command: shell\n");
  const environment = { ...on.search.environment, HERMES_SAFE_MODE: "1" };
  expect(commandsOf(await on.read({ environment }))).toEqual(["managed"]);
});
