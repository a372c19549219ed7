import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { isAlive, type TurnFixture, turnFixture } from "../turn-fixture.ts";
import { terminal } from "./terminal.ts";

const heard: { readonly event: string; readonly payload: Record<string, unknown> }[] = [];
const handlers: Record<string, (payload: never) => unknown> = {};
let turn: TurnFixture;

beforeEach(async () => {
  heard.length = 0;
  for (const event of Object.keys(handlers)) delete handlers[event];
  turn = await turnFixture(
    (folder) => [terminal({ home: join(folder, "home"), redact: (text) => text.replaceAll("s3cret", "***") })],
    handlers,
  );
});
afterEach(() => turn.close());

const run = (command: string, more: Readonly<Record<string, unknown>> = {}) =>
  turn.call("terminal", { command, ...more });

function hear(event: string, answer?: unknown): void {
  handlers[event] = (payload: never) => {
    heard.push({ event, payload });
    return answer;
  };
}

const childIsAlive = async () => isAlive(Number(await readFile(join(turn.folder, "pid"), "utf8")));

describe("a foreground command", () => {
  test("that is no shell text shows its own error only, and keeps the folder", async () => {
    const answer = await run("cd / && echo 'x");
    expect(answer).toMatchObject({ exit_code: expect.any(Number), output: expect.stringContaining("matching") });
    expect(answer["output"]).not.toContain("talaria_");
    expect(answer["exit_code"]).not.toBe(0);
    expect(await run("pwd")).toMatchObject({ output: turn.folder });
  });

  test("answers with its output and exit code, both streams in their order", async () => {
    expect(await run("echo one; echo two >&2; echo three; exit 4")).toEqual({
      output: "one\ntwo\nthree",
      exit_code: 4,
      error: null,
    });
  });

  test("has the null device for input", async () => {
    expect(await run("cat; echo done")).toMatchObject({ output: "done", exit_code: 0 });
  });

  test("shows what it prints while it runs", async () => {
    await run("echo live");
    expect(turn.progress.join("")).toBe("live\n");
  });

  test.each([
    ["a quote in it", `echo "it's"`, "it's"],
    ["a here-document", "cat <<'END'\n$HOME `x`\nEND", "$HOME `x`"],
    ["a comment at its end", "echo a # b", "a"],
    ["positional parameters", 'echo "$#"', "0"],
    ["several lines", "echo a\necho b", "a\nb"],
    ["tracing on", "set -x; cd /; true", "+ cd /\n+ true"],
    ["a pipe", "printf 'b\\na\\n' | sort", "a\nb"],
  ])("with %s", async (_what, command, output) => {
    expect((await run(command))["output"].replaceAll("++ ", "+ ")).toBe(output);
  });

  test("may be longer than the system's limit for one argument", async () => {
    const answer = await run(`printf %s '${"漢".repeat(60_000)}' | wc -c`);
    expect(answer["output"].trim()).toBe("180000");
  });

  test("says what its exit code means", async () => {
    expect(await run("echo a | grep b")).toMatchObject({
      exit_code: 1,
      exit_code_meaning: expect.stringContaining("no line matched"),
    });
  });

  test("loses secrets, escape sequences and NUL in what is shown", async () => {
    const answer = await run("printf '\\033[31ms3cret\\033[0m\\0\\n'");
    expect(answer["output"]).toBe("***␀");
    expect(turn.progress.join("")).not.toContain("s3cret");
  });

  test("shows no half of a secret that the cut would split", async () => {
    const { output } = await run("printf '%1997ss3cret rest\\n'");
    expect(output).toContain("***");
    expect(output).not.toContain("s3c");
  });

  test("with binary output is told so", async () => {
    expect(await run("head -c 4000 /dev/urandom")).toMatchObject({
      output: expect.stringContaining("binary output: 4000 bytes"),
    });
  });

  test("of 50 MB stays small, with head and tail", async () => {
    const before = process.memoryUsage.rss();
    const answer = await run(
      "echo first; yes 0123456789012345678901234567890123456789 | head -c 52428800; echo; echo last",
    );
    expect(answer["output"].length).toBeLessThan(51_000);
    expect(answer["output"].startsWith("first\n")).toBe(true);
    expect(answer["output"].endsWith("\nlast")).toBe(true);
    expect(answer).toMatchObject({ truncated: true, total_bytes: 52_428_800 + 12 });
    expect(process.memoryUsage.rss() - before).toBeLessThan(150 << 20);
    expect(turn.progress.join("").length).toBeLessThan(201_000);
  });

  test("that is missing or empty is refused", async () => {
    expect(await turn.call("terminal", {})).toMatchObject({ error: expect.stringContaining("command") });
    expect(await run("  ")).toMatchObject({ error: expect.stringContaining("command") });
    expect(await run("echo \0")).toMatchObject({ error: expect.stringContaining("NUL") });
  });
});

