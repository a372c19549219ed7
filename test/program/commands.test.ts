import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { events, folder, modelHome, type RunOptions, run, server, start, until } from "../program-fixture.ts";

/** A home with a session about tea, and its id. */
async function stored(): Promise<{ readonly options: RunOptions; readonly id: string }> {
  const call = { calls: [{ name: "terminal", args: { command: "echo kettle" } }] };
  const { words, ...options } = modelHome("chat", await server(call, { text: "绿茶在三分钟后就好了。" }));
  const ran = await run(["run", "--json", ...words, "make tea"], options);
  return { options, id: String(events(ran)[0]?.["sessionId"]) };
}

const out = async (words: readonly string[], options: RunOptions) => {
  const ran = await run(words, options);
  expect(ran.stderr).toBe("");
  expect(ran.status).toBe(0);
  return ran.stdout;
};

describe("sessions", () => {
  test("are listed, shown, found also in Chinese, and written out", async () => {
    const { options, id } = await stored();
    expect(await out(["sessions", "list"], options)).toContain(id);
    expect(JSON.parse(await out(["sessions", "list", "--json"], options))).toMatchObject([{ id, source: "run" }]);
    const shown = await out(["sessions", "show", id], options);
    expect(shown).toMatch(/make tea[\s\S]*kettle[\s\S]*绿茶/);
    expect(JSON.parse(await out(["sessions", "show", "last", "--json"], options)).messages).toHaveLength(4);
    for (const words of ["tea", "绿茶", "三分钟", "kettle"])
      expect(await out(["sessions", "search", words], options)).toContain(id.slice(0, 15));
    expect(await out(["sessions", "search", "咖啡"], options)).toBe("nothing found\n");
    expect(JSON.parse(await out(["sessions", "export", id, "--format", "json"], options))).toBeTypeOf("object");
    const lines = (await out(["sessions", "export", id, "--format", "jsonl"], options)).trimEnd().split("\n");
    expect(lines.length).toBeGreaterThan(3);
    for (const line of lines) JSON.parse(line);
    await run(["sessions", "export", id, "-o", "tea.md"], options);
    expect(readFileSync(join(options.home, "tea.md"), "utf8")).toContain("绿茶");
  });

  test("are deleted with --yes only where nobody can be asked", async () => {
    const { options, id } = await stored();
    expect(await run(["sessions", "delete", id], options)).toMatchObject({ status: 2 });
    expect(await out(["sessions", "delete", id, "--yes"], options)).toBe(`deleted ${id}\n`);
    expect(await out(["sessions", "list"], options)).toBe("no sessions yet\n");
    expect(await run(["sessions", "show", id], options)).toMatchObject({ status: 2 });
  });

  test("a home without any says so", async () => {
    expect(await out(["sessions", "list"], { home: folder() })).toBe("no sessions yet\n");
  });
});

test("trace draws the last turn: events, the model, the tool, tokens", async () => {
  const { options, id } = await stored();
  const drawn = await out(["trace"], options);
  for (const part of ["terminal", "test-model", "tokens in", "quick events"]) expect(drawn).toContain(part);
  expect(await out(["trace", id], options)).toBe(drawn);
  expect(JSON.parse(await out(["trace", "--json"], options))).toBeInstanceOf(Array);
  expect(await run(["trace", "nosuch"], options)).toMatchObject({ status: 2 });
});

describe("model", () => {
  test("shows, lists, tests and picks", async () => {
    const model = await server({ text: "ready" });
    const { words: _, ...options } = modelHome("chat", model, "# kept\n");
    expect(await out(["model"], options)).toContain("custom/test-model");
    expect(await out(["model", "--list"], options)).toBe("test-model\n");
    expect(await out(["model", "--test"], options)).toMatch(/custom\/test-model answered 'ready' in \d+ ms/);
    expect(await out(["model", "custom/other-model"], options)).toContain("custom/other-model");
    expect(readFileSync(join(options.home, ".talaria", "config.yaml"), "utf8")).toMatch(
      /default: other-model[\s\S]*# kept/,
    );
    expect(JSON.parse(await out(["model", "--json"], options))).toMatchObject({
      provider: "custom",
      model: "other-model",
    });
  });

  test("a test that fails tells why and ends with 1", async () => {
    const { words: _, ...options } = modelHome(
      "chat",
      await server({ fault: { kind: "status", status: 401, message: "no" } }),
    );
    const ran = await run(["model", "--test"], options);
    expect(ran.stderr).toMatch(/key/i);
    expect(ran.status).toBe(1);
  });
});

test("tools lists the core tools", async () => {
  const listed = await out(["tools"], { home: folder() });
  for (const name of [
    "terminal",
    "process",
    "read_file",
    "write_file",
    "patch",
    "search_files",
    "todo",
    "delegate_task",
  ])
    expect(listed).toMatch(new RegExp(`^${name}\\b`, "m"));
});

