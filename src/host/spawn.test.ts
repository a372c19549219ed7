import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Exit, ProcessOptions, RunningProcess } from "./process.ts";
import { spawn } from "./spawn.ts";

const env = { PATH: process.env["PATH"] ?? "" };
const directory = mkdtempSync(join(tmpdir(), "talaria-spawn-"));

const shell = (script: string, options: Partial<ProcessOptions> = {}): Promise<RunningProcess> =>
  spawn("bash", ["-c", script], { cwd: directory, env, ...options });
const run = async (script: string, options: Partial<ProcessOptions> = {}): Promise<Exit> =>
  (await shell(script, options)).exit;

/** Dead or a zombie that nobody has collected yet. */
async function isGone(pid: number): Promise<boolean> {
  const { readFile } = await import("node:fs/promises");
  const stat = await readFile(`/proc/${pid}/stat`, "latin1").catch(() => undefined);
  return stat === undefined || /\) [ZX]/.test(stat);
}

describe("what a process says and how it ends", () => {
  test("standard output, standard error and the exit code arrive", async () => {
    const exit = await run("echo out; echo err >&2; exit 3");
    expect(exit).toMatchObject({ code: 3, signal: null, timedOut: false, aborted: false });
    expect([exit.stdout.text, exit.stderr.text]).toEqual(["out\n", "err\n"]);
  });

  test("the signal that ended it is named", async () => {
    expect(await run("kill -9 $$")).toMatchObject({ code: null, signal: "SIGKILL" });
  });

  test("without input it reads the end of the file at once", async () => {
    expect((await run("cat; echo done")).stdout.text).toBe("done\n");
  });

  test("input arrives whole", async () => {
    const input = "é".repeat(500_000);
    expect((await run("wc -c", { input })).stdout.text.trim()).toBe("1000000");
  });

  test("a reader that ends early is no error", async () => {
    const exit = await run("head -c 1 >/dev/null; exit 0", { input: "x".repeat(10_000_000) });
    expect(exit.code).toBe(0);
  });

  test.skipIf(process.platform !== "linux")(
    "its streams can be opened by name, also long after and when the input is short",
    async () => {
      const exit = await run(
        "sleep 0.1; cat /dev/stdin; cat /dev/stdin; echo e > /dev/stderr; echo t | tee /dev/stderr",
        { input: "hi\n" },
      );
      expect([exit.stdout.text, exit.stderr.text, exit.code]).toEqual(["hi\nhi\nt\n", "e\nt\n", 0]);
    },
  );

  test("many at once keep their streams apart, and again afterwards", async () => {
    for (let round = 0; round < 3; round += 1) {
      const numbers = Array.from({ length: 25 }, (_, index) => `${round}-${index}`);
      const exits = await Promise.all(
        numbers.map((number) => run(`cat; echo ${number}; echo e${number} >&2`, { input: `i${number}\n` })),
      );
      expect(exits.map((exit) => exit.stdout.text + exit.stderr.text)).toEqual(
        numbers.map((n) => `i${n}\n${n}\ne${n}\n`),
      );
    }
  });

  test("no descriptors are left open by children, nor by those that cannot be started", async () => {
    const { readdirSync } = await import("node:fs");
    const count = (): number => readdirSync("/proc/self/fd").length;
    const round = async (): Promise<void> => {
      await Promise.all([
        run("true"),
        run("cat", { input: "x" }),
        spawn("no-such-program", [], { cwd: directory, env }).catch(() => undefined),
      ]);
    };
    await round();
    const before = count();
    for (let rounds = 0; rounds < 25; rounds += 1) await round();
    await expect.poll(count).toBeLessThanOrEqual(before + 12);
  });

  test("only the given environment is seen", async () => {
    const exit = await run("echo $SECRET-$GIVEN", { env: { ...env, GIVEN: "yes" } });
    expect(exit.stdout.text).toBe("-yes\n");
  });

  test("an interactive process is written to while it runs", async () => {
    const child = await spawn("cat", [], { cwd: directory, env, interactive: true });
    child.write("one\n");
    child.write("two\n");
    child.closeInput();
    child.write("late\n");
    expect((await child.exit).stdout.text).toBe("one\ntwo\n");
  });
});