describe("the session's folder and variables", () => {
  test("follow cd and export", async () => {
    await mkdir(join(turn.folder, "sub dir"));
    expect(await run(`cd 'sub dir' && export WORD=$'a "b"\\n$c \\'d\\' \\\\'`)).toMatchObject({
      cwd: join(turn.folder, "sub dir"),
    });
    expect(turn.context.cwd).toBe(join(turn.folder, "sub dir"));
    expect((await run('pwd; printf %s "$WORD"'))["output"]).toBe(`${turn.folder}/sub dir\na "b"\n$c 'd' \\`);
    expect((await run("unset WORD; cd - >/dev/null; pwd"))["output"]).toBe(turn.folder);
    expect((await run('echo "[$WORD]"'))["output"]).toBe("[]");
  });

  test.each([
    ["an exit", "cd /usr; exit 3", 3],
    ["a failure under set -e", "set -e; cd /usr; false; cd /", 1],
    ["an exit under set -u", "set -u; cd /usr; exit 2", 2],
    ["an exit where all variables are exported", "set -a; cd /usr; exit 2", 2],
    ["output that is sent elsewhere", "exec >/dev/null 2>&1; cd /usr", 0],
    ["a trap of its own", "trap 'echo bye' EXIT; cd /usr", 0],
  ])("follow cd also through %s", async (_what, command, code) => {
    expect(await run(command)).toMatchObject({ exit_code: code, cwd: "/usr" });
  });

  test("do not carry what belongs to one shell", async () => {
    await run("set -a; WORD=kept; exit 2");
    expect(await run("echo $WORD; export -p | grep -c talaria_; cd /usr; exit 1")).toMatchObject({
      output: "kept\n0",
      cwd: "/usr",
    });
  });

  test("do not follow a subshell, nor a call with workdir", async () => {
    await run("(cd /usr)");
    expect(await run("pwd; cd /", { workdir: "/usr" })).toMatchObject({ output: "/usr" });
    expect(turn.context.cwd).toBe(turn.folder);
  });

  test("tell those who listen for a change", async () => {
    hear("cwd_changed");
    await run("true");
    await run("cd /usr");
    expect(heard.map(({ payload }) => payload)).toEqual([{ sessionId: "s-1", oldCwd: turn.folder, newCwd: "/usr" }]);
  });

  test("survive the folder's end", async () => {
    await mkdir(join(turn.folder, "gone"));
    await run("cd gone");
    await rm(join(turn.folder, "gone"), { recursive: true });
    expect(await run("pwd")).toMatchObject({
      output: turn.folder,
      note: expect.stringContaining("does not exist any more"),
    });
  });

  test("a workdir that does not exist is refused", async () => {
    expect(await run("pwd", { workdir: "nowhere" })).toMatchObject({
      error: expect.stringContaining("nowhere does not exist"),
    });
  });
});

