import { chmod, mkdir, readdir, readFile, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type TurnFixture, turnFixture } from "../turn-fixture.ts";
import { filesystem } from "./filesystem.ts";

let turn: TurnFixture;
beforeEach(async () => {
  turn = await turnFixture((folder) => [
    filesystem({ home: join(folder, "home"), protectedPaths: [join(folder, "secret")] }),
  ]);
});
afterEach(() => turn.close());

const at = (path: string) => join(turn.folder, path);
const put = (path: string, content: string | Uint8Array) => writeFile(at(path), content);
const text = (path: string) => readFile(at(path), "utf8");
const read = (path: string, more: Readonly<Record<string, unknown>> = {}) => turn.call("read_file", { path, ...more });
const write = (path: string, content: string) => turn.call("write_file", { path, content });
const replace = (path: string, old_string: string, new_string: string, more: Readonly<Record<string, unknown>> = {}) =>
  turn.call("patch", { mode: "replace", path, old_string, new_string, ...more });
const patch = (body: string) => turn.call("patch", { mode: "patch", patch: `*** Begin Patch\n${body}\n*** End Patch` });

describe("read_file", () => {
  test("numbers the lines", async () => {
    await put("a.txt", "one\n\nthree\n");
    expect(await read("a.txt")).toEqual({
      content: "1|one\n2|\n3|three",
      total_lines: 3,
      file_size: 11,
      truncated: false,
    });
  });

  test("reads a part and says how to go on", async () => {
    await put("a.txt", Array.from({ length: 700 }, (_, index) => `line ${index + 1}`).join("\n"));
    expect(await read("a.txt", { offset: "3", limit: 2 })).toMatchObject({
      content: "3|line 3\n4|line 4",
      truncated: true,
      hint: expect.stringContaining("offset 5"),
    });
    expect(await read("a.txt")).toMatchObject({
      total_lines: 700,
      hint: "lines 1 to 500 of 700; go on with offset 501",
    });
    expect(await read("a.txt", { offset: 501 })).toMatchObject({ truncated: false });
    expect(await read("a.txt", { offset: 701 })).toMatchObject({ error: expect.stringContaining("700 lines") });
  });

  test("stays within the characters of one answer", async () => {
    await put("a.txt", `${"x".repeat(1_500)}\n`.repeat(200));
    const part = await read("a.txt");
    expect(part["content"].length).toBeLessThanOrEqual(100_000);
    expect(part["hint"]).toContain("go on with offset 67");
  });

  test("cuts long lines and says so", async () => {
    await put("a.txt", `${"x".repeat(5_000)}\nshort\n`);
    const answer = await read("a.txt");
    expect(answer["content"]).toBe(`1|${"x".repeat(2_000)}… [3000 more characters]\n2|short`);
    expect(answer["hint"]).toContain("longer than 2000");
  });

  test.each([
    ["UTF-8 with a mark", Buffer.from("\ufeffhäuser\n", "utf8"), "1|häuser", "utf-8-bom"],
    ["UTF-16", Buffer.from("\ufeff漢字\n", "utf16le"), "1|漢字", "utf-16le"],
    ["Latin-1", Buffer.from("na\xefve caf\xe9\n", "latin1"), "1|naïve café", "latin1"],
    ["GB18030", Buffer.from("d6d0cec4b2e2cad40a", "hex"), "1|中文测试", "gb18030"],
  ])("decodes %s", async (_what, bytes, content, encoding) => {
    await put("a.txt", bytes);
    expect(await read("a.txt")).toMatchObject({ content, encoding });
  });

  test("an empty file is told as such", async () => {
    await put("a.txt", "");
    expect(await read("a.txt")).toMatchObject({ content: "", total_lines: 0, hint: "the file is empty" });
  });

  test.each([
    ["a picture", Buffer.from("89504e470d0a1a0a0000", "hex"), "PNG"],
    ["a program", Buffer.from("7f454c460201010000000000", "hex"), "ELF"],
    ["bytes", Buffer.from("0001020300", "hex"), "binary"],
  ])("refuses %s with the reason", async (_what, bytes, reason) => {
    await put("a.bin", bytes);
    expect(await read("a.bin")).toMatchObject({ error: expect.stringContaining(reason) });
  });

  test("suggests names for a missing file and lists a folder", async () => {
    await mkdir(at("src"));
    await put("src/settings.ts", "");
    expect(await read("src/setting.ts")).toMatchObject({
      error: expect.stringContaining("no file"),
      similar_files: [at("src/settings.ts")],
    });
    expect(await read("src")).toMatchObject({ error: expect.stringContaining("folder"), entries: ["settings.ts"] });
    expect(await read("/dev/zero")).toMatchObject({ error: expect.stringContaining("a device") });
    expect(await read("a\0b")).toMatchObject({ error: expect.stringContaining("NUL") });
    expect(await read("")).toMatchObject({ error: expect.stringContaining("path") });
  });
});

