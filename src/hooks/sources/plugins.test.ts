import { symlinkSync } from "node:fs";
import { expect, test } from "vitest";
import { commandsOf, type Machine, machine, problemsOf, rulesOf, withCommand } from "./source-files-fixture.ts";

const events = (command: string): object => (withCommand(command) as { readonly hooks: object }).hooks;

/** A plugin in the folder that config.yaml names. */
function named(on: Machine, files: Readonly<Record<string, unknown>>): void {
  for (const [name, content] of Object.entries(files)) on.write(`plugins/guard/${name}`, content);
  on.write("~/.talaria/config.yaml", `plugins:\n  claude: ["${on.path("plugins/guard")}"]\n`);
}

test.each<[string, Readonly<Record<string, unknown>>, readonly string[]]>([
  ["hooks.json, wrapped", { "hooks/hooks.json": withCommand("a") }, ["a"]],
  ["hooks.json, bare", { "hooks/hooks.json": events("a") }, ["a"]],
  ["hooks.json with a description", { "hooks/hooks.json": { description: "d", ...withCommand("a") } }, ["a"]],
  ["hooks.json, bare with a description", { "hooks/hooks.json": { description: "d", ...events("a") } }, ["a"]],
  [
    "hooks.json before the manifest",
    { "hooks/hooks.json": withCommand("a"), ".claude-plugin/plugin.json": { hooks: events("b") } },
    ["a"],
  ],
  [
    "a path in the manifest",
    { ".claude-plugin/plugin.json": { hooks: "./h.json" }, "h.json": withCommand("a") },
    ["a"],
  ],
  [
    "paths in the manifest",
    {
      ".claude-plugin/plugin.json": { hooks: ["./h.json", "i.json"] },
      "h.json": withCommand("a"),
      "i.json": events("b"),
    },
    ["a", "b"],
  ],
  ["an object in the manifest", { ".claude-plugin/plugin.json": { hooks: events("a") } }, ["a"]],
  ["a wrapped object in the manifest", { ".claude-plugin/plugin.json": { hooks: withCommand("a") } }, ["a"]],
  ["a manifest at the root", { "plugin.json": { hooks: events("a") } }, ["a"]],
])("a plugin with %s", async (_, files, commands) => {
  using on = machine();
  named(on, files);
  const read = await on.read();
  expect(commandsOf(read)).toEqual(commands);
  expect(problemsOf(read)).toEqual([]);
  expect(new Set(rulesOf(read).map(({ id }) => id)).size).toBe(commands.length);
  expect(rulesOf(read)[0]?.source).toMatchObject({
    kind: "claude-plugin",
    name: "plugin:guard",
    root: on.path("plugins/guard"),
    dataFolder: on.path("~/.talaria/plugin-data/guard"),
    trust: "none",
  });
});

test.each<[string, Readonly<Record<string, unknown>>, readonly string[], RegExp]>([
  [
    "modules",
    { "hooks/hooks.json": { modules: "./m.js", ...withCommand("a") } },
    ["a"],
    /function hooks \(`modules`\) are not run/,
  ],
  [
    "a wrong wrapper",
    { "hooks/hooks.json": { hooks: [] }, "plugin.json": { hooks: events("b") } },
    ["b"],
    /hooks must be an object of events, but is a list; the manifest's hooks are used/,
  ],
  [
    "a broken hooks.json",
    { "hooks/hooks.json": "{", "plugin.json": { hooks: events("b") } },
    ["b"],
    /this is not JSON/,
  ],
  ["a path that leads out", { "plugin.json": { hooks: "../../../x.json" } }, [], /lies outside of the plugin/],
  ["a path that leads nowhere", { "plugin.json": { hooks: "./x.json" } }, [], /there is no file/],
  ["a number for hooks", { "plugin.json": { hooks: 5 } }, [], /is a number; name a file/],
  [
    "a bad handler",
    { "hooks/hooks.json": { hooks: { Stop: [{ hooks: [{ type: "x" }, { type: "command", command: "a" }] }] } } },
    ["a"],
    /its type is "x"/,
  ],
])("a plugin with %s keeps what is good of it", async (_, files, commands, complaint) => {
  using on = machine();
  named(on, files);
  const read = await on.read();
  expect(commandsOf(read)).toEqual(commands);
  expect(problemsOf(read)).toEqual([expect.stringMatching(complaint)]);
});