describe("config", () => {
  test("get, set and unset keep comments and say where a value came from", async () => {
    const home = folder();
    const file = join(home, ".talaria", "config.yaml");
    mkdirSync(join(home, ".talaria"));
    writeFileSync(file, "# mine\nagent:\n  max_turns: 50 # enough\n");
    const options = { home };
    expect(await out(["config", "path"], options)).toBe(`${file}\n`);
    expect(await out(["config", "get", "agent.max_turns"], options)).toBe("50\n");
    expect(JSON.parse(await out(["config", "get", "agent.max_turns", "--json"], options)).from).toContain(
      "config.yaml",
    );
    expect(JSON.parse(await out(["config", "get", "terminal.timeout", "--json"], options)).from).toContain("default");
    expect((await run(["config", "get", "model"], options)).stderr).toContain("'model' holds several settings: model.");
    await out(["config", "set", "agent.max_turns", "60"], options);
    await out(["config", "set", "display.show_cost", "true"], options);
    expect(readFileSync(file, "utf8")).toBe("# mine\nagent:\n  max_turns: 60 # enough\ndisplay:\n  show_cost: true\n");
    await out(["config", "unset", "display.show_cost"], options);
    expect(readFileSync(file, "utf8")).toContain("max_turns: 60 # enough");
    const near = await run(["config", "set", "agent.max_turn", "1"], options);
    expect(near.stderr).toContain("did you mean 'agent.max_turns'?");
    expect(near.status).toBe(2);
    const wrong = await run(["config", "set", "agent.max_turns", "many"], options);
    expect(wrong.status).not.toBe(0);
    expect(readFileSync(file, "utf8")).toContain("max_turns: 60");
  });

  test("check names file, line and the nearest name", async () => {
    const home = folder();
    mkdirSync(join(home, ".talaria"));
    writeFileSync(join(home, ".talaria", "config.yaml"), "agent:\n  max_turnz: 5\n");
    const ran = await run(["config", "check"], { home });
    expect(ran.stdout + ran.stderr).toMatch(/config\.yaml:2[\s\S]*max_turns/);
    expect(ran.status).toBe(1);
    expect(await run(["config", "check"], { home: folder() })).toMatchObject({ status: 0 });
  });

  test("edit opens $EDITOR with the file and tells its status", async () => {
    const home = folder();
    const editor = join(home, "editor.sh");
    writeFileSync(editor, '#!/bin/sh\necho "display:\n  show_cost: true" > "$1"\n', { mode: 0o755 });
    const ran = await run(["config", "edit"], { home, env: { EDITOR: editor } });
    expect(ran.status).toBe(0);
    expect(readFileSync(join(home, ".talaria", "config.yaml"), "utf8")).toContain("show_cost: true");
  });
});

describe("doctor", () => {
  test("looks at everything and ends with 0 where nothing is wrong", async () => {
    const ran = await run(["doctor"], { home: folder() });
    for (const about of ["node", "home", "settings", "store", "model", "shell", "git"])
      expect(ran.stdout).toContain(`${about}: `);
    expect(ran.status).toBe(0);
  });

  test("a damaged store is a problem: status 1", async () => {
    const home = folder();
    mkdirSync(join(home, ".talaria"));
    writeFileSync(
      join(home, ".talaria", "state.db"),
      "this is no database, and it is long enough to be looked at\n".repeat(100),
    );
    const ran = await run(["doctor", "--json"], { home });
    expect(JSON.parse(ran.stdout)).toContainEqual(expect.objectContaining({ state: "problem" }));
    expect(ran.status).toBe(1);
  });
});

describe("logs", () => {
  test("tell of sessions, turns with their outcome, and of models that failed", async () => {
    const steps = [{ fault: { kind: "status", status: 503 } as const }, { text: "ok" }];
    const { words, ...options } = modelHome("chat", await server(...steps));
    await run(["run", ...words, "hi"], options);
    const all = await out(["logs"], options);
    expect(all).toMatch(/info +session \S+ is opened by run: custom\/test-model/);
    expect(all).toMatch(/info +turn of session \S+ ends: completed \(answer\), 1 model call,/);
    const warnings = await out(["logs", "--level", "warning"], options);
    expect(warnings).toMatch(/503|attempt 2/);
    expect(warnings).not.toContain("is opened by");
    expect((await out(["logs", "-n", "1"], options)).trimEnd().split("\n")).toHaveLength(1);
  });

  test("-f goes on with what comes and ends on a signal", async () => {
    const home = folder();
    await run(["run", "hello"], { home });
    const following = start(["logs", "-f"], { home });
    let seen = "";
    following.stdout?.on("data", (text) => {
      seen += text;
    });
    await until("the log is shown", () => seen.includes("ends: completed"));
    await run(["run", "hello"], { home });
    await until("the new lines come", () => seen.split("ends: completed").length === 3);
    following.kill("SIGINT");
    expect((await following.done).status).toBe(0);
  });
});

test("help of the program and of each command is printed with status 0", async () => {
  const home = folder();
  expect(await out(["--help"], { home })).toContain("Commands:");
  expect(await out(["run", "--help"], { home })).toContain("--max-iterations");
  expect(await out(["help", "sessions"], { home })).toContain("export");
  expect(await out(["--version"], { home })).toMatch(/^\d+\.\d+\.\d+\n$/);
});
