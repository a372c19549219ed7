import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { folder, type Ran, run } from "../program-fixture.ts";
import { terminal } from "../terminal-fixture.ts";

interface Place {
  readonly home: string;
  readonly plugins: string;
  talaria(...words: string[]): Promise<Ran>;
  git(...words: string[]): void;
  write(path: string, text: string): void;
}

function place(): Place {
  const home = folder();
  const env = Object.fromEntries(
    ["AUTHOR", "COMMITTER"].flatMap((one) => [
      [`GIT_${one}_NAME`, "a"],
      [`GIT_${one}_EMAIL`, "a@b.c"],
    ]),
  );
  return {
    home,
    plugins: join(home, ".talaria", "plugins"),
    talaria: (...words) => run(words, { home, env: { GIT_CONFIG_NOSYSTEM: "1" } }),
    git: (...words) =>
      void execFileSync("git", words, {
        cwd: join(home, "repo"),
        stdio: "pipe",
        env: { ...process.env, ...env, HOME: home },
      }),
    write(path, text) {
      mkdirSync(join(home, path, ".."), { recursive: true });
      writeFileSync(join(home, path), text);
    },
  };
}

const manifest = (name: string, version = "1.0.0"): string => `name: ${name}\nversion: ${version}\n`;
const tool = (name: string): string =>
  `export const register = (ctx) => ctx.registerTool({ name: "${name}", toolset: "x", schema: { description: "d" }, handler: () => "ok" });\n`;
const config = ({ home }: Place): string => readFileSync(join(home, ".talaria", "config.yaml"), "utf8");

test.each(["typescript", "python"])(
  "a plugin in %s that 'create' wrote passes its own test, is installed, listed, disabled, enabled and removed",
  async (language) => {
    const here = place();
    expect(await here.talaria("plugins", "create", "hello", "--language", language)).toMatchObject({
      status: 0,
      stderr: "",
    });
    const tried = await here.talaria("plugins", "test", "hello", "--json");
    expect(JSON.parse(tried.stdout)).toMatchObject({
      ok: true,
      left: [],
      report: { tools: ["hello_greet"], hooks: ["post_tool_call"], commands: ["hello"] },
      events: [{ event: "post_tool_call" }],
      calls: language === "typescript" ? [{ call: 'hello_greet {"name":"example"}', answer: "Hello, example!" }] : [],
      tests: { ok: true },
    });
    const installed = await here.talaria("plugins", "install", "./hello", "--enable");
    expect(installed).toMatchObject({ status: 0, stderr: "" });
    expect(installed.stdout).toContain("It is enabled: 1 tool, 1 hook, 1 command.");
    const again = await here.talaria("plugins", "install", "./hello");
    expect(again).toMatchObject({ status: 1 });
    expect(again.stderr).toContain("a plugin 'hello' is there already: --force takes its place");
    expect(await here.talaria("plugins", "disable", "hello")).toMatchObject({
      status: 0,
      stdout: "hello is disabled\n",
    });
    expect(await here.talaria("plugins", "disable", "hello")).toMatchObject({
      status: 0,
      stdout: "hello is already disabled\n",
    });
    expect((await here.talaria("plugins", "list", "--plain")).stdout).toContain(
      "disabled     user     0.1.0    hello\n",
    );
    expect(await here.talaria("plugins", "enable", "hello")).toMatchObject({ status: 0, stdout: "hello is enabled\n" });
    expect(JSON.parse((await here.talaria("plugins", "info", "hello", "--json")).stdout)).toMatchObject({
      state: "enabled",
      language,
      origin: { kind: "folder", from: join(here.home, "hello") },
    });
    expect((await here.talaria("plugins", "rm", "hello")).status).toBe(0);
    expect(existsSync(join(here.plugins, "hello"))).toBe(false);
    expect(config(here)).not.toContain("hello");
  },
);

test("a git address with a subfolder: installed, updated with what the person put in, and up to date", async () => {
  const here = place();
  here.write("repo/kits/one/plugin.yaml", manifest("one"));
  here.write("repo/kits/one/index.mjs", tool("first_tool"));
  here.write("repo/kits/one/settings.example", "a: 1\n");
  here.write("repo/kits/one/after-install.md", "Read me after.\n");
  here.git("init", "-q");
  here.git("add", ".");
  here.git("commit", "-qm", "1");
  const from = `file://${join(here.home, "repo")}`;
  const installed = await here.talaria("plugins", "install", `${from}#kits/one`, "--enable");
  expect(installed.stdout).toContain("made settings from settings.example");
  expect(installed.stdout).toContain("Read me after.");
  expect(installed.status).toBe(0);
  here.write(".talaria/plugins/one/data.txt", "mine");
  here.write("repo/kits/one/plugin.yaml", manifest("one", "2.0.0"));
  here.git("commit", "-qam", "2");
  expect((await here.talaria("plugins", "update", "one")).stdout).toContain("one is updated (1.0.0 → 2.0.0)");
  expect(readFileSync(join(here.plugins, "one", "data.txt"), "utf8")).toBe("mine");
  expect((await here.talaria("plugins", "update", "one")).stdout).toBe("one is up to date (2.0.0)\n");
  const whole = await here.talaria("plugins", "install", from);
  expect(whole).toMatchObject({ status: 1 });
  expect(whole.stderr).toContain("there is no plugin.yaml");
  expect(await here.talaria("plugins", "install", `${from}#kits/../../..`)).toMatchObject({ status: 1 });
  expect((await here.talaria("plugins", "install", "file:///nowhere/at/all")).stderr).toMatch(
    /git ended with status 128/,
  );
});

