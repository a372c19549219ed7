import { chmodSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { say } from "../hooks/hook-fixture.ts";
import { pluginHome } from "./plugin-fixture.ts";

const weather = `import json
def weather(args, **kw):
    return json.dumps({"sky": "clear"})

def greet(parser):
    pass

def register(ctx):
    ctx.register_tool("weather", "weather", {"name": "weather", "description": "Tells the weather.", "parameters": {"type": "object"}}, weather)
    ctx.register_hook("pre_llm_call", lambda **kw: {"context": "the sun is up"})
    ctx.register_cli_command("greet", "Says hello", greet, lambda arguments: print("hello"))
`;

/** A home with one Python plugin, and a Python that writes a line whenever it is started. */
async function counted() {
  const home = await pluginHome();
  home.plugin("weather", weather, { entry: "__init__.py" });
  home.write("~/starts", "");
  const starts = join(home.home, "starts");
  home.write("~/python", `#!/bin/sh\necho started >> '${starts}'\nexec python3 "$@"\n`);
  chmodSync(join(home.home, "python"), 0o755);
  const config = home.read("~/.talaria/config.yaml");
  const configure = (more: string): string =>
    home.write("~/.talaria/config.yaml", `${config}python:\n  path: ${home.home}/python\n${more}`);
  configure("plugins:\n  enabled: [weather]\n");
  return { ...home, configure, starts: () => home.read("~/starts").split("\n").length - 1 };
}

test("a second start with an unchanged plugin starts no Python until something of it is called", async () => {
  const home = await counted();
  const first = await home.program("plugins", "list");
  expect(first.stdout).toContain("weather");
  expect(home.starts()).toBe(1);
  for (const words of [["plugins", "list"], ["tools"], ["--help"], ["plugins", "info", "weather"]]) {
    const { status, stdout, stderr } = await home.program(...words);
    expect(status, stderr).toBe(0);
    if (words[0] === "--help") expect(stdout).toContain("greet");
    else expect(stdout).toContain("weather");
  }
  expect(home.starts()).toBe(1);
  const said = await home.program("greet");
  expect(said.stdout, said.stderr).toContain("hello");
  expect(home.starts()).toBe(2);
  const turn = await home.turn({ steps: [{ calls: [{ name: "weather", args: {} }] }, say("done")] });
  expect(turn.results, turn.stderr).toEqual(['{"sky": "clear"}']);
  expect(turn.sent).toContain("the sun is up");
  expect(home.starts()).toBe(3);
});

test("an edited plugin is taken as it is now", async () => {
  const home = await counted();
  await home.program("tools");
  home.plugin("weather", weather.replaceAll('"weather"', '"forecast"'), { entry: "__init__.py" });
  const tools = await home.program("tools");
  expect(tools.stdout).toContain("forecast");
  expect(home.starts()).toBe(2);
  expect((await home.program("tools")).stdout).toContain("forecast");
  expect(home.starts()).toBe(2);
});

test("plugins.remember_registrations: false has Python started each time", async () => {
  const home = await counted();
  home.configure("plugins:\n  enabled: [weather]\n  remember_registrations: false\n");
  await home.program("tools");
  await home.program("tools");
  expect(home.starts()).toBe(2);
});

test("a check of a tool is asked where the list of tools is wanted, and starts Python for it", async () => {
  const home = await counted();
  const checked = weather.replace(", weather)\n", ", weather, check_fn=lambda: False)\n");
  home.plugin("weather", checked, { entry: "__init__.py" });
  await home.program("plugins", "list");
  await home.program("plugins", "list");
  expect(home.starts()).toBe(1);
  await home.program("tools");
  expect(home.starts()).toBe(2);
});