describe("a pseudo-terminal", () => {
  test("is what the command sees, and its output is cleaned", async () => {
    expect(
      await run("test -t 0 && test -t 1 && printf '\\033[32myes\\033[0m\\n'; exit 3", { pty: true }),
    ).toMatchObject({
      output: "yes",
      exit_code: 3,
    });
    expect(await run("test -t 1 || echo no")).toMatchObject({ output: "no" });
  });

  test("ends at the time-out", async () => {
    expect(await run("echo begun; sleep 60", { pty: true, timeout: 1 })).toMatchObject({
      output: "begun",
      exit_code: 124,
    });
  });
});

describe("an end before its time", () => {
  test("by time-out keeps the output so far and leaves no child", async () => {
    const started = performance.now();
    const answer = await run("echo begun; sh -c 'echo $$ > pid; sleep 60' & wait", { timeout: 1 });
    expect(answer).toMatchObject({
      output: "begun",
      exit_code: 124,
      error: expect.stringContaining("Timed out after 1 s"),
    });
    expect(performance.now() - started).toBeLessThan(3_000);
    expect(await childIsAlive()).toBe(false);
  });

  test("by interrupt comes at once, with the whole tree, also where it would rather stay", async () => {
    const controller = new AbortController();
    const ended = turn.call(
      "terminal",
      { command: "trap '' TERM; (trap '' TERM; sh -c 'echo $$ > pid; exec sleep 60'); sleep 60" },
      controller.signal,
    );
    await expect.poll(() => readFile(join(turn.folder, "pid"), "utf8").catch(() => "")).not.toBe("");
    const at = performance.now();
    controller.abort();
    expect(await ended).toMatchObject({ exit_code: 130, error: expect.stringContaining("Interrupted") });
    expect(performance.now() - at).toBeLessThan(2_000); // on a busy machine; some 250 ms on an idle one
    expect(await childIsAlive()).toBe(false);
  });

  test("a child left in the background does not hold the answer", async () => {
    const started = performance.now();
    expect(await run("sleep 20 & echo started")).toMatchObject({ output: "started", exit_code: 0 });
    expect(performance.now() - started).toBeLessThan(3_000);
  });
});

describe("hooks on the output", () => {
  test("see all of it as it came, and what they answer is shown, an empty text too", async () => {
    hear("transform_terminal_output", { output: "changed s3cret" });
    expect(await run("printf '\\033[31mred'; exit 2")).toMatchObject({ output: "changed ***", exit_code: 2 });
    expect(heard[0]?.payload).toMatchObject({
      command: "printf '\\033[31mred'; exit 2",
      output: "\u001b[31mred",
      exitCode: 2,
      taskId: "t-1",
      envType: "local",
    });
    hear("transform_terminal_output", { output: "" });
    expect((await run("echo x"))["output"]).toBe("");
  });

  test("see the whole of long output", async () => {
    hear("transform_terminal_output");
    await run("head -c 3000000 /dev/zero | tr '\\0' x");
    expect(String(heard[0]?.payload["output"]).length).toBe(3_000_000);
  });
});

describe("the environment", () => {
  test("names the home, and lacks what is withheld", async () => {
    const other = await turnFixture((folder) => [
      terminal({ home: join(folder, "home"), redact: (text) => text, without: new Set(["PATH_SECRET"]) }),
    ]);
    process.env["PATH_SECRET"] = "x";
    try {
      const answer = await other.call("terminal", { command: 'echo "$TALARIA_HOME $HERMES_HOME [$PATH_SECRET]"' });
      expect(answer["output"]).toBe(`${other.folder}/home ${other.folder}/home []`);
    } finally {
      delete process.env["PATH_SECRET"];
      await other.close();
    }
  });

  test("a shell without a name for bash still works", async () => {
    await writeFile(join(turn.folder, "script.sh"), "echo from sh\n");
    expect(await run("sh script.sh")).toMatchObject({ output: "from sh" });
  });
});