describe("write_file", () => {
  test("makes the file and the folders above it", async () => {
    expect(await write("a/b/c.txt", "hi\n")).toEqual({
      path: at("a/b/c.txt"),
      bytes_written: 3,
      lines: 1,
      created: true,
      dirs_created: true,
    });
    expect(await text("a/b/c.txt")).toBe("hi\n");
  });

  test.each([
    ["Windows line ends", Buffer.from("a\r\nb\r\n"), "x\ny\n", Buffer.from("x\r\ny\r\n")],
    ["a mark", Buffer.from("\ufeffa\n"), "b\n", Buffer.from("\ufeffb\n")],
    ["UTF-16", Buffer.from("\ufeffa\n", "utf16le"), "漢\n", Buffer.from("\ufeff漢\n", "utf16le")],
    ["Latin-1", Buffer.from("caf\xe9\n", "latin1"), "na\xefve\n", Buffer.from("na\xefve\n", "latin1")],
    ["GB18030", Buffer.from("d6d0cec4b2e2cad40a", "hex"), "中文\n", Buffer.from("d6d0cec40a", "hex")],
  ])("keeps %s of an existing file", async (_what, before, content, after) => {
    await put("a.txt", before);
    await write("a.txt", content);
    expect(await readFile(at("a.txt"))).toEqual(after);
  });

  test("turns to UTF-8 where the encoding cannot hold the text, and says so", async () => {
    await put("a.txt", Buffer.from("caf\xe9\n", "latin1"));
    expect(await write("a.txt", "漢字\n")).toMatchObject({ warning: expect.stringContaining("UTF-8 now") });
    expect(await text("a.txt")).toBe("漢字\n");
  });

  test("keeps the mode and leaves nothing beside the file", async () => {
    await put("run.sh", "old");
    await chmod(at("run.sh"), 0o755);
    expect(await write("run.sh", "new")).toMatchObject({ created: false });
    expect((await stat(at("run.sh"))).mode & 0o777).toBe(0o755);
    expect(await readdir(turn.folder)).toEqual(["run.sh"]);
  });

  test("warns when someone else changed the file since it was read", async () => {
    await put("a.txt", "one");
    await read("a.txt");
    expect(await write("a.txt", "two")).not.toHaveProperty("warning");
    await put("a.txt", "theirs");
    await utimes(at("a.txt"), 1, 1);
    expect(await write("a.txt", "mine")).toMatchObject({ warning: expect.stringContaining("changed by someone else") });
    expect(await write("a.txt", "mine again")).not.toHaveProperty("warning");
  });

  test.each([
    ["a protected folder", "secret/key", "protected"],
    ["a link into one", "link/key", "protected"],
    ["a link to a file in one that is not there yet", "dangling", "protected"],
    ["the system's settings", "/etc/passwd", "protected"],
    ["keys of the person", "~/.ssh/authorized_keys", "protected"],
    ["the home's secrets", "home/.env", "protected"],
    ["a folder", "plain", "folder"],
    ["a path through a file", "file/below", "not a directory"],
    ["no content", undefined, "content is missing"],
  ])("refuses %s", async (_what, path, error) => {
    await mkdir(at("secret"));
    await mkdir(at("plain"));
    await put("file", "");
    await symlink(at("secret"), at("link"));
    await symlink(at("link/new"), at("dangling"));
    const answer = path === undefined ? await turn.call("write_file", { path: "x" }) : await write(path, "x");
    expect(answer).toMatchObject({ error: expect.stringContaining(error) });
    expect(await readdir(at("secret"))).toEqual([]);
  });

  test("protects a home that is a link, and not the harmless places beneath protected ones", async () => {
    await mkdir(at("real"));
    await symlink(at("real"), at("home"));
    expect(await write("real/config.yaml", "x")).toMatchObject({ error: expect.stringContaining("protected") });
    expect(await write("/dev/null", "x")).not.toMatchObject({ error: expect.stringContaining("protected") });
  });

  test("stays inside the roots that it is given", async () => {
    const inside = await turnFixture((folder) => [
      filesystem({ home: join(folder, "h"), writableRoots: [join(folder, "work")] }),
    ]);
    expect(await inside.call("write_file", { path: "work/a", content: "" })).toMatchObject({ created: true });
    expect(await inside.call("write_file", { path: "work/../b", content: "" })).toMatchObject({
      error: expect.stringContaining("outside"),
    });
    await inside.close();
  });
});

