import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { Executed } from "../executor.ts";
import type { CommandRule } from "../rule.ts";
import { type Asked, execution, workshop } from "./executor-fixture.ts";
import { executors } from "./executors.ts";

const shop = workshop();
const hooks = executors(shop.ports);
afterAll(() => hooks.close());

const run = (rule: Partial<CommandRule>, asked: Asked = {}): Promise<Executed> =>
  hooks.run.command(execution(shop, { type: "command", ...rule }, asked));
const reason = (executed: Executed): string =>
  executed.decoded.kind === "failed" ? executed.decoded.reason : "did not fail";
const answer = (executed: Executed): Readonly<Record<string, unknown>> =>
  executed.decoded.kind === "answer" ? executed.decoded.answer : { failed: executed.decoded.reason };

/** Dead, or a zombie that nobody has collected yet. */
function isGone(pid: string): boolean {
  try {
    return /\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, "latin1"));
  } catch {
    return true;
  }
}

describe("what a command gets", () => {
  test("one compact JSON object on standard input, which is closed", async () => {
    const executed = await run({ command: "cat" });
    const told = JSON.parse(executed.stdout ?? "") as Record<string, unknown>;
    expect(told).toMatchObject({ hook_event_name: "PreToolUse", cwd: shop.folder, session_id: "s-1" });
    expect(executed.stdout).toBe(`${JSON.stringify(told)}\n`);
  });

  test("streams that scripts may open by name, and no start-up file of the shell", async () => {
    const command = "head -c 1 /dev/stdin; echo one >/dev/stderr; echo two >/dev/stderr; exit 1";
    const executed = await run({ command });
    expect(executed.stdout).toBe("{");
    expect(executed.stderr).toBe("one\ntwo\n");
  });

  test("the folder of the payload, and the variables of its dialect", async () => {
    const names =
      "CLAUDE_PROJECT_DIR CLAUDE_PLUGIN_ROOT CLAUDE_PLUGIN_DATA CLAUDE_HOOK_EVENT_NAME CLAUDE_PLUGIN_OPTION_KEY CLAUDE_PLUGIN_OPTION_LIST TALARIA_HOME HERMES_HOME";
    const command = `pwd; for name in ${names}; do echo "\${!name}"; done`;
    const source = {
      root: "/opt/plug in",
      dataFolder: "/var/plug",
      pluginOptions: { key: "raw $text", list: [1, "two"] },
    };
    const executed = await run({ command }, { source });
    expect(executed.stdout?.trim().split("\n")).toEqual([
      shop.folder,
      shop.folder,
      "/opt/plug in",
      "/var/plug",
      "PreToolUse",
      "raw $text",
      '[1,"two"]',
      shop.home,
      shop.home,
    ]);
  });

  test("no plugin variables where the source has none", async () => {
    const stale = workshop({ environment: () => ({ PATH: process.env["PATH"] ?? "", CLAUDE_PLUGIN_ROOT: "/outer" }) });
    const own = executors(stale.ports);
    const executed = await own.run.command(execution(stale, { type: "command", command: "env" }));
    expect(executed.stdout).not.toContain("CLAUDE_PLUGIN_ROOT");
    await own.close();
  });

  test("no controlling terminal", async () => {
    expect((await run({ command: "(: </dev/tty) 2>/dev/null && echo tty || echo none" })).stdout).toBe("none\n");
  });

  test("the command of a shell hook split into words, with nothing expanded but a leading ~", async () => {
    const environment = () => ({ PATH: process.env["PATH"] ?? "", HOME: shop.folder });
    const own = workshop({ environment });
    const hook = executors(own.ports);
    shop.script("say.sh", '#!/bin/sh\nprintf "%s|" "$@"\n');
    const told = await hook.run.command(
      execution(own, { type: "command", command: `~/say.sh 'a b' ~/x $HOME \\| "q\\"q"` }, { dialect: "shell" }),
    );
    expect(told.stdout).toBe('a b|~/x|$HOME|||q"q|');
    await hook.close();
  });

  test.each([
    ["args", ["a b", "$HOME", "'q'", "*", "${CLAUDE_PROJECT_DIR}/x", "${user_config.key}"]],
    ["no args", []],
  ])("exec form with %s, word by word, nothing interpreted", async (_, args) => {
    const script = shop.script("words.sh", '#!/bin/sh\nfor word; do printf "%s\\n" "$word"; done\n');
    const executed = await run({ command: script, args }, { source: { pluginOptions: { key: "v w" } } });
    const expected = args.map((word) =>
      word.replace("${CLAUDE_PROJECT_DIR}", shop.folder).replace("${user_config.key}", "v w"),
    );
    expect(executed.stdout?.split("\n").slice(0, -1)).toEqual(expected);
  });

  test("an empty list of arguments is exec form: the command is a program's name", async () => {
    expect(reason(await run({ command: "echo hello", args: [] }))).toContain("no such program on PATH");
  });

  test("placeholders filled in, even in single quotes, and left to the shell where they would be syntax", async () => {
    const plain = await run(
      { command: "echo '${CLAUDE_PLUGIN_ROOT}/x' \"$CLAUDE_PLUGIN_DATA\"" },
      { source: { root: "/r", dataFolder: "/d" } },
    );
    expect(plain.stdout).toBe("/r/x /d\n");
    const odd = await run({ command: 'echo "${CLAUDE_PLUGIN_ROOT}"' }, { source: { root: "/r$(touch pwned)`x`" } });
    expect(odd.stdout).toBe("/r$(touch pwned)`x`\n");
    expect(existsSync(join(shop.folder, "pwned"))).toBe(false);
  });

  test("options of a plugin are never put into shell text", async () => {
    expect(reason(await run({ command: "echo ${user_config.key}" }))).toContain("CLAUDE_PLUGIN_OPTION_");
  });

  test("$ARGUMENTS is left to the shell", async () => {
    expect((await run({ command: "echo [$ARGUMENTS]" })).stdout).toBe("[]\n");
  });

  test("a folder that still exists, where its own is gone", async () => {
    const own = { ...shop, context: { ...shop.context, cwd: "/nowhere/at/all" } };
    const executed = await hooks.run.command(execution(own, { type: "command", command: "pwd" }));
    expect(executed.stdout).toBe(`${shop.folder}\n`);
  });
});