test("archives that are broken, lead out or unpack to too much are refused, and leave nothing", async () => {
  const here = place();
  here.write("big/package/plugin.yaml", manifest("big"));
  here.write("big/package/index.mjs", tool("t"));
  truncateSync(join(here.home, "big/package/plugin.yaml"), 300_000_000);
  execFileSync("tar", ["-czSf", join(here.home, "big.tgz"), "-C", join(here.home, "big"), "package"]);
  here.write("out/package/plugin.yaml", manifest("out"));
  execFileSync("tar", [
    ...["-czf", join(here.home, "out.tgz"), "-C", join(here.home, "out"), "--transform", "s,^,../../../,", "-P"],
    "package",
  ]);
  here.write("broken.tgz", "\u001f\u008b no archive");
  for (const [name, why] of [
    ["big", /unpacks to 300 MB: a plugin may have 256 MB/],
    ["out", /'\.\.'|tar ended/],
    ["broken", /tar ended with status/],
  ] as const) {
    const ran = await here.talaria("plugins", "install", `./${name}.tgz`, "--enable");
    expect(ran.status, name).toBe(1);
    expect(ran.stderr, name).toMatch(why);
  }
  expect(readdirSync(here.plugins).filter((name) => !name.startsWith("."))).toEqual([]);
  expect(existsSync(join(here.home, "package"))).toBe(false);
});

test("a subfolder that is a link out of the clone is refused", async () => {
  const here = place();
  here.write("outside/plugin.yaml", manifest("spy"));
  here.write("repo/README.md", "x");
  symlinkSync(join(here.home, "outside"), join(here.home, "repo", "inner"));
  here.git("init", "-q");
  here.git("add", ".");
  here.git("commit", "-qm", "1");
  const ran = await here.talaria("plugins", "install", `file://${join(here.home, "repo")}#inner`);
  expect(ran).toMatchObject({ status: 1 });
  expect(ran.stderr).toContain("leads out of");
  expect(existsSync(join(here.plugins, "spy"))).toBe(false);
});

test("an archive of a package: hidden characters and links that leave are marked, and hold back enabling", async () => {
  const here = place();
  here.write("package/plugin.yaml", manifest("sly"));
  here.write("package/index.mjs", `${tool("sly_tool")}// a\u202eb\n`);
  symlinkSync("/etc/hostname", join(here.home, "package", "leak"));
  execFileSync("tar", ["czf", "sly.tgz", "package"], { cwd: here.home });
  const ran = await here.talaria("plugins", "install", "./sly.tgz", "--enable");
  expect(ran.stdout).toContain("! leak is a link that leads out of the plugin's folder");
  expect(ran.stdout).toContain("! index.mjs:2: hidden character U+202E");
  expect(ran).toMatchObject({ status: 3 });
  expect(existsSync(join(here.home, ".talaria", "config.yaml"))).toBe(false);
  expect((await here.talaria("plugins", "install", "./sly.tgz", "--enable", "--force", "-y")).status).toBe(0);
});

test.each([
  ["a manifest of a later version", { "plugin.yaml": "name: x\nmanifest_version: 2\n" }, "reads up to 1"],
  ["a name that leads elsewhere", { "plugin.yaml": "name: ../x\n" }, "a plugin cannot be called"],
  ["a broken manifest", { "plugin.yaml": "name: [\n" }, "plugin.yaml"],
  ["no manifest", { "index.js": "" }, "there is no plugin.yaml"],
])("a folder with %s is not installed, and nothing is left", async (_, files, said) => {
  const here = place();
  for (const [name, text] of Object.entries(files)) here.write(`src/${name}`, text);
  const ran = await here.talaria("plugins", "install", "./src");
  expect(ran).toMatchObject({ status: 1 });
  expect(ran.stderr).toContain(said);
  expect((await here.talaria("plugins", "list", "--no-bundled", "--json")).stdout).toBe("[]\n");
  expect(execFileSync("ls", ["-A", here.plugins], { encoding: "utf8" })).toBe("");
});