test("plugins that settings enable are found where they were installed, in their marketplace, or in the cache", async () => {
  using on = machine();
  const id = (name: string): string => `${name}@market`;
  on.write("~/.claude/settings.json", {
    enabledPlugins: {
      [id("installed")]: true,
      [id("listed")]: ["1.x"],
      [id("cached")]: true,
      [id("off")]: false,
      [id("lost")]: true,
    },
    pluginConfigs: { [id("installed")]: { options: { level: "high" } } },
  });
  on.write("~/.claude/plugins/installed_plugins.json", {
    version: 2,
    plugins: {
      [id("installed")]: [
        { scope: "project", projectPath: "/elsewhere", installPath: on.path("wrong") },
        { scope: "user", installPath: on.path("somewhere/installed") },
      ],
    },
  });
  on.write("wrong/hooks/hooks.json", withCommand("wrong"));
  on.write("somewhere/installed/hooks/hooks.json", withCommand("installed"));
  on.write("somewhere/installed/.claude-plugin/plugin.json", {
    userConfig: { level: { default: "low" }, size: { default: 3 }, bare: {} },
  });
  on.write("~/.claude/plugins/known_marketplaces.json", { market: { installLocation: on.path("market") } });
  on.write("market/.claude-plugin/marketplace.json", { plugins: [{ name: "listed", source: "./plugins/listed" }] });
  on.write("market/plugins/listed/hooks/hooks.json", withCommand("listed"));
  for (const version of ["1.9.0", "1.10.0"])
    on.write(`~/.claude/plugins/cache/market/cached/${version}/hooks/hooks.json`, withCommand(`cached ${version}`));
  const read = await on.read();
  expect(commandsOf(read)).toEqual(["installed", "listed", "cached 1.10.0"]);
  expect(problemsOf(read)).toEqual([
    expect.stringContaining("the plugin lost@market is switched on here and not installed"),
  ]);
  expect(rulesOf(read)[0]?.source).toMatchObject({
    name: "plugin:installed@market",
    pluginOptions: { level: "high", size: 3 },
    dataFolder: on.path("~/.claude/plugins/data/installed-market"),
  });
});

test.each<[string, readonly [user: object, project: object], boolean, string | undefined]>([
  ["the user", [{ "p@m": true }, {}], true, "none"],
  ["the project alone", [{}, { "p@m": true }], true, "folder"],
  ["both", [{ "p@m": true }, { "p@m": true }], true, "none"],
  ["the user, not the trusted project", [{ "p@m": true }, { "p@m": false }], true, undefined],
  ["the user, not the unknown project", [{ "p@m": true }, { "p@m": false }], false, "none"],
  ["the project against the user", [{ "p@m": false }, { "p@m": true }], true, "folder"],
])("a plugin that %s switched on", async (_, [user, project], projectTrusted, trust) => {
  using on = machine();
  on.write("~/.claude/plugins/cache/m/p/1/hooks/hooks.json", withCommand("p"));
  on.write("~/.claude/settings.json", { enabledPlugins: user });
  on.write("project/.claude/settings.json", { enabledPlugins: project });
  expect(rulesOf(await on.read({ projectTrusted }))[0]?.source.trust).toBe(trust);
});

test("one plugin under two names runs once", async () => {
  using on = machine();
  on.write("~/.claude/plugins/cache/m/p/1/hooks/hooks.json", withCommand("p"));
  on.write("~/.claude/settings.json", { enabledPlugins: { "p@m": true } });
  symlinkSync(on.path("~/.claude/plugins/cache/m/p/1"), on.path("link"));
  on.write("~/.talaria/config.yaml", `plugins:\n  claude: [${on.path("link")}]\n`);
  expect(commandsOf(await on.read())).toEqual(["p"]);
});

test("a folder of plugins that is not there is told of", async () => {
  using on = machine();
  on.write("~/.talaria/config.yaml", "plugins:\n  claude: ~/none\n");
  expect(problemsOf(await on.read())).toEqual([expect.stringContaining("no such folder")]);
});