describe("patch, mode replace", () => {
  test("replaces and shows the difference", async () => {
    await put("a.txt", "one\ntwo\nthree\n");
    expect(await replace("a.txt", "two", "2")).toEqual({
      success: true,
      diff: "--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n",
      files_modified: ["a.txt"],
      replacements: 1,
    });
    expect(await text("a.txt")).toBe("one\n2\nthree\n");
  });

  test("says how loosely it matched", async () => {
    await put("a.txt", "  one\n  two\n");
    expect(await replace("a.txt", "one\ntwo", "one\n2")).toMatchObject({ match: "indentation" });
    expect(await text("a.txt")).toBe("  one\n  2\n");
  });

  test.each([
    ["no such text", ["zzz", "x"], "not found"],
    ["two matches", ["o", "x"], "2 places"],
    ["no path", ["one", "x", { path: "" }], "path is missing"],
    ["no new text", ["one", undefined], "new_string is missing"],
    ["no such file", ["one", "x", { path: "b.txt" }], "no file"],
  ])("with %s changes nothing", async (_what, [old, fresh, more], error) => {
    await put("a.txt", "one\ntwo\n");
    const answer = await replace("a.txt", old as string, fresh as string, more as Record<string, unknown>);
    expect(answer).toMatchObject({ success: false, error: expect.stringContaining(error) });
    expect(await text("a.txt")).toBe("one\ntwo\n");
  });

  test("keeps every byte outside the match, mixed line ends too, and gives new lines the usual ending", async () => {
    const unit = fc.constantFrom("a", "b", "\n", "\r\n", "漢", "$&");
    const part = fc.array(unit, { maxLength: 20 }).map((units) => units.join(""));
    await fc.assert(
      fc.asyncProperty(part, part, part, async (before, after, fresh) => {
        await put("p.txt", `${before}<old>${after}`);
        const answer = await replace("p.txt", "<old>", `<new${fresh}>`);
        expect(answer).toMatchObject({ success: true });
        const file = `${before}<old>${after}`;
        const windows = file.split("\r\n").length - 1;
        const ending = windows > file.split("\n").length - 1 - windows ? "\r\n" : "\n";
        const expected = `<new${fresh.replaceAll("\r\n", "\n").replaceAll("\n", ending)}>`;
        expect(await text("p.txt")).toBe(before + expected + after);
      }),
      { numRuns: 60 },
    );
  });

  test("matches several lines in a file with Windows line ends", async () => {
    await put("a.txt", "one\r\ntwo\r\nthree\r\n");
    await replace("a.txt", "one\ntwo\n", "1\n2\n2½\n");
    expect(await text("a.txt")).toBe("1\r\n2\r\n2½\r\nthree\r\n");
  });

  test("calls on one file at the same time lose nothing", async () => {
    const words = Array.from({ length: 12 }, (_, index) => `word${String(index).padStart(2, "0")}`);
    await put("a.txt", words.join("\n"));
    await Promise.all(words.map((word) => replace("a.txt", word, word.toUpperCase())));
    expect(await text("a.txt")).toBe(words.join("\n").toUpperCase());
  });
});

