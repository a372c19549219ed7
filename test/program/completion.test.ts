import { execFileSync, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { commands } from "../../src/cli/commands.ts";
import { folder, run } from "../program-fixture.ts";

const has = (program: string) => spawnSync(program, ["--version"]).error === undefined;

async function script(shell: string): Promise<string> {
  const ran = await run(["completion", shell], { home: folder() });
  expect(ran).toMatchObject({ status: 0, stderr: "" });
  return ran.stdout;
}

async function bash(words: readonly string[]): Promise<readonly string[]> {
  const file = join(folder(), "completion.bash");
  writeFileSync(file, await script("bash"));
  const quoted = words.map((word) => `'${word}'`).join(" ");
  const asked = `source ${file}; COMP_WORDS=(talaria ${quoted}); COMP_CWORD=${words.length}; _talaria; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync("bash", ["-c", asked], { encoding: "utf8" }).split("\n").filter(Boolean);
}

test("a real bash completes commands, commands below them, options and values", async () => {
  for (const { name } of commands) expect(await bash([name.slice(0, -1)])).toContain(name);
  expect(await bash(["sessions", "ex"])).toEqual(["export"]);
  expect(await bash(["run", "--max"])).toEqual(["--max-iterations"]);
  expect(await bash(["sessions", "export", "--format", "j"])).toEqual(["json", "jsonl"]);
  expect(await bash(["completion", "z"])).toEqual(["zsh"]);
});

test("zsh takes its script", async ({ skip }) => {
  if (!has("zsh")) return skip("zsh is not installed");
  const file = join(folder(), "_talaria");
  writeFileSync(file, await script("zsh"));
  execFileSync("zsh", ["-n", file]);
  const asked = `source ${file}; print $_comps[talaria]`;
  expect(execFileSync("zsh", ["-c", asked], { encoding: "utf8" })).not.toBe("\n");
});

test("fish completes commands and options", async ({ skip }) => {
  if (!has("fish")) return skip("fish is not installed");
  const file = join(folder(), "talaria.fish");
  writeFileSync(file, await script("fish"));
  const asked = (line: string) =>
    execFileSync("fish", ["-c", `source ${file}; complete -C '${line}'`], { encoding: "utf8" });
  expect(asked("talaria sess")).toContain("sessions");
  expect(asked("talaria sessions ex")).toContain("export");
  expect(asked("talaria run --max")).toContain("--max-iterations");
});

test("another shell is a mistake of the person", async () => {
  expect(await run(["completion", "tcsh"], { home: folder() })).toMatchObject({ status: 2 });
});