describe("what a command says", () => {
  test.each([
    ["exit code 2 refuses with standard error", "echo no >&2; exit 2", { verdict: { decision: "deny", reason: "no" } }],
    [
      "an allow in JSON does not undo exit code 2",
      `echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}'; echo no >&2; exit 2`,
      { verdict: { decision: "deny", reason: "no" } },
    ],
    [
      "JSON counts on exit code 1",
      `echo '{"decision":"block","reason":"r"}'; exit 1`,
      { verdict: { decision: "deny", reason: "r" } },
    ],
    ["plain text is no opinion", "echo hello", {}],
    ["nothing is no opinion", "true", {}],
  ])("%s", async (_, command, expected) => {
    expect(answer(await run({ command }))).toEqual(expected);
  });

  test.each([
    ["exit code 1", "echo first >&2; echo second >&2; exit 1", "exit code 1: first"],
    ["a command that is not there", "no-such-command-anywhere", "exit code 127"],
    ["a file that may not be executed", "./plain.txt", "exit code 126"],
    ["a signal", "kill -SEGV $$", "SIGSEGV"],
    ["broken JSON", 'echo \'{"decision": "block"\'', "begins as JSON and is none"],
  ])("%s is a failure that says so", async (_, command, words) => {
    shop.script("plain.txt", "hello", 0o644);
    expect(reason(await run({ command }))).toContain(words);
  });

  test.each([
    ["a missing program", "/nowhere/hook.py", "no such file"],
    ["a file without the right to be executed", "./plain.txt", "chmod +x"],
    ["an interpreter that is missing", "./crlf.sh", "interpreter"],
    ["an open quotation", "python3 'x", "No closing quotation"],
    ["nothing at all", "  ", "empty"],
  ])("%s of a shell hook is a failure that says so", async (_, command, words) => {
    shop.script("plain.txt", "hello", 0o644);
    shop.script("crlf.sh", "#!/bin/nowhere\r\n");
    expect(reason(await run({ command }, { dialect: "shell" }))).toContain(words);
  });

  test("an environment that is too large for the system is a failure that says so", async () => {
    const source = { pluginOptions: { huge: "x".repeat(3_000_000) } };
    expect(reason(await run({ command: "true" }, { source }))).toContain("too large for the system");
  });

  test("bytes that are no text become replacement characters", async () => {
    const executed = await run({ command: String.raw`printf 'a\xff\xfe\x00b'` });
    expect(executed.stdout).toBe("a\ufffd\ufffd\0b");
  });
});

