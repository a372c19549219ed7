import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { cleanEnvironment, events, folder, modelHome, program, run, sent, server } from "../program-fixture.ts";

/** A folder with a few things in it, under git. */
function project(home: string): string {
  const cwd = join(home, "project");
  mkdirSync(join(cwd, "src"), { recursive: true });
  writeFileSync(join(cwd, "package.json"), '{"name":"sample"}\n');
  writeFileSync(join(cwd, "src", "a.ts"), "// TODO mend\n");
  execFileSync("git", ["init", "-q", cwd]);
  return cwd;
}

describe("the offline model through the program", () => {
  test.each([
    ["create hello.txt with the word hi, then show it", /hello\.txt contains:[\s\S]*\bhi\b/, "offline model"],
    ["run `ls -la`", /package\.json/, "offline model"],
    ["read package.json", /"name":"sample"/, "offline model"],
    ["find TODO in src", /a\.ts:1: \/\/ TODO mend/, "offline model"],
    ["write milk and eggs to notes.md", /I wrote notes\.md/, "offline model"],
    ["what changed in git?", /\?\? package\.json/, "offline model"],
    ["创建 hello.txt，内容为 hi，然后显示它", /hello\.txt 的内容：[\s\S]*\bhi\b/, "离线模型"],
    ["运行 `ls -la`", /package\.json/, "离线模型"],
    ["读取 package.json", /"name":"sample"/, "离线模型"],
    ["在 src 中查找 TODO", /a\.ts:1: \/\/ TODO mend/, "离线模型"],
    ["把“牛奶”写入 notes.md", /已写入 notes\.md/, "离线模型"],
    ["git 里有什么变化？", /\?\? package\.json/, "离线模型"],
    ["tell me a story about cats", /I am Talaria's offline model/, "offline model"],
    ["你是谁？", /我是 Talaria 的离线模型/, "离线模型"],
  ])("%s", async (task, answer, name) => {
    const home = folder();
    const ran = await run(["run", task], { home, cwd: project(home) });
    expect(ran.stdout).toMatch(answer);
    expect(ran.stdout).toContain(name);
    expect(ran.status).toBe(0);
  });

  test("it did what it says", async () => {
    const home = folder();
    await run(["run", "create hello.txt with the word hi, then write milk to a.txt"], { home });
    expect(readFileSync(join(home, "hello.txt"), "utf8")).toBe("hi\n");
    expect(readFileSync(join(home, "a.txt"), "utf8")).toBe("milk\n");
  });
});

describe("--json", () => {
  test("every line is an event with its time, from session to turn-end", async () => {
    const home = folder();
    const ran = await run(["run", "--json", "create hello.txt with the word hi, then show it"], { home });
    const all = events(ran);
    expect(all[0]).toMatchObject({ type: "session", resumed: false });
    expect(all[1]).toMatchObject({ type: "turn-start" });
    expect(all.at(-1)).toMatchObject({ type: "turn-end", outcome: "completed", iterations: 3 });
    expect(all.every(({ at }) => typeof at === "number")).toBe(true);
    expect(all.filter(({ type }) => type === "tool-end").map(({ name, status }) => [name, status])).toEqual([
      ["write_file", "ok"],
      ["read_file", "ok"],
    ]);
    expect(ran.stderr).toBe("");
  });

  test("a failure is an event too, and nothing else reaches standard output", async () => {
    const { words, ...options } = modelHome("chat", await server());
    const ran = await run(["run", "--json", ...words, "hello"], options);
    expect(events(ran).at(-1)).toMatchObject({ type: "turn-end", outcome: "failed" });
    expect(ran.status).toBe(1);
  });
});

describe("standard input", () => {
  test("is context below the words of the task", async () => {
    const model = await server({ text: "read it" });
    const { words, ...options } = modelHome("chat", model);
    await run(["run", ...words, "summarise"], { ...options, input: "line 1\nSchlüssel 钥匙\n" });
    expect(model.requests[0]?.text).toContain("summarise\\n\\n<stdin>\\nline 1\\nSchlüssel 钥匙\\n</stdin>");
  });

  test("is the task where no words are given", async () => {
    const home = folder();
    writeFileSync(join(home, "x.txt"), "inside\n");
    const ran = await run(["run"], { home, input: "read x.txt\n" });
    expect(ran.stdout).toContain("inside");
  });

  test("--no-stdin leaves it alone", async () => {
    const model = await server({ text: "ok" });
    const { words, ...options } = modelHome("chat", model);
    await run(["run", "--no-stdin", ...words, "hello"], { ...options, input: "unwanted" });
    expect(model.requests[0]?.text).not.toContain("unwanted");
  });
});

describe("exit status", () => {
  test.each([
    ["no task", ["run"], 2, "nothing to do"],
    ["an unknown option", ["run", "--nope", "x"], 2, "unknown option"],
    ["an unknown command", ["bogus"], 2, "unknown command"],
    ["a number that is none", ["run", "--max-iterations", "many", "x"], 2, "whole number"],
    ["a folder that is not there", ["run", "--cwd", "/nowhere", "x"], 2, "is no folder"],
    ["a session that is not there", ["run", "--resume", "nosuch", "x"], 2, "no session is called 'nosuch'"],
    ["a model that is not there", ["run", "--model", "nosuch/model", "x"], 1, "names no known provider"],
    ["a provider without a key", ["run", "--model", "openai/gpt-5", "x"], 1, "OPENAI_API_KEY"],
  ])("%s", async (_, words, status, message) => {
    const ran = await run(words, { home: folder() });
    expect(ran.stderr).toContain(message);
    expect(ran.stdout).toBe("");
    expect(ran.status).toBe(status);
  });

  test("3 when the model's provider refuses the content", async () => {
    const { words, ...options } = modelHome("chat", await server({ finishReason: "content-filter" }));
    const ran = await run(["run", ...words, "hello"], options);
    expect(ran.stdout).toBe("");
    expect(ran.stderr).not.toBe("");
    expect(ran.status).toBe(3);
  });

  test("4 when the iterations are used up, and the text that sums up is the answer", async () => {
    const call = { calls: [{ name: "terminal", args: { command: "echo step" } }] };
    const { words, ...options } = modelHome("chat", await server(call, { text: "One step is done." }));
    const ran = await run(["run", "--max-iterations", "1", ...words, "go"], options);
    expect(ran.stdout).toBe("One step is done.\n");
    expect(ran.status).toBe(4);
  });

  test("4 with a sentence of our own where the model sums up nothing", async () => {
    const call = { calls: [{ name: "terminal", args: { command: "echo step" } }] };
    const { words, ...options } = modelHome("chat", await server(call));
    const ran = await run(["run", "--max-iterations", "1", ...words, "go"], options);
    expect(ran.stdout).toContain("limit of 1 steps");
    expect(ran.status).toBe(4);
  });
});

describe("options", () => {
  test("--cwd is where the tools work", async () => {
    const home = folder();
    const cwd = project(home);
    const ran = await run(["run", "--cwd", "project", "write x to made.md"], { home });
    expect(ran.status).toBe(0);
    expect(existsSync(join(cwd, "made.md"))).toBe(true);
  });

  test("--resume goes on with what was said, by id, by the start of it, and by last", async () => {
    const model = await server({ text: "noted" }, { text: "blue" }, { text: "blue" }, { text: "blue" });
    const { words, ...options } = modelHome("chat", model);
    const first = await run(["run", "--json", ...words, "my colour is blue"], options);
    const id = String(events(first)[0]?.["sessionId"]);
    for (const reference of [id, id.slice(0, -2), "last"]) {
      const ran = await run(["run", "--json", "--resume", reference, ...words, "which colour?"], options);
      expect(events(ran)[0]).toMatchObject({ type: "session", sessionId: id, resumed: true });
    }
    const messages = sent(model.requests.at(-1));
    expect(messages.filter(({ role }) => role !== "system").map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "user",
      "assistant",
      "user",
      "assistant",
      "user",
    ]);
    expect(JSON.stringify(messages)).toContain("my colour is blue");
  });

  test("--yolo runs what would be asked about; without it, and with nobody to ask, it is refused", async () => {
    const home = folder();
    const cwd = project(home);
    const refused = await run(["run", "run `rm -rf src`"], { home, cwd });
    expect(existsSync(join(cwd, "src"))).toBe(true);
    expect(refused.stdout).toContain("BLOCKED");
    const ran = await run(["run", "--yolo", "run `rm -rf src`"], { home, cwd });
    expect(existsSync(join(cwd, "src"))).toBe(false);
    expect(ran.status).toBe(0);
  });
});

