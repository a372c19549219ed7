import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { startInSession } from "./brief.ts";
import type { Exit, ProcessOptions } from "./process.ts";

const env = { PATH: process.env["PATH"] ?? "" };
const directory = mkdtempSync(join(tmpdir(), "talaria-session-"));

const start = (script: string, options: Partial<ProcessOptions> = {}) =>
  startInSession("bash", ["-c", script], { cwd: directory, env, ...options });
const run = async (script: string, options: Partial<ProcessOptions> = {}): Promise<Exit> =>
  (await start(script, options)).exit;

const hasHelper = (() => {
  try {
    execFileSync("setsid", ["dash", "-c", "exit 0"]);
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

/** A process of its own that starts a script in a session, tells its helper's number, and does `then`. */
async function other(script: string, then: string): Promise<ChildProcess> {
  const file = join(mkdtempSync(join(tmpdir(), "talaria-other-")), "other.mts");
  const brief = JSON.stringify(join(import.meta.dirname, "brief.ts"));
  writeFileSync(
    file,
    `import { startInSession } from ${brief};
const said = (text) => { process.stdout.write(text); ${then} };
await startInSession("bash", ["-c", ${JSON.stringify(script)}], { cwd: "/", env: process.env, onOutput: said });`,
  );
  const child = spawn(process.execPath, ["--conditions=talaria-source", file], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(child, "spawn");
  return child;
}

async function saidBy(child: ChildProcess): Promise<string[]> {
  let text = "";
  child.stdout?.on("data", (piece) => {
    text += piece;
  });
  await expect.poll(() => text, { timeout: 20_000 }).toContain("\n");
  return text.trim().split(" ");
}

describe.skipIf(!hasHelper)("a program in a session of its own, started by a helper", () => {
  test("the first one is the helper's already, and leads its session and group", async () => {
    const exit = await run("ps -o comm= -p $PPID; ps -o pid=,pgid=,sid= -p $$; echo $$");
    const [parent, ids = "", own] = exit.stdout.text.trim().split("\n");
    expect(parent).toBe("dash");
    expect(new Set(ids.trim().split(/\s+/))).toEqual(new Set([own]));
  });

  test("has no terminal, the null device for input, and the usual reactions to signals", async () => {
    const exit = await run(
      "cat; readlink /proc/$$/fd/0; (: </dev/tty) 2>/dev/null || echo none; grep SigIgn /proc/$$/status",
    );
    expect(exit.stdout.text).toMatch(/^\/dev\/null\nnone\nSigIgn:\s+0000000000000000\n$/);
  });

  test("is read while it runs, characters whole", async () => {
    const pieces: string[] = [];
    const running = await start(
      "printf '\\xf0\\x9f'; sleep 0.05; printf '\\x98\\x80'; while [ ! -e go ]; do sleep 0.02; done; echo end",
      {
        onOutput: (text) => pieces.push(text),
      },
    );
    await expect.poll(() => pieces.join("")).toBe("😀");
    writeFileSync(join(directory, "go"), "");
    await running.exit;
    expect(pieces.join("")).toBe("😀end\n");
  });

  test("may end its whole group without ending its helper", async () => {
    expect(await run("trap 'exit 7' TERM; kill 0; exit 1")).toMatchObject({ code: 7 });
    expect(await run("kill -9 0")).toMatchObject({ code: 137 });
    expect((await run("echo on")).stdout.text).toBe("on\n");
  });

  test("an abort ends also what has lost its parent and its environment", async () => {
    const controller = new AbortController();
    let said = "";
    const running = await start("echo $$; (env -i sleep 87 & echo $!); (setsid sleep 88 & echo $!); wait; sleep 89", {
      signal: controller.signal,
      graceMs: 100,
      onOutput: (text, stream) => {
        if (stream === "stdout") said += text;
      },
    });
    await expect.poll(() => said.split("\n").length).toBe(4);
    controller.abort();
    expect(await running.exit).toMatchObject({ aborted: true, code: null });
    const pids = said.trim().split("\n");
    expect(pids).toHaveLength(3);
    for (const pid of pids) expect(isGone(pid)).toBe(true);
  });

  test("more at once than there are helpers run side by side", async () => {
    const all = await Promise.all(Array.from({ length: 12 }, (_, index) => run(`echo ${index}; exit ${index}`)));
    all.forEach((exit, index) => {
      expect(exit).toMatchObject({ code: index, stdout: { text: `${index}\n` } });
    });
  });

  test("one that was aborted before is refused as by spawn", async () => {
    await expect(start("echo x", { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: "aborted" });
  });

  test("our end is the end of it", async () => {
    const child = await other("echo $$ $PPID; sleep 97", "setTimeout(() => process.exit(3), 50)");
    const pids = await saidBy(child);
    await expect.poll(() => child.exitCode, { timeout: 10_000 }).toBe(3);
    expect(pids).toHaveLength(2);
    for (const pid of pids) await expect.poll(() => isGone(pid), { timeout: 10_000 }).toBe(true);
  }, 30_000);

  test("a helper does not outlive our violent end and the job at hand", async () => {
    const child = await other("echo $$ $PPID; read -t 60 < <(sleep 60)", "");
    const [job = "", helper = ""] = await saidBy(child);
    child.kill("SIGKILL");
    await once(child, "exit");
    process.kill(-Number(job), "SIGKILL");
    await expect.poll(() => isGone(helper), { timeout: 10_000 }).toBe(true);
  }, 30_000);
});

describe("where there is no helper", () => {
  test("Node starts the program", async () => {
    const odd = { ...env, "BASH_FUNC_a%%": "() { echo called; }" };
    expect((await run("a; echo $$ $(ps -o sid= -p $$)", { env: odd })).stdout.text).toMatch(/^called\n(\d+) +\1\n$/);
  });
});