describe("a command that misbehaves", () => {
  const huge = { payload: { args: { command: "x".repeat(10_000_000) } } };

  test.each(["true", "exit 0", "exec <&-; sleep 0.05", "head -c 100 >/dev/null"])(
    "%s: one that does not read 10 MB is no failure",
    async (command) => {
      expect(answer(await run({ command }, huge))).toEqual({});
    },
  );

  test("one that does not read them may still refuse", async () => {
    expect(answer(await run({ command: "echo no >&2; exit 2" }, huge))).toMatchObject({ verdict: { reason: "no" } });
  });

  test("10 MB arrive whole at a slow reader", async () => {
    const executed = await run({ command: "sleep 0.1; wc -c" }, huge);
    expect(Number(executed.stdout)).toBeGreaterThan(10_000_000);
  });

  test("one that never exits ends at its time limit, with all its children", async () => {
    const started = performance.now();
    const command =
      "echo $$ > pids; sleep 77 & echo $! >> pids; setsid sleep 78 & echo $! >> pids; trap '' TERM; while :; do sleep 0.1; done";
    expect(reason(await run({ command, timeoutMs: 300 }))).toBe("did not answer within 0.3 s");
    expect(performance.now() - started).toBeLessThan(2300);
    const pids = readFileSync(join(shop.folder, "pids"), "utf8").trim().split("\n");
    expect(pids).toHaveLength(3);
    for (const pid of pids) expect(isGone(pid)).toBe(true);
  });

  test("one ends with the turn", async () => {
    const controller = new AbortController();
    const running = run({ command: "sleep 60" }, { signal: controller.signal });
    setTimeout(() => controller.abort(), 100);
    expect(reason(await running)).toBe("was interrupted");
  });

  test("one that is asked after the turn has ended is not started", async () => {
    expect(reason(await run({ command: "touch started" }, { signal: AbortSignal.abort() }))).toBe("was interrupted");
    expect(existsSync(join(shop.folder, "started"))).toBe(false);
  });

  test("5 MB of text arrive whole", async () => {
    const command = `printf '{"systemMessage":"'; head -c 5000000 /dev/zero | tr '\\0' x; printf '"}'`;
    const said = answer(await run({ command }));
    expect((said["notice"] as string[])[0]).toHaveLength(5_000_000);
  });

  test("an endless flood is bounded and ends at the time limit", async () => {
    const before = process.memoryUsage().rss;
    expect(reason(await run({ command: "yes", timeoutMs: 300 }))).toContain("did not answer");
    expect(process.memoryUsage().rss - before).toBeLessThan(100_000_000);
  });

  test("a grandchild that keeps the pipes open does not hold the answer", async () => {
    const started = performance.now();
    expect(answer(await run({ command: `echo '{"systemMessage":"m"}'; sleep 30 & ` }))).toEqual({ notice: ["m"] });
    expect(performance.now() - started).toBeLessThan(2000);
  });

  test("what a child writes just after its parent has ended still counts", async () => {
    const command = `exec 3>&1; exec > >(sleep 0.05; cat >&3); echo '{"systemMessage":"m"}'`;
    expect(answer(await run({ command }))).toEqual({ notice: ["m"] });
  });
});

