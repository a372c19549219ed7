import { mkdirSync, mkdtempSync, readFileSync, realpathSync, statSync, symlinkSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { every, sleep } from "./clock.ts";
import { childEnvironment, findProgram, hermesShim, isTruthy, variable } from "./environment.ts";
import { fileError, HostError, isHostError } from "./error.ts";
import { http } from "./http.ts";
import { sessionId, uuid } from "./ids.ts";
import { displayPath, isInside, resolvePath, userHome } from "./paths.ts";
import { spawnPty } from "./pty.ts";
import { spawn } from "./spawn.ts";
import { writeTarget } from "./write-target.ts";

const directory = mkdtempSync(join(tmpdir(), "talaria-machine-"));

describe("environment", () => {
  test("our name wins, then Hermes's; empty is not set", () => {
    expect(variable("X", { TALARIA_X: "1", HERMES_X: "2" })).toBe("1");
    expect(variable("X", { TALARIA_X: "", HERMES_X: "2" })).toBe("2");
    expect(variable("X", { X: "3" })).toBeUndefined();
  });

  test.each([
    ["1", true],
    ["TRUE", true],
    [" yes ", true],
    ["on", true],
    ["0", false],
    ["no", false],
    ["", false],
    [undefined, false],
  ])("%j means %s", (text, meaning) => {
    expect(isTruthy(text)).toBe(meaning);
  });

  test("a child sees the home under both names and a hermes that is this program", async () => {
    const shimDirectory = await hermesShim(join(directory, "it's bin"), ["/bin/echo", "it's", "$HOME"]);
    expect(statSync(join(shimDirectory ?? "", "hermes")).mode & 0o777).toBe(0o700);
    const env = childEnvironment({
      home: "/h",
      shimDirectory,
      extra: { B: "2" },
      from: { PATH: process.env["PATH"], A: "1", B: "1" },
    });
    expect(env).toMatchObject({ TALARIA_HOME: "/h", HERMES_HOME: "/h", A: "1", B: "2" });
    const child = await spawn("sh", ["-c", 'hermes "a b"'], { cwd: directory, env });
    expect((await child.exit).stdout.text).toBe("it's $HOME a b\n");
    expect(await hermesShim(join(directory, "it's bin"), ["/bin/echo", "other"])).toBe(shimDirectory);
    expect(readFileSync(join(shimDirectory ?? "", "hermes"), "utf8")).toContain("other");
  });

  test("programs are found on PATH, directories and plain files are none", () => {
    expect(findProgram("sh")).toMatch(/\/sh$/);
    mkdirSync(join(directory, "tool"));
    expect(findProgram("tool", { PATH: directory })).toBeUndefined();
    expect(findProgram("sh", {})).toBeUndefined();
  });
});

describe("paths", () => {
  test("~ is the user's home, the rest starts from the folder", () => {
    expect(resolvePath("~", "/w")).toBe(userHome());
    expect(resolvePath("~/a/../b", "/w")).toBe(join(userHome(), "b"));
    expect(resolvePath("a/./b", "/w")).toBe("/w/a/b");
    expect(resolvePath("~other", "/w")).toBe("/w/~other");
    expect(() => resolvePath("a\0", "/w")).toThrow("NUL");
    expect(displayPath(join(userHome(), "a"))).toBe("~/a");
    expect(displayPath("/other/a")).toBe("/other/a");
  });

  test.each([
    ["/a", "/a", true],
    ["/a/b", "/a", true],
    ["/ab", "/a", false],
    ["/a/..b", "/a", true],
    ["/", "/a", false],
    ["/b", "/", true],
  ])("%s inside %s: %s", (path, root, inside) => {
    expect(isInside(path, root)).toBe(inside);
  });

  test("a write's target is found through links, also where the file, or what a link names, is not there yet", async () => {
    mkdirSync(join(directory, "real"));
    symlinkSync("real", join(directory, "folder"));
    symlinkSync(join("folder", "gone"), join(directory, "dangling"));
    symlinkSync("circle", join(directory, "circle"));
    const real = realpathSync(directory);
    expect(await writeTarget(join(directory, "folder", "new", "file"))).toBe(join(real, "real", "new", "file"));
    expect(await writeTarget(join(directory, "dangling"))).toBe(join(real, "real", "gone"));
    await expect(writeTarget(join(directory, "circle"))).rejects.toMatchObject({ code: "invalid_path" });
  });
});

describe("ids", () => {
  test("session ids are local time and six digits", () => {
    expect(sessionId(new Date(2026, 10, 30, 18, 50, 44))).toMatch(/^20261130_185044_[0-9a-f]{6}$/);
  });

  test("UUIDs are of version 7, unique and in order", () => {
    const all = Array.from({ length: 10_000 }, uuid);
    expect(all.every((id) => /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id))).toBe(
      true,
    );
    expect(new Set(all).size).toBe(all.length);
    expect([...all].sort()).toEqual(all);
  });
});

