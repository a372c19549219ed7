import { execFileSync, spawn, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  cleanEnvironment,
  events,
  folder,
  modelHome,
  program,
  type Ran,
  run,
  server,
  start,
} from "../program-fixture.ts";

const root = process.getuid?.() === 0;

/** The most memory that a child process of ours has held, in MB, read from the system while it runs. */
async function watched(
  words: readonly string[],
  home: string,
): Promise<{ readonly ran: Ran; readonly megabytes: number }> {
  const child = start(words, { home });
  let megabytes = 0;
  const timer = setInterval(() => {
    const status = spawnSync("cat", [`/proc/${child.pid}/status`], { encoding: "utf8" }).stdout;
    megabytes = Math.max(megabytes, Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
  }, 50);
  const ran = await child.done;
  clearInterval(timer);
  return { ran, megabytes };
}

test("50 MB of a tool's output: head and tail are kept, the memory stays small", async () => {
  const { ran, megabytes } = await watched(
    ["run", "--json", "run `echo first; yes | head -c 50000000; echo last`"],
    folder(),
  );
  const result = String(events(ran).find(({ type }) => type === "tool-end")?.["result"]);
  expect(result.length).toBeLessThan(110_000);
  expect(result).toContain("first");
  expect(result).toContain("last");
  expect(ran.status).toBe(0);
  expect(megabytes).toBeGreaterThan(20);
  expect(megabytes).toBeLessThan(300);
});

test("one line of 50 MB, and bytes that are no text", async () => {
  const { ran, megabytes } = await watched(
    ["run", "run `head -c 50000000 /dev/zero | tr '\\\\0' x; head -c 1000000 /dev/urandom`"],
    folder(),
  );
  expect(ran.stdout.length).toBeLessThan(200_000);
  expect(ran.status).toBe(0);
  expect(megabytes).toBeLessThan(300);
});

test("5,000 files are searched", async () => {
  const home = folder();
  const cwd = join(home, "many");
  for (let index = 0; index < 50; index += 1) {
    mkdirSync(join(cwd, `d${index}`), { recursive: true });
    for (let file = 0; file < 100; file += 1)
      writeFileSync(join(cwd, `d${index}`, `f${file}.txt`), `line\nneedle-${index}-${file}\n`);
  }
  const ran = await run(["run", "find needle-49-99 in ."], { home, cwd });
  expect(ran.stdout).toContain("d49/f99.txt:2: needle-49-99");
  const all = await run(["run", "--json", "find needle in ."], { home, cwd });
  expect(events(all).find(({ type }) => type === "tool-end")).toMatchObject({ status: "ok" });
});

describe("one home, several processes", () => {
  test("ten runs at once all end well and are all stored", async () => {
    const home = folder();
    const all = await Promise.all(
      Array.from({ length: 10 }, (_, index) => run(["run", `write number ${index} to n${index}.txt`], { home })),
    );
    expect(all.map(({ status, stderr }) => [status, /error|locked|busy/i.test(stderr)])).toEqual(
      Array.from({ length: 10 }, () => [0, false]),
    );
    const list = await run(["sessions", "list", "--json"], { home });
    expect(JSON.parse(list.stdout)).toHaveLength(10);
    const logged = readFileSync(join(home, ".talaria", "logs", "agent.log"), "utf8")
      .trimEnd()
      .split("\n");
    for (const line of logged) expect(JSON.parse(line).level).not.toBe("error");
    expect(logged.filter((line) => line.includes("ends: completed"))).toHaveLength(10);
  });

  test("one session at a time: a second turn of it is refused while the first runs", async () => {
    const model = await server({ calls: [{ name: "terminal", args: { command: "echo begun; sleep 30" } }] });
    const { words, ...options } = modelHome("chat", model);
    const first = start(["run", "--json", ...words, "first"], options);
    await new Promise<void>((settle) =>
      first.stdout?.on("data", (text) => String(text).includes('"chunk":"begun') && settle()),
    );
    const second = await run(["run", "--resume", "last", ...words, "second"], options);
    expect(second.stderr).toMatch(/busy/);
    expect(second.status).toBe(1);
    first.kill("SIGINT");
    expect((await first.done).status).toBe(130);
  });
});

/** Runs the program as another user, who may read the home but not write it. */
function asNobody(words: readonly string[], home: string): Promise<Ran> {
  const child = spawn(process.execPath, [program, ...words], {
    cwd: "/tmp",
    uid: 65534,
    gid: 65534,
    env: cleanEnvironment(home, { XDG_CACHE_HOME: "/tmp/nowhere-to-cache" }),
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (text) => {
    stdout += text;
  });
  child.stderr.on("data", (text) => {
    stderr += text;
  });
  return new Promise((settle) => child.on("close", (status, signal) => settle({ status, signal, stdout, stderr })));
}

/** Another user can read this checkout and run this Node. */
const reachable =
  root && spawnSync(process.execPath, [program, "--help"], { uid: 65534, gid: 65534, cwd: "/" }).status === 0;

test("a home that another user may only read: what reads works, what writes says why", async ({ skip }) => {
  if (!reachable) return skip("only root can run the program as another user, who must be able to read this folder");
  const home = folder();
  chmodSync(home, 0o755);
  const made = await run(["run", "--json", "write tea to tea.txt"], { home });
  const id = String(events(made)[0]?.["sessionId"]);
  const open = (path: string) => {
    chmodSync(path, statSync(path).isDirectory() ? 0o755 : 0o644);
    if (statSync(path).isDirectory()) for (const name of readdirSync(path)) open(join(path, name));
  };
  open(join(home, ".talaria"));
  const before = readdirSync(join(home, ".talaria")).sort();
  for (const [words, wanted] of [
    [["sessions", "list"], id],
    [["sessions", "show", "last"], "tea"],
    [["sessions", "search", "tea"], id.slice(0, 15)],
    [["trace"], "write_file"],
    [["config", "get", "agent.max_turns"], "90"],
    [["tools"], "terminal"],
  ] as const) {
    const ran = await asNobody(words, home);
    expect(ran.stderr, words.join(" ")).toBe("");
    expect(ran.stdout).toContain(wanted);
    expect(ran.status).toBe(0);
  }
  for (const words of [
    ["run", "hello"],
    ["sessions", "delete", id, "--yes"],
    ["config", "set", "agent.max_turns", "5"],
  ]) {
    const ran = await asNobody(words, home);
    expect(ran.stderr).toMatch(/^talaria: .*(written|write|permission|read-only|readonly|EACCES)/im);
    expect(ran.stderr).not.toMatch(/\n\s+at /);
    expect(ran.status).toBe(1);
  }
  expect((await asNobody(["doctor"], home)).status).toBe(1);
  expect(readdirSync(join(home, ".talaria")).sort()).toEqual(before);
});

/** A file system of a given size in kilobytes, or undefined where none may be mounted. */
function tiny(kilobytes: number): string | undefined {
  const path = folder("talaria-tiny-");
  const { status } = spawnSync("mount", ["-t", "tmpfs", "-o", `size=${kilobytes}k`, "tmpfs", path]);
  if (status !== 0) return undefined;
  onTestFinished(() => void spawnSync("umount", ["-l", path]));
  return path;
}
const fill = (path: string) =>
  spawnSync("dd", ["if=/dev/zero", `of=${join(path, "filler")}`, "bs=4k"], { stdio: "ignore" });

describe("a full disk", () => {
  test("under the home: a clear error, nothing broken, and all is well when there is room again", async ({ skip }) => {
    const home = tiny(2048);
    if (home === undefined) return skip("no file system may be mounted here");
    expect((await run(["run", "hello"], { home })).status).toBe(0);
    fill(home);
    const ran = await run(["run", "write x to y.txt"], { home, cwd: folder() });
    expect(ran.status).toBe(1);
    expect(ran.stderr).toMatch(/full|no space|ENOSPC/i);
    expect(ran.stderr).not.toMatch(/\n\s+at /);
    execFileSync("rm", [join(home, "filler")]);
    expect((await run(["run", "hello"], { home })).status).toBe(0);
    expect((await run(["doctor"], { home })).stdout).toMatch(/✓ store/);
  });

  test("under the working folder: the tool says so, and the old file is whole", async ({ skip }) => {
    const cwd = tiny(64);
    if (cwd === undefined) return skip("no file system may be mounted here");
    writeFileSync(join(cwd, "notes.md"), "old\n");
    fill(cwd);
    const text = "new ".repeat(5000);
    const { words, ...options } = modelHome(
      "chat",
      await server({ calls: [{ name: "write_file", args: { path: "notes.md", content: text } }] }, { text: "sorry" }),
    );
    const ran = await run(["run", "--json", ...words, "go"], { ...options, cwd });
    const end = events(ran).find(({ type }) => type === "tool-end");
    expect(end).toMatchObject({ status: "error" });
    expect(String(end?.["result"])).toMatch(/full|space/i);
    expect(readFileSync(join(cwd, "notes.md"), "utf8")).toBe("old\n");
    expect(readdirSync(cwd).sort()).toEqual(["filler", "notes.md"]);
    expect(ran.status).toBe(0);
  });
});

describe("a damaged home", () => {
  function home(files: Readonly<Record<string, string>>): string {
    const made = folder();
    mkdirSync(join(made, ".talaria"));
    for (const [name, text] of Object.entries(files)) writeFileSync(join(made, ".talaria", name), text);
    return made;
  }

  test.each([
    ["broken YAML", "agent:\n  max_turns: [1, 2\nmodel: {", /config\.yaml:\d/],
    [
      "a wrong type",
      "agent:\n  max_turns: lots\n",
      /config\.yaml:2.*agent\.max_turns|agent\.max_turns.*config\.yaml:2/,
    ],
    ["an unknown key", "agent:\n  max_turnz: 4\n", /config\.yaml:2.*max_turnz.*max_turns/],
    ["a list in place of everything", "- a\n- b\n", /config\.yaml/],
    ["binary", "\u0000\u0001\u0002\ufffd", /config\.yaml/],
  ])("config.yaml with %s: the run goes on with a warning that names the line", async (_, text, warning) => {
    const ran = await run(["run", "hello"], { home: home({ "config.yaml": text }) });
    expect(ran.stdout).toContain("offline model");
    expect(ran.stderr).toMatch(warning);
    expect(ran.status).toBe(0);
  });

  test(".env with a line that is none", async () => {
    const ran = await run(["run", "hello"], { home: home({ ".env": "GOOD=1\nthis is none\n" }) });
    expect(ran.stderr).toContain(".env:2");
    expect(ran.status).toBe(0);
  });

  test("a store that is none: a clear error, and the file stays as it is", async () => {
    const text = "no database at all\n".repeat(500);
    const made = home({ "state.db": text });
    for (const words of [
      ["run", "hello"],
      ["sessions", "list"],
    ]) {
      const ran = await run(words, { home: made });
      expect(ran.stderr).toMatch(/^talaria: .*state\.db/m);
      expect(ran.stderr).not.toMatch(/\n\s+at /);
      expect(ran.status).toBe(1);
    }
    expect(readFileSync(join(made, ".talaria", "state.db"), "utf8")).toBe(text);
  });

  test("without HOME the home is named, or the program says what to set", async () => {
    const { HOME: _, TALARIA_HOME: __, ...env } = cleanEnvironment("/nowhere");
    const where = folder();
    const ran = spawnSync(process.execPath, [program, "config", "path"], { cwd: where, env, encoding: "utf8" });
    expect(ran.stdout + ran.stderr).toMatch(/\.talaria|TALARIA_HOME/);
    const named = spawnSync(process.execPath, [program, "run", "hello"], {
      cwd: where,
      env: { ...env, TALARIA_HOME: where },
      encoding: "utf8",
    });
    expect(named.status).toBe(0);
  });

  test("a home that is a file is an error that names it", async () => {
    const made = folder();
    writeFileSync(join(made, ".talaria"), "");
    const ran = await run(["run", "hello"], { home: made });
    expect(ran.stderr).toContain(join(made, ".talaria"));
    expect(ran.status).toBe(1);
  });
});
