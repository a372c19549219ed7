import { execFile, execFileSync, spawn } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { isSessionError, type SessionErrorCode } from "../error.ts";
import { isTalariaDatabase } from "./migrations.ts";
import { openSqliteStore } from "./store.ts";

const fixture = join(import.meta.dirname, "process-fixture.ts");
const run = promisify(execFile);
const argumentsFor = (...args: string[]) => ["--conditions=talaria-source", fixture, ...args];
const session = (id: string) => ({ id, source: "cli", cwd: "/", model: "m", provider: "p" });
const say = (content: string) => ({ role: "user", content }) as const;

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "damage-"));
  file = join(folder, "state.db");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function refused(code: SessionErrorCode): Promise<string> {
  try {
    await (await openSqliteStore({ file, patienceMs: 200 })).close();
  } catch (error) {
    expect(isSessionError(error, code), String(error)).toBe(true);
    return String(error);
  }
  throw new Error("it was opened");
}

test("a process killed while it writes loses nothing that it was told is stored", async () => {
  const first = await openSqliteStore({ file });
  await first.create(session("s"));
  await first.close();
  const acknowledged: number[] = [];
  for (let round = 0; round < 4; round++) {
    await new Promise<void>((resolve) => {
      const child = spawn(process.execPath, argumentsFor("acknowledge", file, "s"), {
        stdio: ["ignore", "pipe", "inherit"],
      });
      let text = "";
      child.stdout.on("data", (data: Buffer) => {
        if (text === "") setTimeout(() => child.kill("SIGKILL"), 10 + round * 17);
        text += data.toString();
      });
      child.on("close", () => {
        acknowledged.push(...text.split("\n").slice(0, -1).map(Number));
        resolve();
      });
    });
  }
  expect(acknowledged.length).toBeGreaterThan(20);
  const store = await openSqliteStore({ file });
  const messages = await store.messages("s");
  const stored = new Set(messages.map(({ seq }) => seq));
  expect(acknowledged.filter((seq) => !stored.has(seq))).toEqual([]);
  // A batch is stored whole or not at all, and the counts agree.
  expect(messages.filter(({ message }) => message.role === "tool")).toHaveLength(messages.length / 2);
  expect((await store.find("s"))?.messageCount).toBe(messages.length);
  await store.close();
});

test("several processes make the database at once", async () => {
  await Promise.all(Array.from({ length: 4 }, () => run(process.execPath, argumentsFor("open", file))));
  const store = await openSqliteStore({ file });
  expect(await store.list()).toHaveLength(4);
  await store.close();
});

