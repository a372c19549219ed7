import { describe, expect, test } from "vitest";
import type { Message } from "#kernel";
import { never } from "../machine-fixture.ts";
import type { ModelDelta, ModelRequest } from "../model.ts";
import { offlineModel } from "./offline-model.ts";
import { understand } from "./request.ts";
import { callOf } from "./step-call.ts";

const tools = ["terminal", "read_file", "write_file", "search_files"].map((name) => ({
  name,
  description: "",
  parameters: {},
}));

/** Requests in plain words and what is called for them: a command, or a tool with its arguments. */
const requests: readonly (readonly [string, ...string[]])[] = [
  ["run `ls -la`", "terminal ls -la"],
  ["Run ls -la", "terminal ls -la"],
  ["please run the command `npm test`.", "terminal npm test"],
  ["`git status`", "terminal git status"],
  ['run echo "a then b"', 'terminal echo "a then b"'],
  ['run `for i in 1 2; do echo "$i"; done`', 'terminal for i in 1 2; do echo "$i"; done'],
  ["read package.json", "read_file package.json"],
  ["Can you show me the contents of README.md?", "read_file README.md"],
  ["what's in src/index.ts?", "read_file src/index.ts"],
  ["find TODO in src", "search_files TODO src content"],
  ['search for "foo(bar)" in src/models', "search_files foo\\(bar\\) src/models content"],
  ["find *.ts in src", "search_files *.ts src files"],
  ["find files named *.md", "search_files *.md . files"],
  ["write buy milk to notes.md", "write_file notes.md buy milk\\n"],
  ["write milk, eggs and read books to notes.md", "write_file notes.md milk, eggs and read books\\n"],
  ["create hello.txt with the word hi, then show it", "write_file hello.txt hi\\n", "read_file hello.txt"],
  ["Create a file called hello.txt with the word hi and show it.", "write_file hello.txt hi\\n", "read_file hello.txt"],
  [
    'create a file named a.md containing "# A then B"; then list files',
    "write_file a.md # A then B\\n",
    "terminal ls -la",
  ],
  ["create a.txt with the word hi", "write_file a.txt hi\\n"],
  ["read the-file.txt", "read_file the-file.txt"],
  ["append bread to notes.md then read it", "terminal printf '%s\\n' bread >> notes.md", "read_file notes.md"],
  ["create a folder called out and then write x to out/x.txt", "terminal mkdir -p out", "write_file out/x.txt x\\n"],
  ["delete 'my file.txt'", "terminal rm 'my file.txt'"],
  ["delete the folder build", "terminal rm -r build"],
  ["list files", "terminal ls -la"],
  ["list the files in src", "terminal ls -la src"],
  ["what changed in git?", "terminal git status --short --branch && git diff --stat"],
  ["show git log", "terminal git --no-pager log --oneline -n 10"],
  ["how many lines are in notes.md?", "terminal wc -l notes.md"],
  ["运行 `ls -la`", "terminal ls -la"],
  ["请运行 npm test", "terminal npm test"],
  ["读取 package.json", "read_file package.json"],
  ["显示 README.md 的内容", "read_file README.md"],
  ["在 src 中查找 TODO", "search_files TODO src content"],
  ["查找 TODO", "search_files TODO . content"],
  ["把“买牛奶”写入 notes.md", "write_file notes.md 买牛奶\\n"],
  ["写入 买牛奶 到 notes.md", "write_file notes.md 买牛奶\\n"],
  ["创建 hello.txt，内容为 hi，然后显示它", "write_file hello.txt hi\\n", "read_file hello.txt"],
  ["git 里有什么变化？", "terminal git status --short --branch && git diff --stat"],
  ["列出文件", "terminal ls -la"],
  ["删除 hello.txt", "terminal rm hello.txt"],
];

