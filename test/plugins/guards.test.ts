import { utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { say } from "../hooks/hook-fixture.ts";
import { run } from "../program-fixture.ts";
import { pluginHome, registering } from "./plugin-fixture.ts";

const call = (name: string, args: Readonly<Record<string, unknown>>) => ({ calls: [{ name, args }] });

test("a plugin whose hook spins ends the program with its name, and the session goes on without it", async () => {
  const home = await pluginHome();
  const source = registering(`context.registerHook("pre_llm_call", () => { for (;;) {} });`);
  const folder = home.plugin("spin", source);
  home.plugins("enabled: [spin]\nwatchdog_seconds: 1");
  const hung = await home.turn();
  expect(hung.signal).toBe("SIGKILL");
  expect(hung.stderr).toContain("the plugin spin has stood still for 1 s");
  expect(hung.stderr).toContain(`${folder}/index.ts:`);
  const resume = /talaria run --resume (\S+)/.exec(hung.stderr)?.[1] ?? "";
  expect(hung.stderr).toContain("talaria plugins enable spin");
  const next = await home.turn({ words: ["--resume", resume] });
  expect(next.status, next.stderr).toBe(0);
  expect(home.log()).toContain("held back: it stood still");
  expect((await home.program("plugins", "enable", "spin")).status).toBe(0);
  const again = await home.turn({ words: ["--resume", resume] });
  expect(again.signal).toBe("SIGKILL");
  const later = new Date(Date.now() + 60_000);
  writeFileSync(join(folder, "index.ts"), source.replace("for (;;) {}", ""));
  utimesSync(join(folder, "index.ts"), later, later);
  expect((await home.turn()).status).toBe(0);
}, 60_000);

test("a plugin can neither exit, nor break the turn by errors that nobody catches, nor print among the lines of --json", async () => {
  const home = await pluginHome();
  home.plugin("quits", registering(`context.registerHook("pre_llm_call", () => process.exit(3));`));
  home.plugin(
    "leaks",
    registering(`context.registerHook("pre_llm_call", async () => {
  console.log("printed by leaks");
  process.stdout.write("written by ");
  process.stdout.write("leaks\\n");
  console.table([{ column: 1 }]);
  setTimeout(() => { throw new Error("thrown in a timer"); }, 0);
  void Promise.reject(new Error("rejected and left"));
  await new Promise((settle) => setTimeout(settle, 50));
  return { context: "still here" };
});`),
  );
  home.plugins("enabled: [quits, leaks]");
  const turn = await home.turn({ steps: [call("todo", {}), say("done")] });
  expect(turn.status, turn.stderr).toBe(0);
  expect(turn.sent).toContain("still here");
  expect(turn.stdout.split("\n").filter((line) => line !== "" && !line.startsWith("{"))).toEqual([]);
  expect(turn.notices).toContain("printed by leaks");
  expect(turn.notices).toContain("written by leaks");
  expect(turn.notices.join("\n")).toContain("column");
  const log = home.log();
  expect(log).toContain("plugin leaks printed: written by leaks");
  expect(log).toContain("plugin quits called process.exit(3): refused");
  expect(log).toContain("plugin leaks: an error that nobody caught: thrown in a timer");
  expect(log).toContain("plugin leaks: an error that nobody caught: rejected and left");
});

test("a plugin that floods standard output and one whose error is huge are told in short", async () => {
  const home = await pluginHome();
  home.plugin(
    "floods",
    registering(
      `context.registerHook("pre_llm_call", () => { for (let i = 0; i < 5000; i += 1) console.log("line " + i); });`,
    ),
  );
  home.plugin("huge", `throw new Error("x".repeat(50_000_000));`);
  home.plugins("enabled: [floods, huge]");
  const turn = await home.turn();
  expect(turn.status, turn.stderr).toBe(0);
  expect(turn.notices.filter((text) => text.startsWith("line ")).length).toBeLessThan(1000);
  expect(home.log()).toMatch(/floods printed: \(\d+ more lines were printed\)/);
  expect(turn.notices.join("\n").length).toBeLessThan(100_000);
  expect(home.log().length).toBeLessThan(1_000_000);
  expect(home.log()).toContain("50000000 characters");
});

test("with --safe-mode, wherever it stands, no plugin is loaded", async () => {
  const home = await pluginHome();
  home.plugin("loud", registering(`context.registerHook("pre_llm_call", () => ({ context: "heard" }));`));
  home.plugins("enabled: [loud]");
  const env = { OPENAI_BASE_URL: `${home.server.url}/v1`, OPENAI_API_KEY: "sk-test" };
  expect((await home.turn({ words: ["--safe-mode"], env })).sent).not.toContain("heard");
  home.server.push(say("done"));
  const { status } = await run(["--safe-mode", "run", "hello"], { home: home.home, env });
  expect(status).toBe(0);
  expect(home.server.requests.at(-1)?.text).not.toContain("heard");
  expect((await home.turn()).sent).toContain("heard");
});

test.each(["TALARIA_SAFE_MODE", "HERMES_SAFE_MODE"])("with %s no plugin is loaded", async (name) => {
  const home = await pluginHome();
  home.plugin("loud", registering(`context.registerHook("pre_llm_call", () => ({ context: "heard" }));`));
  home.plugins("enabled: [loud]");
  const env = { [name]: "1", OPENAI_BASE_URL: `${home.server.url}/v1`, OPENAI_API_KEY: "sk-test" };
  expect((await home.turn({ env })).sent).not.toContain("heard");
  expect((await home.turn()).sent).toContain("heard");
});

test.each(["TALARIA_PLUGINS_DEBUG", "HERMES_PLUGINS_DEBUG"])(
  "with %s all is told, with the place of errors",
  async (name) => {
    const home = await pluginHome();
    home.plugin("fine", registering(""));
    home.plugin("broken", `throw new Error("at import");`);
    home.plugins("enabled: [fine, broken]");
    const { stderr } = await home.turn({ env: { [name]: "1" } });
    expect(stderr).toContain("[plugins] DEBUG plugin fine is loaded");
    expect(stderr).toMatch(/\[plugins\] WARNING plugin broken could not be loaded: [^\n]*at import\n[\s\S]*\n\s+at /);
    expect(home.log()).toContain("[plugins] DEBUG plugin fine is loaded");
  },
);