describe("a file that is no store of ours is refused and left as it is", () => {
  test("garbage", async () => {
    writeFileSync(file, "this is no database ".repeat(500));
    const before = readFileSync(file);
    expect(await refused("corrupt")).toContain(file);
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  test("a database whose pages are damaged", async () => {
    const store = await openSqliteStore({ file });
    await store.create(session("s"));
    for (let count = 0; count < 300; count++) await store.append("s", "t", [say("x".repeat(500))]);
    await store.close();
    const bytes = readFileSync(file);
    bytes.fill(0xab, 4096, bytes.length - 4096);
    writeFileSync(file, bytes);
    const told = await openSqliteStore({ file })
      .then(async (opened) => {
        await opened.messages("s").finally(() => opened.close());
      })
      .catch((error: unknown) => error);
    expect(isSessionError(told, "corrupt"), String(told)).toBe(true);
  });

  test("a schema newer than this program", async () => {
    await (await openSqliteStore({ file })).close();
    const raw = new DatabaseSync(file);
    raw.exec("UPDATE talaria_schema SET version = 99");
    raw.close();
    expect(await refused("newer_schema")).toMatch(/schema 99.*Update/);
  });

  test("the database of another program", async () => {
    const raw = new DatabaseSync(file);
    raw.exec("CREATE TABLE sessions (id TEXT PRIMARY KEY)");
    raw.close();
    expect(await refused("foreign")).toContain(file);
    expect(isTalariaDatabase(readFileSync(file))).toBe(false);
  });

  test("a folder that is not there, and a folder in its place", async () => {
    file = join(folder, "none", "state.db");
    expect(await refused("cannot_open")).toContain("folder exists");
    file = folder;
    expect(await refused("cannot_open")).toContain(folder);
  });
});

test("our database is known by its first bytes", async () => {
  await (await openSqliteStore({ file })).close();
  expect(isTalariaDatabase(readFileSync(file))).toBe(true);
  expect(isTalariaDatabase(new Uint8Array(10))).toBe(false);
});

test("a file locked for too long is `busy`, and a short lock is waited for", async () => {
  const store = await openSqliteStore({ file, patienceMs: 150 });
  const other = new DatabaseSync(file);
  other.exec("BEGIN IMMEDIATE");
  await expect(store.create(session("a"))).rejects.toMatchObject({ code: "busy" });
  setTimeout(() => other.exec("COMMIT"), 60);
  await store.create(session("b"));
  other.close();
  await store.close();
});

test("writes that had to wait keep their order", async () => {
  const store = await openSqliteStore({ file });
  await store.create(session("s"));
  const other = new DatabaseSync(file);
  other.exec("BEGIN IMMEDIATE");
  setTimeout(() => other.exec("COMMIT"), 60);
  await Promise.all(["1", "2", "3"].map((text) => store.append("s", "t", [say(text)])));
  expect((await store.messages("s")).map(({ message }) => message.content)).toEqual(["1", "2", "3"]);
  other.close();
  await store.close();
});

const isRoot = process.getuid?.() === 0;

test.runIf(isRoot)(
  "a home that may only be read is listed and searched by another user, and tells why it stores nothing",
  async () => {
    const store = await openSqliteStore({ file });
    await store.create(session("s"));
    await store.append("s", "t", [say("a needle")]);
    await store.search("needle");
    await store.append("s", "t", [say("another needle")]);
    for (const open of [true, false]) {
      if (!open) await store.close();
      chmodSync(folder, 0o755);
      for (const end of ["", "-wal", "-shm"]) if (existsSync(file + end)) chmodSync(file + end, 0o644);
      const { stdout } = await run(process.execPath, argumentsFor("read", file, "s", "needle"), {
        uid: 65_534,
        gid: 65_534,
      });
      expect(JSON.parse(stdout)).toEqual({ sessions: 1, hits: 2, messages: 2, append: "read_only" });
    }
  },
);

const canMount = isRoot && mountable();
function mountable(): boolean {
  const place = mkdtempSync(join(tmpdir(), "mount-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", place], { stdio: "ignore" });
    execFileSync("umount", [place], { stdio: "ignore" });
    return true;
  } catch (error) {
    return error === undefined;
  } finally {
    rmSync(place, { recursive: true });
  }
}

test.runIf(canMount)(
  "a full disk fails the append only: what was stored is there, and later writes go on",
  async () => {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=1200k", "tmpfs", folder]);
    try {
      const store = await openSqliteStore({ file });
      await store.create(session("s"));
      let stored = 0;
      const failed = await (async () => {
        for (;;) {
          try {
            await store.append("s", "t", [say("x".repeat(20_000))]);
            stored++;
          } catch (error) {
            return error;
          }
        }
      })();
      expect(isSessionError(failed, "full"), String(failed)).toBe(true);
      expect(String(failed)).toContain(file);
      expect(await store.messages("s")).toHaveLength(stored);
      await expect(store.append("s", "t", [say("x".repeat(20_000))])).rejects.toMatchObject({ code: "full" });
      execFileSync("mount", ["-o", "remount,size=8m", folder]);
      await store.append("s", "t", [say("again")]);
      expect(await store.messages("s")).toHaveLength(stored + 1);
      await store.close();
    } finally {
      execFileSync("umount", [folder]);
    }
  },
);
