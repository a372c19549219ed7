import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { say } from "../hooks/hook-fixture.ts";
import { pluginHome } from "./plugin-fixture.ts";

const call = (name: string, args: Readonly<Record<string, unknown>> = {}) => ({ calls: [{ name, args }] });
const python = { entry: "__init__.py" };
const schema = '{"description": "x", "parameters": {"type": "object", "properties": {}}}';
const good = `def register(ctx):
    ctx.register_tool("good", "good", ${schema}, lambda args, **kw: "all is well")
`;

/** A tool that does harm, and one after it that must still answer. */
const rough = `import os, subprocess, sys, threading, time
import multiprocessing

def forks(args, **kw):
    child = os.fork()
    if child == 0:
        print("from the child", flush=True)
        os._exit(0)
    os.waitpid(child, 0)
    return "forked"

def floods(args, **kw):
    for number in range(20000):
        print("line", number)
    sys.stderr.write("x" * 1000000)
    return "flooded"

def exits(args, **kw):
    os._exit(7)

def quits(args, **kw):
    sys.exit(3)

def outlives(args, **kw):
    threading.Thread(target=time.sleep, args=(3,)).start()
    subprocess.Popen(["sleep", "3"])
    return "begun"

def closes(args, **kw):
    for number in range(3, 64):
        try:
            os.close(number)
        except OSError:
            pass
    return "closed"

def register(ctx):
    for one in (forks, floods, exits, quits, outlives, closes):
        ctx.register_tool(one.__name__, "rough", ${schema}, one)
`;

test.each([
  ["forks", /"?forked/],
  ["floods", /flooded/],
  ["exits", /the Python host ended with exit code 7/],
  ["quits", /SystemExit: 3/],
  ["outlives", /begun/],
  ["closes", /the Python host ended|closed/],
])("a tool in Python that %s harms neither the turn nor its neighbours", async (name, answer) => {
  const home = await pluginHome();
  home.plugin("rough", rough, python);
  home.plugin("good", good, python);
  home.plugins("enabled: [good, rough]");
  const turn = await home.turn({ steps: [call(name), call("good"), say("done")] });
  expect(turn.status, turn.stderr).toBe(0);
  expect(turn.results[0]).toMatch(answer);
  expect(turn.results[1]).toContain("all is well");
});

test.each([
  ["is nowhere", "/nowhere/python3", /there is no Python at \/nowhere\/python3, which python\.path names/],
  ["is a text", "GARBAGE", /Python \(.*garbage\) could not be started: /],
  ["is another program", "/bin/true", /Python \(\/bin\/true\) could not be started: /],
])("where python.path %s the plugin says so and the turn goes on", async (_, path, why) => {
  const home = await pluginHome();
  home.plugin("good", good, python);
  home.plugins("enabled: [good]");
  const garbage = join(home.home, "garbage");
  writeFileSync(garbage, "no program\0\n", { mode: 0o755 });
  const named = path === "GARBAGE" ? garbage : path;
  home.write("~/.talaria/config.yaml", `${home.read("~/.talaria/config.yaml")}python:\n  path: ${named}\n`);
  const turn = await home.turn();
  expect(turn.status, turn.stderr).toBe(0);
  expect(turn.stdout).toContain("done");
  expect(turn.notices.join("\n")).toMatch(why);
});

test("where there is no Python at all the plugin says what to do, and plugins in TypeScript work", async () => {
  const home = await pluginHome();
  home.plugin("good", good, python);
  home.plugin(
    "other",
    `export const register = (context) => context.registerHook("pre_llm_call", () => "from the other");`,
  );
  home.plugins("enabled: [good, other]");
  const empty = join(home.home, "empty");
  mkdirSync(empty);
  const turn = await home.turn({ env: { PATH: empty } });
  expect(turn.status, turn.stderr).toBe(0);
  expect(turn.sent).toContain("from the other");
  expect(turn.notices.join("\n")).toMatch(
    /plugin good is not loaded: Python 3\.8 or newer is needed and there is none/,
  );
});

test("a virtual environment of the home is used, with the packages that lie in it", async () => {
  const home = await pluginHome();
  const venv = join(home.home, ".talaria", ".venv");
  mkdirSync(join(venv, "bin"), { recursive: true });
  const real = "exec python3";
  writeFileSync(join(venv, "bin", "python3"), `#!/bin/sh\nPYTHONPATH=${venv}/packages ${real} "$@"\n`, { mode: 0o755 });
  mkdirSync(join(venv, "packages"));
  writeFileSync(join(venv, "packages", "only_in_the_environment.py"), "answer = 'from the environment'\n");
  const source = good.replace('lambda args, **kw: "all is well"', "lambda args, **kw: answer");
  home.plugin("good", `from only_in_the_environment import answer\n${source}`, python);
  home.plugins("enabled: [good]");
  const turn = await home.turn({ steps: [call("good"), say("done")] });
  expect(turn.results[0], home.log()).toContain("from the environment");
});
