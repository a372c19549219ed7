import { expect, test } from "vitest";
import { say } from "../hooks/hook-fixture.ts";
import { pluginHome, registering } from "./plugin-fixture.ts";

const call = (name: string, args: Readonly<Record<string, unknown>> = {}) => ({ calls: [{ name, args }] });
const tool = (name: string, answer: string): string =>
  `context.registerTool({ name: "${name}", toolset: "${name}", schema: { description: "x", parameters: { type: "object" } }, handler: () => "${answer}" });`;

test.each([
  ["throws at its import", 'throw new Error("import-broke"); export function register() {}', /import-broke/],
  ["is no program text", "export function register( {", /index\.ts/],
  [
    "needs a package that is not there",
    'import "no-such-package-anywhere"; export function register() {}',
    /no-such-package-anywhere/,
  ],
  ["exports nothing", "export const nothing = 1;", /no register\(\) function/],
  [
    "throws in register after it has registered",
    registering(`${tool("half", "x")} throw new Error("register-broke");`),
    /register-broke/,
  ],
  ["registers nonsense", registering('context.registerTool({ name: 5, handler: "no" });'), /registerTool/],
] as const)("a plugin that %s is named to the person, leaves nothing, and harms nobody", async (_, source, why) => {
  const home = await pluginHome();
  home.plugin("bad", source);
  home.plugin("good", registering(tool("good", "all is well")));
  home.plugins("enabled: [bad, good]");
  const turn = await home.turn({ steps: [call("good"), say("done")] });
  expect(turn.status, turn.stderr).toBe(0);
  expect(turn.results[0]).toContain("all is well");
  expect(turn.sent).toContain('"name":"good"');
  expect(turn.sent).not.toContain('"name":"half"');
  const told = turn.notices.filter((text) => text.startsWith("plugin bad is not loaded: "));
  expect(told).toHaveLength(1);
  expect(told[0]).toMatch(why);
  expect(told[0]).toContain("talaria plugins info bad");
});

test("hooks that throw, reject or answer nonsense have no opinion, and are logged by name", async () => {
  const home = await pluginHome();
  const hooks = [
    `context.registerHook("pre_tool_call", function thrower() { throw new Error("hook-broke"); });`,
    `context.registerHook("pre_tool_call", async function rejecter() { throw new Error("hook-rejected"); });`,
    `context.registerHook("pre_tool_call", () => ({ action: "explode" }));`,
    `context.registerHook("pre_llm_call", () => ({ context: "the last one is heard" }));`,
  ];
  home.plugin("rough", registering(`${tool("calm", "it ran")} ${hooks.join(" ")}`));
  home.plugins("enabled: [rough]");
  const turn = await home.turn({ steps: [call("calm"), say("done")] });
  expect(turn.status, turn.stderr).toBe(0);
  expect(turn.results[0]).toContain("it ran");
  expect(turn.sent).toContain("the last one is heard");
  expect(home.log()).toMatch(/Hook 'pre_tool_call' callback thrower raised: .*hook-broke/);
  expect(home.log()).toMatch(/Hook 'pre_tool_call' callback rejecter raised: .*hook-rejected/);
});

test("a name in plugins.enabled that no plugin has, and a broken manifest, are told", async () => {
  const home = await pluginHome();
  const folder = home.plugin("torn", registering(""));
  home.write("~/.talaria/plugins/torn/plugin.yaml", "name: [torn\n");
  home.plugins("enabled: [torn]");
  const turn = await home.turn();
  expect(turn.status, turn.stderr).toBe(0);
  expect(turn.notices.join("\n")).toContain("plugins.enabled: there is no plugin 'torn'");
  expect((await home.program("plugins", "list")).stderr).toContain(`${folder}/plugin.yaml: `);
});
