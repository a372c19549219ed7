import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { condition } from "./condition.ts";
import { shellParts } from "./shell-parts.ts";

const place = { cwd: "/home/ada/project", userHome: "/home/ada", sourceFolder: "/home/ada/project" };
const bash = (command: string) => ({ name: "Bash", aliases: ["terminal"], input: { command } });
const edit = (file_path: string, name = "Edit") => ({ name, aliases: [], input: { file_path } });

describe("a rule about commands", () => {
  test.each<[rule: string, command: string, holds: boolean]>([
    ["Bash(git *)", "git status", true],
    ["Bash(git *)", "git", true],
    ["Bash(git *)", "npm test && git push", true],
    ["Bash(git *)", "npm test&&git push", true],
    ["Bash(git *)", "FOO=1 git status", true],
    ["Bash(git *)", "FOO='a b' BAR=\"$X\" git status", true],
    ["Bash(git *)", "echo $(git log)", true],
    ["Bash(git *)", "echo `git log`", true],
    ["Bash(git *)", 'echo "today: $(git log)"', true],
    ["Bash(git *)", "diff <(git show) x", true],
    ["Bash(git *)", "(cd x; git pull)", true],
    ["Bash(git *)", "if git diff; then echo; fi", true],
    ["Bash(git *)", "true || git pull", true],
    ["Bash(git *)", "cat x | git apply", true],
    ["Bash(git *)", "echo a\ngit pull", true],
    ["Bash(git *)", "sleep 1 & git pull", true],
    ["Bash(git *)", "timeout 5 git pull", true],
    ["Bash(git *)", "time nohup nice -n 5 git pull", true],
    ["Bash(git *)", "ls | xargs git add", true],
    ["Bash(git *)", "gitk", false],
    ["Bash(git *)", "echo git", false],
    ["Bash(git *)", "echo 'a && git push'", false],
    ["Bash(git *)", "echo a 2>&1", false],
    ["Bash(git:*)", "git push", true],
    ["Bash(git:*)", "gitk", false],
    ["Bash(git*)", "gitk", true],
    ["Bash(ls *)", "lsof", false],
    ["Bash(npm run test)", "npm run test", true],
    ["Bash(npm run test)", "npm run test:unit", false],
    ["Bash(* --force)", "git push --force", true],
    ["Bash(rm -rf *)", "rm -rf build", true],
    ["Bash(rm -rf *)", "rm -r build", false],
    ["Bash(rm -rf *)", "X=rm; $X -rf build", true],
    ["Bash(rm -rf *)", "echo $(date)", true],
    ["Bash(git *)", "echo 'not closed", true],
    ["Bash", "anything", true],
    ["Bash(*)", "anything", true],
    ["terminal(git *)", "git status", true],
    ["Edit(*.ts)", "vim x.ts", false],
    ["not a rule (", "git", false],
    ["Bash(git *", "git status", false],
  ])("%s of %j: %s", (rule, command, holds) => {
    expect(condition(rule).holds(bash(command), place)).toBe(holds);
  });
});

describe("a rule about files", () => {
  test.each<[rule: string, path: string, holds: boolean]>([
    ["Edit(*.ts)", "/home/ada/project/src/deep/a.ts", true],
    ["Edit(*.ts)", "src/a.ts", true],
    ["Edit(*.ts)", "/home/ada/project/a.tsx", false],
    ["Edit(src/**)", "/home/ada/project/src/a.ts", true],
    ["Edit(src/**)", "/home/ada/project/web/src/a.ts", false],
    ["Edit(src/**/*.ts)", "/home/ada/project/src/a.ts", true],
    ["Edit(**/secrets/*)", "/home/ada/project/x/secrets/key", true],
    ["Edit(/docs/**)", "/home/ada/project/docs/a.md", true],
    ["Edit(//etc/**)", "/etc/hosts", true],
    ["Edit(//etc/**)", "/home/etc/hosts", false],
    ["Edit(~/.ssh/**)", "/home/ada/.ssh/id", true],
    ["Edit(.env)", "/home/ada/project/web/.env", true],
    ["Edit(.env)", "/home/ada/project/web/.environment", false],
    ["Edit(build/)", "/home/ada/project/build/x/y", true],
    ["Edit([ab].ts)", "a.ts", true],
    ["Edit([!ab].ts)", "a.ts", false],
    ["Edit(a?.ts)", "a1.ts", true],
    ["Read(*.ts)", "a.ts", false],
  ])("%s of %s: %s", (rule, path, holds) => {
    expect(condition(rule).holds(edit(path), place)).toBe(holds);
  });

  test("a rule about edits is for all tools that write", () => {
    for (const name of ["Edit", "Write", "MultiEdit"])
      expect(condition("Edit(*.ts)").holds(edit("a.ts", name), place)).toBe(true);
    expect(condition("Write(*.ts)").holds(edit("a.ts", "Edit"), place)).toBe(false);
  });
});

test.each<[rule: string, name: string, input: Record<string, unknown>, holds: boolean]>([
  ["WebFetch(domain:example.com)", "WebFetch", { url: "https://example.com/a" }, true],
  ["WebFetch(domain:example.com)", "WebFetch", { url: "https://example.com.evil.org/" }, false],
  ["WebFetch(domain:*.example.com)", "WebFetch", { url: "https://docs.example.com/" }, true],
  ["WebFetch(domain:example.com)", "WebFetch", { url: "no address" }, false],
  ["Agent(explorer)", "Agent", { subagent_type: "explorer" }, true],
  ["Agent(explorer)", "Agent", { subagent_type: "tester" }, false],
  ["Agent(model:son*)", "Agent", { model: "sonnet" }, true],
  ["Bash(run_in_background:true)", "Bash", { command: "x", run_in_background: true }, false],
  ["mcp__memory__read", "mcp__memory__read", {}, true],
  ["mcp__memory", "mcp__memory__read", {}, false],
  ["mcp__memory__*", "mcp__memory__read", {}, true],
])("%s of %s %j: %s", (rule, name, input, holds) => {
  expect(condition(rule).holds({ name, aliases: [], input }, place)).toBe(holds);
});

const word = fc.stringMatching(/^[a-z][a-z0-9]{0,6}$/);
const separator = fc.constantFrom("&&", "||", ";", "|", "|&", "&", "\n");

test("a command is found wherever it stands among others", () => {
  fc.assert(
    fc.property(fc.array(word, { maxLength: 4 }), separator, fc.nat(4), (others, between, at) => {
      const commands = others.map((name) => `${name}x -a 'b; c'`);
      commands.splice(at, 0, "git push");
      expect(condition("Bash(git push)").holds(bash(commands.join(` ${between} `)), place)).toBe(true);
      expect(condition("Bash(gitt *)").holds(bash(commands.join(` ${between} `)), place)).toBe(false);
    }),
  );
});

test("reading a shell text ends and never throws, whatever it is", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(..."ab '\"`$(){}\\;&|<>#\n=*") }), (text) => {
      expect(shellParts(text).commands.every((command) => command.trim() === command)).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});