describe("plain requests", () => {
  test.each(requests)("%s", (request, ...expected) => {
    const calls = (understand(request) ?? []).map((step) => callOf[step.kind](step));
    expect(calls.map(({ name, args }) => [name, ...Object.values(args)].join(" ").replaceAll("\n", "\\n"))).toEqual(
      expected.map((line) => line.replaceAll("\n", "\\n")),
    );
  });

  test.each([
    "hello",
    "What is the capital of France?",
    "run the tests",
    "read me a story",
    "show it",
    "write a poem",
    "find out who I am and why",
    "你好",
    "给我讲个故事",
    "",
  ])("%j is not understood", (request) => {
    expect(understand(request)).toBeUndefined();
  });

  test("a request of any length is read in no time", () => {
    const started = performance.now();
    for (const filler of ["write ", "in the ", "a, and b ", "“", "` "]) understand(filler.repeat(2_000));
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});

/** Plays the loop: runs each call with `run` and gives the answer that ends the turn. */
async function turn(
  text: string,
  run: (name: string, args: Readonly<Record<string, unknown>>) => string,
  more: Partial<ModelRequest> = {},
) {
  const model = offlineModel();
  const messages: Message[] = [{ role: "user", content: text }];
  const ran: string[] = [];
  for (;;) {
    const { message } = await model.generate({ system: "", tools, ...more, messages }, { signal: never() });
    messages.push(message);
    const [call] = message.toolCalls ?? [];
    if (!call) return { text: message.content, ran, messages };
    ran.push(call.name);
    messages.push({ role: "tool", toolCallId: call.id, toolName: call.name, content: run(call.name, call.args) });
  }
}

describe("a turn with the offline model", () => {
  const fine = (name: string) =>
    JSON.stringify(name === "read_file" ? { content: "     1|hi\n" } : { output: "out", exit_code: 0 });

  test("goes step by step, reads the results and says what it is", async () => {
    const { text, ran, messages } = await turn("create hello.txt with the word hi, then show it", fine);
    expect(ran).toEqual(["write_file", "read_file"]);
    expect(text).toContain("I wrote hello.txt.");
    expect(text).toContain("hello.txt contains:\n\n```\nhi\n```");
    expect(text).toContain("offline model");
    expect(
      new Set(
        messages.flatMap((message) =>
          message.role === "assistant" ? (message.toolCalls ?? []).map(({ id }) => id) : [],
        ),
      ).size,
    ).toBe(2);
  });

  test("answers in Chinese when it was asked in Chinese", async () => {
    expect((await turn("运行 `ls`", fine)).text).toContain("的输出");
    expect((await turn("你好", fine)).text).toContain("离线模型");
  });

  test.each([
    ["a block", JSON.stringify({ error: "BLOCKED: not allowed here" }), "not allowed here"],
    ["an exit code", JSON.stringify({ output: "no such file", exit_code: 2 }), "exit code 2"],
  ])("%s ends the plan and is told", async (_, result, said) => {
    const { text, ran } = await turn("run `a` then run `b` then run `c`", () => result);
    expect(ran).toEqual(["terminal"]);
    expect(text).toContain("did not work");
    expect(text).toContain(said);
    expect(text).toContain("I did not do the 2 steps after it.");
  });

  test.each(["run `ls`", "run ls", "运行 ls"])("what hooks add after %j does not disturb it", async (request) => {
    const commands: unknown[] = [];
    await turn(`${request}\n\nContext from a hook: be careful.\n\nMore of it.`, (name, args) => {
      commands.push(args["command"]);
      return fine(name);
    });
    expect(commands).toEqual(["ls"]);
  });

  test("a tool that is not offered is not called", async () => {
    const { text, ran } = await turn("run `ls`", fine, { tools: [] });
    expect(ran).toEqual([]);
    expect(text).toContain("terminal");
  });

  test("anything else is answered with what it is and can do", async () => {
    const { text, ran } = await turn("What is love?", fine);
    expect(ran).toEqual([]);
    expect(text).toMatch(/offline model.*run `ls -la`.*talaria model.*ANTHROPIC_API_KEY/s);
  });

  test("the same request gives the same answer, and the stream is the answer", async () => {
    const deltas: ModelDelta[] = [];
    const request: ModelRequest = { system: "", tools, messages: [{ role: "user", content: "run `ls`" }] };
    const first = await offlineModel().generate(request, { signal: never(), onDelta: (delta) => deltas.push(delta) });
    const second = await offlineModel().generate(request, { signal: never() });
    expect(second).toEqual(first);
    expect(deltas.map((delta) => (delta.type === "text" ? delta.text : "")).join("")).toBe(first.message.content);
    expect(deltas.at(-1)).toEqual({ type: "tool-call", call: first.message.toolCalls?.[0] });
  });
});