test("the names that are wrong are told, with the nearest right one", async () => {
  const here = place();
  here.write(".talaria/plugins/weather/plugin.yaml", manifest("weather"));
  here.write(".talaria/plugins/weather/index.mjs", "throw new Error('at import')");
  expect(await here.talaria("plugins", "enable", "wether")).toMatchObject({
    status: 1,
    stderr: expect.stringContaining("did you mean 'weather'"),
  });
  expect((await here.talaria("plugins", "enable", "weather")).status).toBe(0);
  expect(await here.talaria("plugins", "info", "weather")).toMatchObject({
    status: 1,
    stdout: expect.stringContaining("at import"),
  });
  expect(await here.talaria("plugins", "doctor")).toMatchObject({
    status: 1,
    stdout: expect.stringContaining("✗ weather: "),
  });
  here.write(".talaria/plugins/torn/plugin.yaml", "name: [torn\n x");
  expect(await here.talaria("plugins", "enable", "torn")).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/torn\/plugin\.yaml: line 2, column 3/),
  });
  expect(await here.talaria("plugins", "update", "weather")).toMatchObject({ status: 1 });
  expect(await here.talaria("plugins", "install", "not a name")).toMatchObject({
    status: 1,
    stderr: expect.stringContaining("names no plugin"),
  });
});

test("a plugin that leaves a failing hook and check is told of by 'test', status 1", async () => {
  const here = place();
  here.write("bad/plugin.yaml", manifest("bad"));
  here.write(
    "bad/index.mjs",
    `export const register = (ctx) => {
      ctx.registerHook("on_session_start", () => { throw new Error("hook broke"); });
      ctx.registerTool({ name: "t", toolset: "x", schema: { description: "d" }, handler: () => "", check: () => { throw new Error("check broke"); } });
    };`,
  );
  const ran = await here.talaria("plugins", "test", "./bad");
  expect(ran).toMatchObject({ status: 1 });
  expect(ran.stdout).toMatch(/✗ on_session_start: .*hook broke/);
  expect(ran.stdout).toContain("✗ check of t: check broke");
});

test("/plugins in a chat enables and reloads; what another process switches is in force at the next turn", async () => {
  const here = place();
  here.write(".talaria/plugins/weather/plugin.yaml", manifest("weather"));
  here.write(".talaria/plugins/weather/index.mjs", tool("sunny"));
  const chat = terminal(["chat"], { home: here.home });
  await chat.sees("›");
  chat.type("/plugins\r");
  await chat.sees(/weather\s+not enabled/);
  chat.type("/plugins enable weather\r");
  await chat.sees("weather is enabled: 1 tool");
  here.write(".talaria/plugins/weather/index.mjs", `${tool("rainy")}export const two = 2;`);
  chat.type("/plugins reload weather\r");
  await chat.sees("weather is loaded anew: 1 tool");
  chat.type("/tools\r");
  await chat.sees("rainy");
  chat.type("/plugins disable weather\r");
  await chat.sees("weather is disabled");
  chat.type("/quit\r");
  expect(await chat.done).toBe(0);
  expect(config(here)).toContain("disabled:\n    - weather");
});

test.each([
  ["index.ts", "import { z } from './z.ts';\nexport const register = () => z();\n", "failed: z.ts:2:"],
  ["__init__.py", "def register(ctx):\n  ctx.nope()\n", "failed: __init__.py:2: "],
  ["__init__.py", "def register(ctx):\n  raise SystemExit(3)\n", "failed: __init__.py:2: sys.exit(3) was called"],
])("where a register fails in %s, info tells file and line", async (file, code, told) => {
  const here = place();
  here.write(".talaria/plugins/wrong/plugin.yaml", manifest("wrong"));
  here.write(`.talaria/plugins/wrong/${file}`, code);
  here.write(".talaria/plugins/wrong/z.ts", "export const z = () => {\n  (undefined as any).x();\n};\n");
  await here.talaria("plugins", "enable", "wrong");
  expect((await here.talaria("plugins", "info", "wrong")).stdout).toContain(told);
});

test("a hook that nothing fires and a tool that is refused are told by test, info and doctor", async () => {
  const here = place();
  for (const name of ["one", "two"]) {
    here.write(`.talaria/plugins/${name}/plugin.yaml`, manifest(name));
    const hook = name === "two" ? 'ctx.registerHook("pre_tool_cal", () => undefined);' : "";
    here.write(
      `.talaria/plugins/${name}/index.js`,
      `export const register = (ctx) => { ${hook} ctx.registerTool({ name: "same", toolset: "${name}", schema: { description: "d" }, handler: () => "ok" }); };\n`,
    );
    await here.talaria("plugins", "enable", name);
  }
  const typing = "there is no hook 'pre_tool_cal': nothing fires it; near it are pre_tool_call";
  const clash = "the tool 'same' is refused: toolset 'one' of plugin one has one of this name";
  const tried = await here.talaria("plugins", "test", join(here.plugins, "two"));
  expect(tried.stdout).toContain(`⚠ ${typing}`);
  expect(tried.stdout).not.toContain("All is well");
  for (const words of [["info", "two"], ["doctor"]]) {
    const { stdout, status } = await here.talaria("plugins", ...words);
    expect(stdout).toContain(typing);
    expect(stdout).toContain(clash);
    expect(status).toBe(0);
  }
});