describe("in the background", () => {
  const arrived = async (count: number): Promise<void> =>
    expect.poll(() => shop.delivered.length, { timeout: 9000 }).toBeGreaterThanOrEqual(count);

  test("an async command answers nothing now, and its texts reach the model later", async () => {
    shop.delivered.length = 0;
    const command = `sleep 0.2; echo '{"decision":"block","systemMessage":"s","hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"c"}}'`;
    const started = performance.now();
    expect(answer(await run({ command, async: true, timeoutMs: 50 }))).toEqual({});
    expect(performance.now() - started).toBeLessThan(180);
    await hooks.settled("s-1");
    expect(shop.delivered).toEqual([
      { text: "c", wake: false },
      { text: "s", wake: false },
    ]);
  });

  test("exit code 2 of one that may wake wakes, with standard error", async () => {
    shop.delivered.length = 0;
    await run({ command: "sleep 0.1; echo out; echo now >&2; exit 2", asyncRewake: true });
    await arrived(1);
    expect(shop.delivered).toEqual([{ text: "now", wake: true }]);
  });

  test("one that may wake keeps its time limit", async () => {
    shop.delivered.length = 0;
    await run({ command: "sleep 30; exit 2", asyncRewake: true, timeoutMs: 100 });
    await hooks.settled("s-1");
    expect(shop.delivered).toEqual([]);
    expect(shop.logged.at(-1)).toContain("was ended before it had finished");
  });

  test("a first line sends a command to the background", async () => {
    shop.delivered.length = 0;
    const command = `echo '{"async":true,"asyncTimeout":8000}'; sleep 2; echo '{"systemMessage":"later"}'`;
    expect(answer(await run({ command, timeoutMs: 1500 }))).toEqual({});
    await arrived(1);
    expect(shop.delivered).toEqual([{ text: "later", wake: false }]);
  });

  test("its own limit ends it there", async () => {
    await run({ command: `echo '{"async":true,"asyncTimeout":100}'; echo $$ > detached; sleep 30` });
    await hooks.settled("s-1");
    expect(isGone(readFileSync(join(shop.folder, "detached"), "utf8").trim())).toBe(true);
  });

  test("an event after which nothing comes waits for its background hooks", async () => {
    await run({ command: "sleep 0.1; touch ended", async: true }, { name: "SessionEnd" });
    expect(existsSync(join(shop.folder, "ended"))).toBe(true);
  });

  test("closing ends them", async () => {
    const own = executors(shop.ports);
    await own.run.command(
      execution(shop, { type: "command", command: "echo $$ > closing; exec sleep 60", async: true }),
    );
    await expect.poll(() => existsSync(join(shop.folder, "closing")), { timeout: 3000 }).toBe(true);
    await own.close();
    expect(isGone(readFileSync(join(shop.folder, "closing"), "utf8").trim())).toBe(true);
    expect(reason(await own.run.command(execution(shop, { type: "command", command: "true" })))).toContain("is ending");
  });
});

describe("the file for the environment", () => {
  test("is there on the events that promise it, and what was written is found in order", async () => {
    const write = (line: string, name: string, id: string, payload = {}): Promise<Executed> =>
      run({ command: `echo '${line}' >> "$CLAUDE_ENV_FILE"`, id }, { name, payload });
    await write("export A=1", "SessionStart", "a");
    await write("export B=1", "CwdChanged", "b");
    await write("export A=2", "SessionStart", "a");
    const texts = async (): Promise<string[]> =>
      (await hooks.environmentFiles("s-1")).map((file) => readFileSync(file, "utf8").trim());
    expect(await texts()).toEqual(["export A=2", "export B=1"]);
    await write("export C=1", "CwdChanged", "c");
    expect(await texts()).toEqual(["export A=2", "export C=1"]);
    expect(await hooks.environmentFiles("another")).toEqual([]);
  });

  test("is not there on others", async () => {
    expect((await run({ command: "echo [$CLAUDE_ENV_FILE]" })).stdout).toBe("[]\n");
  });
});
