import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { house, results, tool, toolbox } from "./agent-fixture.ts";
import { coerceArguments, looksTruncated, repairArguments } from "./arguments.ts";
import { fromClaude, nearest, repairName, repairParameters } from "./tool-name.ts";

const known = new Set(["terminal", "read_file", "write_file", "patch", "search_files", "todo", "delegate_task"]);

test.each([
  ["terminal", "terminal"],
  ["Terminal", "terminal"],
  ["read-file", "read_file"],
  ["ReadFile", "read_file"],
  ["functions.read_file", "read_file"],
  ["read_file_tool", "read_file"],
  ["Bash", "terminal"],
  ["Read", "read_file"],
  ["Edit", "patch"],
  ["Grep", "search_files"],
  ["TodoWrite", "todo"],
  ["Task", "delegate_task"],
  ["serch_files", "search_files"],
  ["fly_to_moon", undefined],
  ["", undefined],
])("the tool name %j is taken for %j", (name, expected) => {
  expect(repairName(name, known)).toBe(expected);
});

test.each([
  ["Bash", { command: "ls", timeout: 60_000 }, "terminal", { command: "ls", timeout: 60 }],
  ["Read", { file_path: "/a", limit: 5 }, "read_file", { path: "/a", limit: 5 }],
  [
    "Edit",
    { file_path: "/a", old_string: "x", new_string: "y" },
    "patch",
    { mode: "replace", path: "/a", old_string: "x", new_string: "y" },
  ],
  ["Glob", { pattern: "*.ts" }, "search_files", { target: "files", pattern: "*.ts" }],
  ["Grep", { pattern: "x", glob: "*.ts" }, "search_files", { target: "content", pattern: "x", file_glob: "*.ts" }],
])("a call of %s is translated with its arguments", (name, args, own, expected) => {
  expect(fromClaude(name, args, known)).toEqual({ name: own, args: expected });
});

test("a tool of ours under such a name is left alone, and so is a name without a tool", () => {
  expect(fromClaude("Bash", {}, new Set(["Bash", "terminal"]))).toBeUndefined();
  expect(fromClaude("Bash", {}, new Set(["read_file"]))).toBeUndefined();
});

test("the nearest names come first", () => {
  expect(nearest("write_fil", [...known])[0]).toBe("write_file");
});

test("parameters under another's names get the tool's own, and the tool's own are never touched", () => {
  const schema = { properties: { path: {}, content: {} } };
  expect(repairParameters({ file_path: "a", content: "b" }, schema)).toEqual({ path: "a", content: "b" });
  expect(repairParameters({ path: "a", file_path: "b" }, schema)).toEqual({ path: "a", file_path: "b" });
});

describe("malformed arguments", () => {
  test.each([
    ["{'path': 'a'}", { path: "a" }],
    ['{"path": "a",}', { path: "a" }],
    ['```json\n{"path": "a"}\n```', { path: "a" }],
    ['"{\\"path\\": \\"a\\"}"', { path: "a" }],
    ["", {}],
  ])("%j is repaired", async (malformed, args) => {
    expect(await repairArguments({ id: "1", name: "look", args: {}, malformed }, false)).toEqual({ args });
  });

  test.each([
    ['{"path": "a", "content": "half a fi'],
    ['{"path": "a"'],
    ['{"list": [1, 2'],
    ["[1, 2]"],
    ["not json at all"],
  ])("%j is not run", async (malformed) => {
    const repaired = await repairArguments({ id: "1", name: "look", args: {}, malformed }, false);
    expect(repaired).toHaveProperty("problem");
  });

  test("every true beginning of an object looks truncated", () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string({ minLength: 1 }), fc.jsonValue(), { minKeys: 1 }),
        fc.nat(),
        (value, cut) => {
          const text = JSON.stringify(value);
          expect(looksTruncated(text)).toBe(false);
          expect(looksTruncated(text.slice(0, 1 + (cut % (text.length - 1))))).toBe(true);
        },
      ),
    );
  });
});

test.each([
  ["a number", { count: "3" }, { count: 3 }],
  ["no integer", { count: "3.5" }, { count: "3.5" }],
  ["a boolean", { all: "True" }, { all: true }],
  ["a list", { list: '["1"]' }, { list: [1] }],
  ["text", { path: 5 }, { path: "5" }],
  ["what is unknown", { other: "1" }, { other: "1" }],
])("coercion gives the schema %s", (_name, given, expected) => {
  const properties = {
    count: { type: "integer" },
    all: { type: "boolean" },
    path: { type: "string" },
    list: { type: "array", items: { type: "integer" } },
  };
  expect(coerceArguments(given, { type: "object", properties })).toEqual(expected);
});

describe("in a turn", () => {
  test("a repaired call is stored and run under its right name", async () => {
    await using home = await house({
      script: [{ calls: [{ name: "Look", text: "{'path': 'a', 'count': '2'}" }] }, { text: "ok" }],
      parts: [toolbox(tool("look"))],
    });
    const session = await home.open();
    await home.turn(session, "look");
    expect(results(await home.messages(session.id))).toEqual(['look: {"done":"look","path":"a","count":2}']);
  });

  test("a call that was cut off is not run, and the model is told so", async () => {
    const ran: unknown[] = [];
    await using home = await house({
      script: [{ calls: [{ name: "look", text: '{"path": "a' }], finishReason: "length" }, { text: "ok" }],
      parts: [toolbox(tool("look", { run: async (args) => `ran ${ran.push(args)}` }))],
    });
    const session = await home.open();
    await home.turn(session, "look");
    expect(ran).toEqual([]);
    expect(results(await home.messages(session.id))[0]).toContain("cut off");
  });

  test("exact duplicates run once, and ids are unique in the session", async () => {
    await using home = await house({
      script: [
        {
          calls: [
            { id: "x", name: "look", args: { path: "a" } },
            { id: "x", name: "look", args: { path: "a" } },
            { id: "x", name: "look", args: { path: "b" } },
          ],
        },
        { calls: [{ id: "x", name: "look", args: { path: "c" } }] },
        { text: "ok" },
      ],
      parts: [toolbox(tool("look"))],
    });
    const session = await home.open();
    await home.turn(session, "look");
    const stored = await home.messages(session.id);
    expect(results(stored).map((line) => /"path":"(.)"/.exec(line)?.[1])).toEqual(["a", "b", "c"]);
    const ids = stored.flatMap(({ message }) => (message.role === "tool" ? [message.toolCallId] : []));
    expect(new Set(ids).size).toBe(3);
  });

  test("an unknown tool is answered with the nearest names, and its neighbours run", async () => {
    await using home = await house({
      script: [{ calls: [{ name: "lurk_about" }, { name: "look" }] }, { text: "ok" }],
      parts: [toolbox(tool("look"))],
    });
    const session = await home.open();
    await home.turn(session, "look");
    const told = results(await home.messages(session.id));
    expect(told.find((line) => line.startsWith("lurk_about"))).toContain("Nearest: look");
    expect(told.find((line) => line.startsWith("look"))).toBe('look: {"done":"look"}');
  });
});
