import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { startBriefly } from "./brief.ts";
import type { Exit, ProcessOptions } from "./process.ts";

const env = { PATH: process.env["PATH"] ?? "" };
const directory = mkdtempSync(join(tmpdir(), "talaria-brief-"));

type Options = Partial<ProcessOptions & { readonly input: string }>;
const start = (script: string, options: Options = {}) =>
  startBriefly("bash", ["-c", script], { cwd: directory, env, input: "", ...options });
const run = async (script: string, options: Options = {}): Promise<Exit> => (await start(script, options)).exit;

const parentOf = async (): Promise<string> => (await run("ps -o comm= -p $PPID")).stdout.text.trim();
const hasHelper = await (async () => {
  try {
    execFileSync("dash", ["-c", "exit 0"]);
    return process.platform === "linux";
  } catch {
    return false;
  }
})();

/** Dead, or a zombie that nobody has collected yet. */
function isGone(pid: string): boolean {
  try {
    return /\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, "latin1"));
  } catch {
    return true;
  }
}

describe.skipIf(!hasHelper)("a program started by the helper", () => {
  test("the first one is started by Node, later ones by the helper", async () => {
    expect(await parentOf()).not.toBe("dash");
    await expect.poll(parentOf, { timeout: 20_000 }).toBe("dash");
  }, 30_000);

  test("outputs, exit codes and signals arrive as they were", async () => {
    const exit = await run("cat; echo err >&2; exit 3", { input: "héllo" });
    expect(exit).toMatchObject({ code: 3, signal: null, timedOut: false, aborted: false });
    expect([exit.stdout.text, exit.stderr.text]).toEqual(["héllo", "err\n"]);
    expect(await run("kill -SEGV $$")).toMatchObject({ code: 139 });
    expect(await run("exit 137")).toMatchObject({ code: 137, signal: null });
  });

  test("its environment, folder and arguments are exactly the given ones", async () => {
    const words = ["a b", "", "$x", "é", "-x", "line\nbreak"];
    const options = { cwd: directory, env: { ...env, EMPTY: "", MANY: "a=b\nc" }, input: "" };
    const script = 'pwd; printf "%s|" "$@"; env -0';
    const process = await startBriefly("dash", ["-c", script, "dash", ...words], options);
    const said = (await process.exit).stdout.text;
    expect(said.startsWith(`${directory}\n${words.map((word) => `${word}|`).join("")}`)).toBe(true);
    const seen = said
      .slice(said.lastIndexOf("|") + 1)
      .split("\0")
      .slice(0, -1);
    const mark = seen.find((line) => line.startsWith("TALARIA_TREE="))?.slice("TALARIA_TREE=".length);
    const rest = seen.filter((line) => !/^(?:TALARIA_TREE|PWD|OLDPWD)=/.test(line));
    expect(rest.sort()).toEqual(
      Object.entries(options.env)
        .map(([name, value]) => `${name}=${value}`)
        .sort(),
    );
    expect(mark).toMatch(/^\.\d+-brief\.\d+\.$/);
  });

  test("it has a session that is not ours, no terminal, and the usual reactions to signals", async () => {
    const exit = await run(
      "ps -o pid=,pgid=,sid= -p $$; (: </dev/tty) 2>/dev/null || echo none; grep SigIgn /proc/self/status",
    );
    const [ids = "", terminal, ignored] = exit.stdout.text.trim().split("\n");
    const [, group, session] = ids.trim().split(/\s+/);
    expect([group, session]).not.toContain(String(process.pid));
    expect(group).toBe(session);
    expect(terminal).toBe("none");
    expect(ignored).toMatch(/0000000000000000$/);
  });

  test("nothing of ours is open in it", async () => {
    const exit = await run(
      "for n in 3 4 5 6 7 8 9 10 11 12 13 14 15; do [ -e /proc/$$/fd/$n ] && echo $n; done; echo end",
    );
    expect(exit.stdout.text).toBe("end\n");
  });

  test.each([0, 1, 60_000, 60_001, 3_000_000])("%d bytes of input arrive whole", async (bytes) => {
    expect((await run("wc -c", { input: "x".repeat(bytes) })).stdout.text.trim()).toBe(String(bytes));
  });

  test("output that is longer than a pipe holds arrives whole and in order", async () => {
    const pieces: string[] = [];
    const exit = await run("seq 200000; seq 3 >&2", {
      keepBytes: 4 << 20,
      onOutput: (text, stream) => stream === "stdout" && pieces.push(text),
    });
    const expected = Array.from({ length: 200_000 }, (_, index) => `${index + 1}\n`).join("");
    expect(exit.stdout.text).toBe(expected);
    expect(pieces.join("")).toBe(expected);
    expect(exit.stderr.text).toBe("1\n2\n3\n");
  });

  test("fifty at once keep their streams apart", async () => {
    const all = Array.from({ length: 50 }, async (_, index) =>
      run(`cat; echo "-$((RANDOM % 2))" >&2; exit ${index}`, { input: `input ${index}` }),
    );
    (await Promise.all(all)).forEach((exit, index) => {
      expect(exit).toMatchObject({ code: index, stdout: { text: `input ${index}` } });
      expect(exit.stderr.text).toMatch(/^-[01]\n$/);
    });
  }, 30_000);

  test("what cannot be run is told with its reason", async () => {
    const text = join(directory, "plain.txt");
    writeFileSync(text, "hello");
    const failure = (file: string, args: readonly string[] = [], cwd = directory): Promise<unknown> =>
      startBriefly(file, args, { cwd, env, input: "" }).then(
        async (process) => (await process.exit).failure,
        (error: unknown) => error,
      );
    const crlf = join(directory, "crlf.sh");
    writeFileSync(crlf, "#!/bin/nowhere\r\n", { mode: 0o755 });
    expect(await failure(crlf)).toMatchObject({ message: expect.stringContaining("interpreter") });
    expect(await failure("no-such-program-anywhere")).toMatchObject({
      code: "not_found",
      subject: "no-such-program-anywhere",
    });
    expect(await failure(text)).toMatchObject({ code: "not_executable" });
    expect(await failure("bash", [], "/nowhere/at/all")).toMatchObject({
      message: expect.stringContaining("/nowhere/at/all does not exist"),
    });
    expect(await failure("echo", ["x".repeat(3_000_000)])).toMatchObject({ code: "spawn_failed" });
  });

  test("a time limit and an abort end the whole tree", async () => {
    const exit = await run("echo $$; sleep 77 & echo $!; setsid sleep 78 & echo $!; wait", {
      timeoutMs: 400,
      graceMs: 100,
    });
    expect(exit).toMatchObject({ timedOut: true, code: null });
    const pids = exit.stdout.text.trim().split("\n");
    expect(pids).toHaveLength(3);
    for (const pid of pids) expect(isGone(pid)).toBe(true);
    const controller = new AbortController();
    const aborted = run("sleep 60", { signal: controller.signal });
    setTimeout(() => controller.abort(), 50);
    expect(await aborted).toMatchObject({ aborted: true, timedOut: false });
  });

  test("a child left in the background does not hold the exit, and its pipe serves nobody else", async () => {
    const exit = await run("(sleep 0.8; echo stray; echo stray >&2) & echo now");
    expect(exit.stdout.text).toBe("now\n");
    const later = await Promise.all(Array.from({ length: 20 }, () => run("sleep 1; echo own")));
    for (const one of later) expect([one.stdout.text, one.stderr.text]).toEqual(["own\n", ""]);
  }, 20_000);

  test("one that fails together with its helper is told as lost, and the next ones run", async () => {
    const running = run("kill -9 $PPID; sleep 60");
    const exit = await running;
    expect(exit.failure?.message).toContain("was lost");
    expect((await run("echo on")).stdout.text).toBe("on\n");
    await expect.poll(parentOf, { timeout: 20_000 }).toBe("dash");
  }, 30_000);
});
