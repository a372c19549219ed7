import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findProgram } from "#host";
import { machine } from "../sources/source-files-fixture.ts";

const run = (program: string, args: readonly string[]): Promise<number | null> =>
  new Promise((resolve) => {
    spawn(program, args, { stdio: "inherit", cwd: join(import.meta.dirname, "../../..") }).on("exit", resolve);
  });

function ours(home: string, letter: string, rounds: number): Promise<number | null> {
  const script = `
    const { allowList } = await import(${JSON.stringify(join(import.meta.dirname, "allow-list.ts"))});
    const list = allowList(${JSON.stringify(home)}, process.env);
    for (let n = 0; n < ${rounds}; n += 1) await list.approve("pre_tool_call", "${letter}" + n);`;
  return run(process.execPath, ["--conditions=talaria-source", "--input-type=module", "-e", script]);
}

/** Another program that keeps the list as Hermes does: an advisory lock beside it, a temporary file renamed over it. */
const theirs = `
import fcntl, json, os, sys, time
path = sys.argv[1] + "/shell-hooks-allowlist.json"
for n in range(int(sys.argv[2])):
    with open(path + ".lock", "a+") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            data = json.load(open(path))
        except Exception:
            data = {"approvals": []}
        time.sleep(0.02)
        data["approvals"].append({"event": "pre_tool_call", "command": "p%d" % n})
        with open(path + ".tmp", "w") as out:
            json.dump(data, out, indent=2, sort_keys=True)
        os.replace(path + ".tmp", path)
`;

const commandsIn = (home: string): readonly string[] => {
  const { approvals } = JSON.parse(readFileSync(join(home, "shell-hooks-allowlist.json"), "utf8"));
  return approvals.map(({ command }: { readonly command: string }) => command).sort();
};

const names = (letter: string, rounds: number): readonly string[] =>
  Array.from({ length: rounds }, (_, n) => `${letter}${n}`);

test("two processes that allow hooks at once lose none", async () => {
  using on = machine();
  const home = on.search.home;
  expect(await Promise.all([ours(home, "a", 4), ours(home, "b", 4)])).toEqual([0, 0]);
  expect(commandsIn(home)).toEqual([...names("a", 4), ...names("b", 4)]);
}, 60_000);

const python = findProgram("python3");

test.skipIf(python === undefined || findProgram("flock") === undefined)(
  "a program that locks the list as Hermes does loses none either",
  async () => {
    using on = machine();
    const home = on.search.home;
    const both = [ours(home, "a", 5), run(python ?? "", ["-c", theirs, home, "20"])];
    expect(await Promise.all(both)).toEqual([0, 0]);
    expect(commandsIn(home)).toEqual([...names("a", 5), ...names("p", 20)].sort());
  },
  60_000,
);