describe("patch, mode patch", () => {
  test("adds, changes, moves and deletes in one step", async () => {
    await put("change.txt", "a\nb\n");
    await put("move.sh", "x\r\ny\r\n");
    await chmod(at("move.sh"), 0o755);
    await put("gone.txt", "bye\n");
    const answer = await patch(
      "*** Update File: change.txt\n-b\n+B\n*** Add File: new/file.txt\n+hi\n*** Update File: move.sh\n*** Move to: moved.sh\n-y\n+z\n*** Delete File: gone.txt",
    );
    expect(answer).toMatchObject({
      success: true,
      files_modified: ["change.txt"],
      files_created: ["new/file.txt", "moved.sh"],
      files_deleted: ["move.sh", "gone.txt"],
    });
    expect(answer["diff"]).toContain("--- a/gone.txt\n+++ /dev/null\n");
    expect((await readdir(turn.folder)).sort()).toEqual(["change.txt", "moved.sh", "new"]);
    expect(await text("change.txt")).toBe("a\nB\n");
    expect(await text("moved.sh")).toBe("x\r\nz\r\n");
    expect((await stat(at("moved.sh"))).mode & 0o777).toBe(0o755);
    expect(await text("new/file.txt")).toBe("hi\n");
  });

  test("later parts see what earlier ones did", async () => {
    await put("a.txt", "one\n");
    expect(await patch("*** Update File: a.txt\n-one\n+two\n*** Update File: a.txt\n-two\n+three")).toMatchObject({
      success: true,
    });
    expect(await text("a.txt")).toBe("three\n");
  });

  test.each([
    ["a hunk that does not fit", "*** Update File: b.txt\n-nope\n+x", "b.txt: hunk 1 of 1"],
    ["a file to add that exists", "*** Add File: b.txt\n+x", "exists already"],
    ["a file to delete that does not", "*** Delete File: c.txt", "no file c.txt"],
    ["a move onto a file", "*** Update File: b.txt\n*** Move to: a.txt", "exists already"],
    ["a protected file", "*** Add File: secret/x\n+x", "protected"],
    ["a file that cannot be made", "*** Add File: b.txt/below\n+x", "b.txt"],
    ["a broken mark", "*** Frobnicate: b.txt", "no known mark"],
  ])("with %s changes nothing at all", async (_what, body, error) => {
    await put("a.txt", "one\n");
    await put("b.txt", "two\n");
    const answer = await patch(`*** Add File: fresh.txt\n+x\n*** Update File: a.txt\n-one\n+1\n${body}`);
    expect(answer).toMatchObject({ success: false, error: expect.stringContaining(error) });
    expect(await text("a.txt")).toBe("one\n");
    expect(await text("b.txt")).toBe("two\n");
    expect(await readdir(turn.folder)).toEqual(["a.txt", "b.txt"]);
  });

  test("names the paths that it touches, so that calls on one file do not run side by side", () => {
    const paths = turn
      .tool("patch")
      .paths?.({ mode: "patch", patch: "*** Update File: a\n*** Move to: b\n*** Add File: /c\n+x" }, turn.context);
    expect(paths).toEqual([at("a"), at("b"), "/c"]);
    expect(turn.tool("read_file").paths?.({ path: "x" }, turn.context)).toEqual([at("x")]);
  });
});

test("a name that is too long is refused by every tool in plain words", async () => {
  const path = "n".repeat(300);
  const reason = { error: expect.stringMatching(/^cannot .*too long for the file system/) };
  expect(await write(path, "x")).toMatchObject(reason);
  expect(await read(path)).toMatchObject(reason);
  expect(await replace(path, "a", "b")).toMatchObject({ error: expect.stringContaining("too long for") });
});