describe("output", () => {
  test("a pipe gets the answer alone; calls and notices go to standard error", async () => {
    const call = { text: "Looking.", calls: [{ name: "terminal", args: { command: "echo from the tool" } }] };
    const { words, ...options } = modelHome("chat", await server(call, { text: "It is **done** ☃." }));
    const ran = await run(["run", ...words, "go"], options);
    expect(ran.stdout).toBe("It is **done** ☃.\n");
    expect(ran.stderr).toContain("Looking.");
    expect(ran.stderr).toContain("terminal  echo from the tool");
    expect(ran.stderr).toContain("from the tool");
  });

  test("no escape sequence reaches a pipe, with NO_COLOR and without", async () => {
    for (const env of [{}, { NO_COLOR: "1" }]) {
      const ran = await run(["run", "run `printf '\\033[31mred\\033[0m'`"], { home: folder(), env });
      expect(ran.stdout + ran.stderr).not.toContain("\u001b");
      expect(ran.stdout).toContain("red");
    }
  });

  test("a reader that goes away ends the program quietly", async () => {
    const home = folder();
    const command = `"${process.execPath}" "${program}" run --json "run \\\`seq 1 200000\\\`" </dev/null | head -1`;
    const ended = execFileSync("bash", ["-c", `${command}; echo "status \${PIPESTATUS[1]}"`], {
      env: cleanEnvironment(home),
      cwd: home,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    });
    expect(ended).toMatch(/^\{"type":"session".*\nstatus 0\n$/);
  });
});
