import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tryLock, withLock } from "./lock.ts";

const directory = mkdtempSync(join(tmpdir(), "talaria-lock-"));

test("one holder at a time, the other learns who it is, release frees it and leaves nothing", async () => {
  const path = join(directory, "a");
  const first = await tryLock(path);
  expect(await tryLock(path)).toMatchObject({ holder: { pid: process.pid, host: hostname() } });
  if ("release" in first) await first.release();
  const second = await tryLock(path);
  expect("release" in second).toBe(true);
  if ("release" in second) await second.release();
  expect(readdirSync(directory)).toEqual([]);
});

test.each([
  ["a process that is gone", { pid: 2 ** 22 - 1, started: "1", host: hostname(), key: "k" }],
  ["a process whose id is used again", { pid: process.pid, started: "1", host: hostname(), key: "k" }],
  ["nobody", "half a li"],
])("a lock left by %s is taken over", async (_, content) => {
  const path = join(directory, "stale");
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  expect(await withLock(path, async () => "done", 500)).toBe("done");
});

test("one held on another machine is waited for and then told", async () => {
  const path = join(directory, "foreign");
  writeFileSync(path, JSON.stringify({ pid: 7, started: "1", host: "elsewhere", key: "k" }));
  await expect(withLock(path, async () => "done", 60)).rejects.toThrow("held by process 7 on elsewhere");
});

test("a failing action frees the lock and its error is passed on", async () => {
  const path = join(directory, "failing");
  await expect(withLock(path, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect("release" in (await tryLock(path))).toBe(true);
});

test("several processes that count up one file lose nothing, a stale lock at the start included", async () => {
  const [path, counter] = [join(directory, "many"), join(directory, "counter")];
  writeFileSync(counter, "0");
  writeFileSync(path, JSON.stringify({ pid: 2 ** 22 - 1, started: "1", host: hostname(), key: "k" }));
  const script = `
    import { readFileSync, writeFileSync } from "node:fs";
    const { withLock } = await import(${JSON.stringify(join(import.meta.dirname, "lock.ts"))});
    for (let round = 0; round < 15; round += 1) await withLock(${JSON.stringify(path)}, async () => {
      const before = Number(readFileSync(${JSON.stringify(counter)}, "utf8"));
      await new Promise((resolve) => setTimeout(resolve, 1));
      writeFileSync(${JSON.stringify(counter)}, String(before + 1));
    }, 20000);`;
  const worker = (): Promise<number | null> =>
    new Promise((resolve) =>
      spawn(process.execPath, ["--conditions=source", "--input-type=module", "-e", script], { stdio: "inherit" }).on(
        "exit",
        resolve,
      ),
    );
  expect(await Promise.all([worker(), worker(), worker()])).toEqual([0, 0, 0]);
  expect(readFileSync(counter, "utf8")).toBe("45");
});
