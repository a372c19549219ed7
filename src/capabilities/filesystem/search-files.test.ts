import { mkdir, readdir, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type TurnFixture, turnFixture } from "../turn-fixture.ts";
import { filesystem } from "./filesystem.ts";

const files: Readonly<Record<string, string | Uint8Array>> = {
  "src/one.ts": "const alpha = 1;\nconst beta = alpha;\n// end\n",
  "src/deep/two.ts": "alpha\r\nbeta\r\n",
  "src/three.py": "alpha = 'x'\n",
  ".hidden/four.ts": "alpha hidden\n",
  ".gitignore": "*.log\nbuild/\n!keep.log\n",
  "debug.log": "alpha log\n",
  "keep.log": "alpha kept\n",
  "build/out.ts": "alpha built\n",
  ".git/config": "alpha git\n",
  "long.txt": `${"x".repeat(3_000)} alpha\n`,
  "binary.bin": Buffer.from("00010203616c706861000000", "hex"),
  "(odd) name.txt": "alpha odd\n",
};

describe.each([
  ["ripgrep", undefined],
  ["our own walk", false as const],
  ["our own walk where the program is missing", "/no/such/rg"],
])("search_files with %s", (_engine, program) => {
  let turn: TurnFixture;
  beforeAll(async () => {
    turn = await turnFixture((folder) => [
      filesystem({ home: join(folder, "home"), ...(program === undefined ? {} : { ripgrep: program }) }),
    ]);
    let age = 1_000;
    for (const [path, content] of Object.entries(files)) {
      await mkdir(dirname(join(turn.folder, path)), { recursive: true });
      await writeFile(join(turn.folder, path), content);
      await utimes(join(turn.folder, path), age, age);
      age += 10;
    }
  });
  afterAll(() => turn.close());

  const search = (pattern: string, more: Readonly<Record<string, unknown>> = {}) =>
    turn.call("search_files", { pattern, ...more });
  const places = (answer: Awaited<ReturnType<typeof search>>) =>
    answer["matches"].map((match: { path: string; line: number }) => `${match.path}:${match.line}`);

  test("finds lines in text files, sorted, without what is ignored", async () => {
    const answer = await search("\\balpha\\b");
    expect(places(answer)).toEqual([
      "(odd) name.txt:1",
      ".hidden/four.ts:1",
      "keep.log:1",
      "long.txt:1",
      "src/deep/two.ts:1",
      "src/one.ts:1",
      "src/one.ts:2",
      "src/three.py:1",
    ]);
    expect(answer).toMatchObject({ total_count: 8, truncated: false });
    expect(answer["matches"][4]).toEqual({ path: "src/deep/two.ts", line: 1, content: "alpha" });
  });

  test("cuts long lines", async () => {
    const long = (await search("alpha", { path: "long.txt" }))["matches"][0];
    expect(long.content.length).toBeLessThan(600);
  });

  test("goes on where an answer ended", async () => {
    const first = await search("alpha", { limit: 3 });
    expect(first).toMatchObject({ total_count: 8, truncated: true, hint: "5 more; go on with offset 3" });
    expect(places(await search("alpha", { limit: 3, offset: 6 }))).toEqual(["src/one.ts:2", "src/three.py:1"]);
  });

  test("narrows by folder, file and glob", async () => {
    expect(places(await search("alpha", { path: "src/deep" }))).toEqual(["src/deep/two.ts:1"]);
    expect(places(await search("beta", { path: join(turn.folder, "src/one.ts") }))).toEqual(["src/one.ts:2"]);
    expect((await search("alpha", { file_glob: "*.{py,log}" }))["total_count"]).toBe(2);
    expect((await search("alpha", { file_glob: "src/**" }))["total_count"]).toBe(4);
    expect((await search("alpha", { file_glob: "!*.ts" }))["total_count"]).toBe(4);
  });

  test("answers with files or counts alone", async () => {
    expect(await search("alpha", { output_mode: "files_only", file_glob: "*.ts" })).toMatchObject({
      total_count: 3,
      files: [".hidden/four.ts", "src/deep/two.ts", "src/one.ts"],
    });
    expect(await search("alpha", { output_mode: "count", file_glob: "*.ts" })).toMatchObject({
      total_count: 4,
      counts: { ".hidden/four.ts": 1, "src/deep/two.ts": 1, "src/one.ts": 2 },
    });
  });

  test("shows lines around", async () => {
    const { matches, total_count } = await search("const beta", { context: 1 });
    expect(total_count).toBe(1);
    expect(matches.map(({ line, context }: { line: number; context?: boolean }) => [line, context])).toEqual([
      [1, true],
      [2, undefined],
      [3, true],
    ]);
  });

  test.each([
    ["*.ts", [".hidden/four.ts", "src/deep/two.ts", "src/one.ts"]],
    ["three", ["src/three.py"]],
    ["src/*.ts", ["src/one.ts"]],
    ["*.log", ["keep.log"]],
    ["(odd)", ["(odd) name.txt"]],
    ["nothing-here", []],
  ])("finds files by name: %s", async (pattern, found) => {
    const answer = await search(pattern, { target: "files" });
    expect([...answer["files"]]).toEqual(found);
  });

  test.each([
    ["an open group", "(", "regex parse error"],
    ["look-ahead", "a(?=b)", "Look-around"],
    ["a back-reference", "(a)\\1", "back-references"],
  ])("explains %s", async (_what, pattern, words) => {
    expect(await search(pattern)).toMatchObject({ error: expect.stringContaining(words) });
  });

  test("a pattern that would make others backtrack for ever is quick", async () => {
    const started = performance.now();
    await search("(x+x+)+y");
    expect(performance.now() - started).toBeLessThan(5_000);
  });

  test("a missing path or pattern is refused", async () => {
    expect(await search("x", { path: "nowhere" })).toMatchObject({
      error: expect.stringContaining("no file or folder"),
    });
    expect(await search("")).toMatchObject({ error: expect.stringContaining("pattern") });
  });

  test("an interrupt ends it", async () => {
    const controller = new AbortController();
    controller.abort(new Error("stop"));
    await expect(turn.call("search_files", { pattern: "alpha" }, controller.signal)).rejects.toThrow();
  });
});

test("5,000 files are searched in a moment", async () => {
  const turn = await turnFixture((folder) => [filesystem({ home: join(folder, "home") })]);
  for (let index = 0; index < 50; index += 1) {
    await mkdir(join(turn.folder, `d${index}`));
    await Promise.all(
      Array.from({ length: 100 }, (_, file) =>
        writeFile(join(turn.folder, `d${index}`, `f${file}.txt`), `line\nneedle ${file}\n`),
      ),
    );
  }
  const started = performance.now();
  expect(await turn.call("search_files", { pattern: "needle" })).toMatchObject({ total_count: 5_000, truncated: true });
  expect(await turn.call("search_files", { pattern: "*.txt", target: "files" })).toMatchObject({ total_count: 5_000 });
  expect(performance.now() - started).toBeLessThan(5_000);
  expect((await readdir(turn.folder)).length).toBe(50);
  await turn.close();
});
