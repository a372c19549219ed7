import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { isAlive, type TurnFixture, turnFixture } from "../turn-fixture.ts";
import { terminal } from "./terminal.ts";

let turn: TurnFixture;
beforeEach(async () => {
  turn = await turnFixture((folder) => [
    terminal({ home: join(folder, "home"), redact: (text) => text.replaceAll("s3cret", "***") }),
  ]);
});
afterEach(() => turn.close());

const start = async (command: string, more: Readonly<Record<string, unknown>> = {}): Promise<string> =>
  (await turn.call("terminal", { command, background: true, ...more }))["session_id"];
const act = (action: string, session_id?: string, more: Readonly<Record<string, unknown>> = {}) =>
  turn.call("process", { action, ...(session_id === undefined ? {} : { session_id }), ...more });
const inbox = () => turn.context.state<{ readonly text: string }[]>("inbox", () => []).map((note) => note.text);

describe("a background process", () => {
  test("is started at once and can be waited for", async () => {
    const id = await start("echo one; sleep 0.1; echo two s3cret >&2; exit 5");
    expect(await act("poll", id)).toMatchObject({ session_id: id, status: "running" });
    expect(await act("wait", id)).toMatchObject({ status: "exited", exit_code: 5, output: "one\ntwo ***" });
    expect(await act("poll", id)).toMatchObject({ status: "exited", exit_code: 5, output_preview: "one\ntwo ***" });
  });

  test("starts in the session's folder with its variables", async () => {
    await turn.call("terminal", { command: "cd /usr; export WORD=x" });
    expect(await act("wait", await start("pwd; echo $WORD"))).toMatchObject({ output: "/usr\nx" });
  });

  test("does not read the start-up files of a login", async () => {
    await writeFile(join(turn.folder, ".bashrc"), "echo from the start-up file\n");
    const before = { ...process.env };
    delete process.env["SHLVL"];
    process.env["HOME"] = turn.folder;
    try {
      expect(await act("wait", await start("echo done"))).toMatchObject({ output: "done" });
    } finally {
      Object.assign(process.env, before);
    }
  });

  test("takes input and the end of input", async () => {
    const id = await start('read -r line; echo "got $line"; cat');
    expect(await act("submit", id, { data: "hello" })).toMatchObject({ status: "ok", bytes_written: 6 });
    await act("write", id, { data: "rest" });
    await act("close", id);
    expect(await act("wait", id)).toMatchObject({ status: "exited", output: "got hello\nrest" });
    expect(await act("write", id, { data: "x" })).toMatchObject({ error: expect.stringContaining("has ended") });
  });

  test("has a terminal where that was asked for", async () => {
    const id = await start('test -t 0 && read -r line && echo "got $line"', { pty: true });
    await act("submit", id, { data: "hello" });
    expect(await act("wait", id)).toMatchObject({
      status: "exited",
      exit_code: 0,
      output: expect.stringContaining("got hello"),
    });
  });

  test("can be waited for no longer than asked", async () => {
    const id = await start("sleep 60");
    expect(await act("wait", id, { timeout: 1 })).toMatchObject({
      status: "timeout",
      timeout_note: expect.any(String),
    });
  });

  test("a wait ends at an interrupt and the process goes on", async () => {
    const id = await start("sleep 60");
    const controller = new AbortController();
    const waiting = turn.call("process", { action: "wait", session_id: id }, controller.signal);
    controller.abort();
    expect(await waiting).toMatchObject({ status: "interrupted" });
    expect(await act("poll", id)).toMatchObject({ status: "running" });
  });

  test("is killed with its children", async () => {
    const id = await start("sh -c 'echo $$ > pid; sleep 60' & wait");
    await expect.poll(() => readFile(join(turn.folder, "pid"), "utf8").catch(() => "")).not.toBe("");
    expect(await act("kill", id)).toMatchObject({ status: "killed" });
    expect(await isAlive(Number(await readFile(join(turn.folder, "pid"), "utf8")))).toBe(false);
    expect(await act("kill", id)).toMatchObject({ status: "already_exited" });
  });

  test("ends with its session", async () => {
    const { pid } = await turn.call("terminal", { command: "exec sleep 60", background: true });
    await turn.close();
    expect(await isAlive(pid)).toBe(false);
  });

  test("of a sub-agent ends with its one turn, one of the main agent goes on", async () => {
    const slot = terminal({ home: join(turn.folder, "home") });
    const { pid } = await turn.call("terminal", { command: "exec sleep 60", background: true });
    const turnEnd = slot.on?.on_session_end as unknown as (payload: unknown, context: unknown) => Promise<void>;
    await turnEnd({}, { ...turn.context, depth: 0 });
    expect(await isAlive(pid)).toBe(true);
    await turnEnd({}, { ...turn.context, depth: 1 });
    expect(await isAlive(pid)).toBe(false);
  });

  test("is listed beside the others", async () => {
    const ids = [await start("true"), await start("sleep 60")];
    const { processes } = await act("list");
    expect(processes.map((entry: { session_id: string }) => entry.session_id)).toEqual(ids);
  });
});

describe("the log", () => {
  test("is read by lines, the latest first asked", async () => {
    const id = await start("seq 1 500");
    await act("wait", id);
    expect(await act("log", id, { limit: 2 })).toMatchObject({
      output: "499\n500",
      total_lines: 500,
      showing: "lines 498 to 499 of 500",
    });
    expect(await act("log", id, { offset: 0, limit: 3 })).toMatchObject({ output: "1\n2\n3" });
    expect(await act("log", id, { offset: 900 })).toMatchObject({ output: "", showing: "no lines" });
  });

  test("keeps the end of endless output in bounded memory", async () => {
    const id = await start("yes 0123456789 | head -c 5000000; echo; echo end");
    await act("wait", id);
    const log = await act("log", id, { limit: 1 });
    expect(log["output"]).toBe("end");
    expect(log["dropped_characters"]).toBeGreaterThan(4_500_000);
  });
});

describe("notes for the model", () => {
  test("come at the end, with the latest output", async () => {
    const id = await start("echo done s3cret; exit 3", { notify_on_complete: true });
    await act("wait", id);
    await expect
      .poll(inbox)
      .toEqual([
        expect.stringMatching(/^\[Background process proc_1 has ended with exit code 3\.[\s\S]*done \*\*\*\]$/),
      ]);
  });

  test("come for lines with a pattern, once a line, and fall silent when there are too many", async () => {
    const id = await start("for i in 1 2 3 4 5 6 7 8 9 10 11 12; do echo ready $i; sleep 0.01; done; echo other", {
      watch_patterns: ["ready", "never"],
    });
    await act("wait", id);
    await expect.poll(() => inbox().length).toBe(9);
    expect(inbox()[0]).toContain("Line: ready 1]");
    expect(inbox()[8]).toContain("has ended");
  });

  test("do not come unasked", async () => {
    await act("wait", await start("echo quiet"));
    expect(inbox()).toEqual([]);
  });
});

test.each([
  ["an unknown action", { action: "explode" }, "unknown action"],
  ["a method of objects", { action: "constructor" }, "unknown action"],
  ["no id", { action: "poll" }, "session_id is missing"],
  ["an unknown id", { action: "poll", session_id: "proc_9" }, 'no background process "proc_9"'],
])("%s is refused", async (_what, args, error) => {
  expect(await turn.call("process", args)).toMatchObject({ error: expect.stringContaining(error) });
});
