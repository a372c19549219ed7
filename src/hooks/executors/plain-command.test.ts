import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { workshop } from "./executor-fixture.ts";
import { plainProgram, plainWords } from "./plain-command.ts";

const env = {
  PATH: process.env["PATH"] ?? "",
  HOME: "/home/ada",
  CLAUDE_PROJECT_DIR: "/p q",
  CLAUDE_PLUGIN_ROOT: "/opt/x",
};

describe("a command that needs no shell", () => {
  test.each([
    ["python3 /opt/hook.py --mode=x", ["python3", "/opt/hook.py", "--mode=x"]],
    ['"$CLAUDE_PROJECT_DIR"/.claude/hooks/x.sh', ["/p q/.claude/hooks/x.sh"]],
    ['"${CLAUDE_PROJECT_DIR}/x.sh" \'a "b" $c\'', ["/p q/x.sh", 'a "b" $c']],
    ["$CLAUDE_PLUGIN_ROOT/x.sh", ["/opt/x/x.sh"]],
    ["  ./x.sh  ''", ["./x.sh", ""]],
  ])("%s", (command, words) => {
    expect(plainWords(command, env)).toEqual(words);
  });

  test.each([
    "echo hello",
    "a | b",
    "a; b",
    "a && b",
    "a > b",
    "a\nb",
    "~/x.sh",
    "x.sh *",
    "A=b x.sh",
    "x.sh $1",
    "x.sh $UNSET",
    "x.sh $PATH",
    "$CLAUDE_PROJECT_DIR/x.sh",
    'x.sh "a\\b"',
    "x.sh `y`",
    "x.sh $(y)",
    "x.sh {a,b}",
    "x.sh # y",
    "'open",
    "",
    "if",
    "x.sh é",
  ])("not %s", (command) => {
    expect(plainWords(command, env)).toBeUndefined();
  });

  test("its words are those that bash makes of it", () => {
    const piece = fc.constantFrom(
      "a",
      "-b",
      "/",
      " ",
      "  ",
      "'",
      '"',
      "$HOME",
      "${CLAUDE_PLUGIN_ROOT}",
      '"$CLAUDE_PROJECT_DIR"',
      "=",
      "\\",
      "*",
      "~",
    );
    const commands = fc
      .sample(fc.array(piece, { maxLength: 8 }), 400)
      .map((pieces) => `./x ${pieces.join("")}`)
      .flatMap((command) => {
        const words = plainWords(command, env);
        return words === undefined ? [] : [{ command, words }];
      });
    expect(commands.length).toBeGreaterThan(30);
    const script = commands.map(({ command }) => `set -- ${command}; printf '%s\\0' "$#" "$@"`).join("\n");
    const said = execFileSync("bash", ["-c", script], { env, encoding: "utf8" });
    expect(said).toBe(
      commands.map(({ words }) => [words.length, ...words].map((word) => `${word}\0`).join("")).join(""),
    );
  });

  test("leaves its program the environment that bash would have left", async () => {
    const shop = workshop();
    const own = { ...env, SHLVL: "3" };
    const bash = execFileSync("bash", ["-c", "/usr/bin/env"], { env: own, cwd: shop.folder, encoding: "utf8" });
    const program = await plainProgram("/usr/bin/env", own, shop.folder);
    const sorted = (lines: readonly string[]): readonly string[] => [...lines].sort();
    expect(sorted(Object.entries(program?.env ?? {}).map(([name, value]) => `${name}=${value}`))).toEqual(
      sorted(bash.trim().split("\n")),
    );
  });

  test("is left to the shell where the file has no interpreter, is none, or the shell is customised", async () => {
    const shop = workshop();
    const script = shop.script("with.sh", "#!/bin/sh\n");
    const bare = shop.script("without.sh", "echo hello\n");
    const text = shop.script("text.sh", "#!/bin/sh\n", 0o644);
    expect(await plainProgram(script, env, shop.folder)).toMatchObject({ file: script, args: [] });
    expect(await plainProgram("./with.sh", env, shop.folder)).toMatchObject({ file: "./with.sh" });
    for (const command of [bare, text, "./missing.sh", "no-such-program"])
      expect(await plainProgram(command, env, shop.folder)).toBeUndefined();
    expect(await plainProgram(script, { ...env, BASH_ENV: "/x" }, shop.folder)).toBeUndefined();
    expect(await plainProgram(script, { ...env, "BASH_FUNC_x%%": "() { :; }" }, shop.folder)).toBeUndefined();
  });
});