describe("output", () => {
  test("characters are never cut between pieces", async () => {
    const pieces: string[] = [];
    const script = "printf '\\xf0\\x9f'; sleep 0.05; printf '\\x98\\x80'; sleep 0.05; printf '\\xc3'";
    const exit = await run(script, { onOutput: (text) => pieces.push(text) });
    expect(pieces.join("")).toBe("😀\ufffd");
    expect(pieces[0]).toBe("😀");
    expect(exit.stdout.text).toBe("😀\ufffd");
  });

  test("50 MB are counted and kept as head and tail in bounded memory", async () => {
    const before = process.memoryUsage().rss;
    const exit = await run("echo first; head -c 52428800 /dev/zero | tr '\\0' x; echo; echo last", {
      keepBytes: 10_000,
    });
    expect(exit.stdout.totalBytes).toBe(52_428_800 + 12);
    expect(exit.stdout.text.startsWith("first\nxxx")).toBe(true);
    expect(exit.stdout.text.endsWith("x\nlast\n")).toBe(true);
    expect(exit.stdout.text).toContain(`[... ${exit.stdout.droppedBytes} bytes left out ...]`);
    expect(exit.stdout.droppedBytes).toBe(52_428_812 - 10_000);
    expect(process.memoryUsage().rss - before).toBeLessThan(60_000_000);
  });

  test("an endless flood ends with its time limit", async () => {
    const exit = await run("yes", { timeoutMs: 300, keepBytes: 1000 });
    expect(exit).toMatchObject({ timedOut: true, code: null });
    expect(exit.stdout.totalBytes).toBeGreaterThan(100_000);
    expect(exit.durationMs).toBeLessThan(3000);
  });
});

describe("the end of a tree", () => {
  test("a time limit ends children that left the group and lost their parent", async () => {
    const exit = await run("setsid -f bash -c 'echo $$; exec sleep 987'; setsid sleep 986 & echo $!; wait; sleep 9", {
      timeoutMs: 1000,
    });
    expect(exit.timedOut).toBe(true);
    const pids = exit.stdout.text.trim().split("\n").map(Number);
    expect(pids).toHaveLength(2);
    for (const pid of pids) expect(await isGone(pid)).toBe(true);
  });

  test("one that ignores the polite signal is killed after the grace", async () => {
    const exit = await run("trap '' TERM; echo ready; while :; do sleep 0.05; done", { timeoutMs: 200, graceMs: 200 });
    expect(exit).toMatchObject({ timedOut: true, signal: "SIGKILL" });
    expect(exit.durationMs).toBeGreaterThan(380);
    expect(exit.durationMs).toBeLessThan(3000);
  });

  test("one that listens to it ends by itself and is heard", async () => {
    const exit = await run("trap 'echo bye; exit 7' TERM; while :; do sleep 0.02; done", { timeoutMs: 150 });
    expect(exit).toMatchObject({ code: 7, timedOut: true });
    expect(exit.stdout.text).toBe("bye\n");
  });

  test("an abort ends it", async () => {
    const controller = new AbortController();
    const child = await shell("sleep 60 & sleep 60", { signal: controller.signal });
    controller.abort();
    expect(await child.exit).toMatchObject({ aborted: true, timedOut: false });
  });

  test("a fork storm is ended", async () => {
    const exit = await run(
      "for i in $(seq 60); do (while :; do sleep 0.01; done) & done; setsid bash -c 'while :; do sleep 0.01; done' & wait",
      {
        timeoutMs: 500,
        graceMs: 100,
      },
    );
    expect(exit.timedOut).toBe(true);
    expect(exit.durationMs).toBeLessThan(6000);
  });

  test("kill settles when all are gone, also twice and after the end", async () => {
    const child = await shell("sleep 60 & echo $!; wait");
    await Promise.all([child.kill(), child.kill()]);
    await child.kill();
    const { stdout } = await child.exit;
    if (stdout.text !== "") expect(await isGone(Number(stdout.text))).toBe(true);
  });

  test("a child left in the background does not hold the exit, nor is it ended by a broken pipe", async () => {
    const exit = await run("(sleep 0.6; echo late; touch alive) & echo $!");
    expect(exit.durationMs).toBeLessThan(550);
    expect(exit.stdout.text).toMatch(/^\d+\n$/);
    const { access } = await import("node:fs/promises");
    await expect
      .poll(
        () =>
          access(join(directory, "alive")).then(
            () => true,
            () => false,
          ),
        { timeout: 3000 },
      )
      .toBe(true);
  });
});

describe("what cannot be started", () => {
  const text = join(directory, "plain.txt");
  writeFileSync(text, "hello");
  const crlf = join(directory, "crlf.sh");
  writeFileSync(crlf, "#!/bin/nowhere\r\n", { mode: 0o755 });

  test.each([
    ["no-such-program-anywhere", "not_found", "on PATH"],
    [join(directory, "missing"), "not_found", "no such file"],
    [text, "not_executable", "chmod +x"],
    [crlf, "not_found", "interpreter"],
    ["a\0b", "spawn_failed", "null bytes"],
  ])("%s is %s and says so", async (file, code, words) => {
    const error = await spawn(file, [], { cwd: directory, env }).catch((problem: unknown) => problem);
    expect(error).toMatchObject({ name: "HostError", code, subject: file });
    expect((error as Error).message).toContain(words);
  });

  test("a missing working directory is named, not the program", async () => {
    await expect(spawn("bash", [], { cwd: "/nowhere/at/all", env })).rejects.toThrow("/nowhere/at/all does not exist");
  });

  test("arguments that are too large are refused with a hint", async () => {
    const started = spawn("echo", ["x".repeat(3_000_000)], { cwd: directory, env });
    await expect(started).rejects.toMatchObject({ code: "spawn_failed" });
    await expect(started).rejects.toThrow("standard input");
  });
});
