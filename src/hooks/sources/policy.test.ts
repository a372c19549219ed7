import { expect, test } from "vitest";
import {
  commandsOf,
  droppedOf,
  type Machine,
  machine,
  problemsOf,
  rulesOf,
  withCommand,
} from "./source-files-fixture.ts";

const layers = {
  managed: "policy/managed-settings.json",
  user: "~/.claude/settings.json",
  project: "project/.claude/settings.json",
  local: "project/.claude/settings.local.json",
} as const;
type Layer = keyof typeof layers;

/** A rule in each layer, one of shell hooks, and what the layers say besides. */
function house(on: Machine, says: Partial<Record<Layer, object>>, without: readonly Layer[] = []): void {
  on.write("~/.talaria/config.yaml", "hooks:\n  pre_tool_call:\n    - command: shell\n");
  for (const [name, path] of Object.entries(layers)) {
    const layer = name as Layer;
    if (without.includes(layer)) on.write(path, { ...says[layer] });
    else on.write(path, withCommand(layer, "PreToolUse", says[layer]));
  }
}

const everything = ["managed", "shell", "user", "project", "local"];
const off = { disableAllHooks: true };
const on_ = { disableAllHooks: false };

test.each<[string, Partial<Record<Layer, object>>, readonly string[]]>([
  ["nobody", {}, everything],
  ["the user", { user: off }, ["managed", "shell"]],
  ["the project", { project: off }, ["managed", "shell"]],
  ["the local file", { local: off }, ["managed", "shell"]],
  ["the user, and the project says no", { user: off, project: on_ }, everything],
  ["the project, and the local file says no", { project: off, local: on_ }, everything],
  ["the organisation", { managed: off, local: on_ }, []],
  ["the user, and the organisation says no", { user: off, managed: on_ }, ["managed", "shell"]],
])("disableAllHooks by %s", async (_, says, left) => {
  using on = machine();
  house(on, says);
  const read = await on.read();
  expect(commandsOf(read)).toEqual(left);
  expect(droppedOf(read)).toHaveLength(everything.length - left.length);
  for (const reason of droppedOf(read)) expect(reason).toMatch(/disableAllHooks in .*settings.*\.json:2$/);
});

test("without rules of the organisation, disableAllHooks leaves nothing of settings files", async () => {
  using on = machine();
  house(on, { user: off }, ["managed"]);
  expect(commandsOf(await on.read())).toEqual(["shell"]);
});

test("the command line has the last word but for the organisation's", async () => {
  using on = machine();
  house(on, { user: off });
  expect(commandsOf(await on.read({ settingsOption: JSON.stringify(on_) }))).toEqual(everything);
  expect(commandsOf(await on.read({ settingsOption: JSON.stringify(off) }))).toEqual(["managed", "shell"]);
});

test("a project that is not trusted switches off nothing of others", async () => {
  using on = machine();
  house(on, { project: off });
  expect(commandsOf(await on.read({ projectTrusted: false }))).toEqual(everything);
});

test("allowManagedHooksOnly leaves the organisation's rules and plugins, and says who did it", async () => {
  using on = machine();
  house(on, {
    managed: { allowManagedHooksOnly: true, enabledPlugins: { "force@m": true } },
    user: { enabledPlugins: { "own@m": true } },
  });
  for (const name of ["force", "own"])
    on.write(`~/.claude/plugins/cache/m/${name}/1.0/hooks/hooks.json`, withCommand(name));
  const read = await on.read();
  expect(commandsOf(read)).toEqual(["managed", "force"]);
  expect(droppedOf(read)).toHaveLength(5);
  expect(droppedOf(read)[0]).toMatch(/allowManagedHooksOnly in .*managed-settings\.json:\d+$/);
});

test("allowManagedHooksOnly of others counts for nothing", async () => {
  using on = machine();
  house(on, { user: { allowManagedHooksOnly: true } });
  expect(commandsOf(await on.read())).toEqual(everything);
});

test.each([[true], [["hooks"]], [["agents", "hooks"]]])(
  "strictPluginOnlyCustomization: %j takes the files of persons and projects out",
  async (value) => {
    using on = machine();
    house(on, { managed: { strictPluginOnlyCustomization: value } });
    expect(commandsOf(await on.read())).toEqual(["managed", "shell"]);
  },
);

test("addresses and variables of http rules are held to the lists of all layers", async () => {
  using on = machine();
  const http = (url: string) => ({ hooks: [{ type: "http", url, allowedEnvVars: ["A", "B"] }] });
  const urls = ["https://a.example/x", "https://b.example/x", "http://localhost:1/y"];
  on.write("~/.claude/settings.json", {
    allowedHttpHookUrls: ["https://a.example/*"],
    httpHookAllowedEnvVars: ["B"],
    hooks: { PreToolUse: urls.map(http) },
  });
  on.write("project/.claude/settings.json", { allowedHttpHookUrls: ["http://localhost:*"] });
  const read = await on.read();
  expect(rulesOf(read).map((rule) => rule.type === "http" && [rule.url, rule.allowedEnvVars])).toEqual([
    ["https://a.example/x", ["B"]],
    ["http://localhost:1/y", ["B"]],
  ]);
  expect(droppedOf(read)).toEqual([expect.stringContaining("https://b.example/x is not among")]);
});

test("an empty list of addresses allows none", async () => {
  using on = machine();
  on.write("~/.claude/settings.json", {
    allowedHttpHookUrls: [],
    hooks: { Stop: [{ hooks: [{ type: "http", url: "http://localhost/" }] }] },
  });
  expect(rulesOf(await on.read())).toEqual([]);
});

test("switches of a wrong kind are reported and left out", async () => {
  using on = machine();
  house(on, { user: { disableAllHooks: "yes", allowedHttpHookUrls: "x" }, project: { httpHookAllowedEnvVars: [1] } });
  const read = await on.read();
  expect(commandsOf(read)).toEqual(everything);
  expect(problemsOf(read)).toEqual([
    expect.stringContaining("disableAllHooks must be true or false, but is a text"),
    expect.stringContaining("allowedHttpHookUrls must be a list of texts, but is a text"),
    expect.stringContaining("httpHookAllowedEnvVars holds a number"),
  ]);
});