describe("clock", () => {
  test("a wait can be aborted", async () => {
    await expect(sleep(10_000, AbortSignal.timeout(10))).rejects.toMatchObject({ code: "aborted" });
  });

  test("a beat stops when told", async () => {
    let beats = 0;
    const stop = every(5, () => {
      beats += 1;
    });
    await expect.poll(() => beats).toBeGreaterThan(2);
    stop();
    const then = beats;
    await sleep(30);
    expect(beats).toBe(then);
  });
});

describe("http", () => {
  const serve = async (answer: boolean): Promise<{ readonly address: string; close(): Promise<void> }> => {
    const server = createServer((_, response) => {
      if (answer) response.writeHead(500).end("no");
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return {
      address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      close: () =>
        new Promise<void>((resolve) => {
          server.close(() => resolve());
          server.closeAllConnections();
        }),
    };
  };

  test("an error of the server is an answer", async () => {
    const server = await serve(true);
    expect((await http(server.address)).status).toBe(500);
    await server.close();
  });

  test("silence ends with the limit or the abort, and a dead server is named without its query", async () => {
    const server = await serve(false);
    await expect(http(server.address, { timeoutMs: 50 })).rejects.toMatchObject({
      code: "timed_out",
      subject: server.address,
    });
    await expect(http(server.address, { signal: AbortSignal.timeout(20), timeoutMs: 5000 })).rejects.toMatchObject({
      code: "aborted",
    });
    await server.close();
    const dead = await serve(false);
    await dead.close();
    const error: unknown = await http(`${dead.address}/?key=hidden`).catch((problem: unknown) => problem);
    expect(isHostError(error, "network") && error.message).toBe(
      `cannot reach ${dead.address}: nothing listens there; is the server started?`,
    );
    await expect(http("nonsense")).rejects.toMatchObject({ code: "network" });
  });
});

describe("a pseudo-terminal", () => {
  const start = (script: string, options = {}) =>
    spawnPty("bash", ["-c", script], {
      cwd: directory,
      env: { PATH: process.env["PATH"] ?? "" },
      columns: 77,
      rows: 33,
      ...options,
    });

  test("the program sees a terminal of the size asked for, is written to, and its end is told", async () => {
    const child = await start("test -t 1 && stty size; read line; echo got $line; exit 4", {});
    child.write("words\r");
    const exit = await child.exit;
    expect(exit).toMatchObject({ code: 4, signal: null, timedOut: false });
    expect(exit.stdout.text).toMatch(/33 77\r\n[\s\S]*got words/);
    child.write("late");
    child.resize(10, 10);
  });

  test("a time limit ends it with its descendants", async () => {
    const exit = await (await start("sleep 60 & sleep 60", { timeoutMs: 150, graceMs: 100 })).exit;
    expect(exit.timedOut).toBe(true);
    expect(exit.durationMs).toBeLessThan(4000);
  });

  test("a missing program is named", async () => {
    await expect(spawnPty("no-such-program", [], { cwd: directory, env: {} })).rejects.toMatchObject({
      code: "not_found",
    });
  });
});

test("an error of another copy is known by its mark, keeps its cause and names the file", () => {
  const cause = Object.assign(new Error("boom"), { code: "EROFS" });
  const error = fileError("write", "/x", cause);
  expect(error).toMatchObject({ code: "read_only", subject: "/x", cause });
  expect(error.message).toBe("cannot write /x: the file system is mounted read-only");
  expect(isHostError({ [Symbol.for("talaria.HostError")]: true, code: "io" }, "io")).toBe(true);
  expect(isHostError(new Error("x"))).toBe(false);
  expect(fileError("read", "/y", new HostError("binary", "b"))).toMatchObject({ code: "binary" });
});
