import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Args, Lens } from "./lens.ts";
import { absolute, milliseconds, record } from "./lens.ts";
import { ownArgs, ownToolNames, seenCall, translations } from "./translation.ts";

const place = { cwd: "/home/ada/project", home: "/home/ada" };
const word = fc.string({ maxLength: 12 });
const line = fc.stringMatching(/^[ -~]{0,12}$/);
const path = fc.oneof(
  word,
  fc.stringMatching(/^\/[a-z/]{0,12}$/),
  fc.constantFrom("a.txt", "../b", "~/c", "~", "./d/../e"),
);
const fullPath = fc.stringMatching(/^\/[a-z./]{1,12}$/);
const some = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(value, { nil: undefined });
/** An object whose keys may be missing. */
const shape = (keys: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<Args> =>
  fc
    .record(Object.fromEntries(Object.entries(keys).map(([key, value]) => [key, some(value)])))
    .map((full) => Object.fromEntries(Object.entries(full).filter(([, value]) => value !== undefined)));
const edit = fc.record({ old_string: line, new_string: line }).filter((one) => one.old_string + one.new_string !== "");
const patchText = fc
  .tuple(fullPath, fc.array(edit, { minLength: 1, maxLength: 3 }))
  .map(([file, edits]) =>
    [
      "*** Begin Patch",
      `*** Update File: ${file}`,
      ...edits.flatMap((one) => ["@@ def f():", " same", `-${one.old_string}`, `+${one.new_string}`]),
      "*** Add File: /other",
      "+hello",
      "*** End Patch",
    ].join("\n"),
  );
const number = fc.oneof(
  fc.integer({ min: 0, max: 1e9 }),
  fc.double({ min: 0, max: 1e6, noNaN: true }),
  fc.constant("60"),
);
const todo = fc.record({ content: word, status: fc.constantFrom("pending", "in_progress", "completed") });

interface Sample {
  readonly own: fc.Arbitrary<Args>;
  readonly seen: fc.Arbitrary<Args>;
}
const edits = fc.array(edit, { minLength: 1, maxLength: 3 });
const samples: Readonly<Record<string, Sample>> = {
  Bash: {
    own: shape({
      command: word,
      timeout: number,
      background: fc.boolean(),
      workdir: word,
      pty: fc.boolean(),
      description: word,
    }),
    seen: shape({
      command: word,
      timeout: fc.integer({ min: 0, max: 1e9 }),
      description: word,
      run_in_background: fc.boolean(),
      dangerouslyDisableSandbox: fc.boolean(),
    }),
  },
  Write: {
    own: shape({ path, content: word, cross_profile: fc.boolean() }),
    seen: shape({ file_path: fullPath, content: word }),
  },
  Read: {
    own: shape({ path, offset: fc.nat(), limit: fc.nat() }),
    seen: shape({ file_path: fullPath, offset: fc.nat(), limit: fc.nat(), pages: word }),
  },
  MultiEdit: {
    own: fc.record({ mode: fc.constant("patch"), patch: patchText }),
    seen: fc.record({ file_path: fullPath.filter((text) => text.trim() === text), edits }),
  },
  Edit: {
    own: shape({
      mode: fc.constant("replace"),
      path,
      old_string: word,
      new_string: word,
      replace_all: fc.boolean(),
      cross_profile: fc.boolean(),
    }),
    seen: shape({ file_path: fullPath, old_string: word, new_string: word, replace_all: fc.boolean() }),
  },
  Glob: {
    own: fc.record({ target: fc.constant("files"), pattern: word, limit: fc.nat(), file_glob: word }),
    seen: shape({ pattern: word, path: word }),
  },
  Grep: {
    own: shape({
      target: fc.constant("content"),
      pattern: word,
      file_glob: word,
      limit: fc.nat(),
      output_mode: fc.constantFrom("content", "files_only", "count"),
      context: fc.nat(),
    }),
    seen: shape({
      pattern: word,
      glob: word,
      head_limit: fc.nat(),
      output_mode: fc.constantFrom("content", "files_with_matches", "count"),
      "-i": fc.boolean(),
    }),
  },
  WebFetch: {
    own: shape({ urls: fc.array(word, { maxLength: 3 }), prompt: word }),
    seen: shape({ url: word, prompt: word }),
  },
  WebSearch: {
    own: shape({ query: word, limit: fc.nat() }),
    seen: shape({ query: word, allowed_domains: fc.array(word) }),
  },
  Agent: {
    own: shape({
      goal: word,
      context: word,
      role: fc.constantFrom("leaf", "orchestrator"),
      tasks: fc.array(fc.record({ goal: word }), { maxLength: 2 }),
      background: fc.boolean(),
    }),
    seen: shape({ description: word, prompt: word, subagent_type: word, run_in_background: fc.boolean() }),
  },
  TodoWrite: {
    own: shape({
      todos: fc.array(
        fc.tuple(word, todo).map(([id, item]) => ({ id, ...item })),
        { maxLength: 4 },
      ),
      merge: fc.boolean(),
    }),
    seen: shape({ todos: fc.array(fc.tuple(word, todo).map(([activeForm, item]) => ({ ...item, activeForm }))) }),
  },
  AskUserQuestion: {
    own: shape({ question: word, choices: fc.array(word, { minLength: 1, maxLength: 3 }) }),
    seen: shape({
      questions: fc
        .record({ question: word, options: fc.array(fc.record({ label: word }), { maxLength: 3 }) })
        .map((one) => [{ question: one.question, header: "", options: one.options, multiSelect: false }]),
      answers: fc.dictionary(
        word.filter((key) => key !== "__proto__"),
        word,
      ),
    }),
  },
};

/** The part of `own` that the other dialect cannot see: what the lens keeps when everything seen is taken away. */
const unseen = (lens: Lens<Args, Args>, own: Args): Args => lens.put(own, {}, place);

describe.each(translations.map((row) => [row.names[0], row] as const))("%s", (name, row) => {
  const sample = samples[name] as Sample;

  test("gives back what was put in", () => {
    fc.assert(
      fc.property(sample.own, sample.seen, (own, seen) => {
        expect(row.lens.get(row.lens.put(own, seen, place), place)).toEqual(seen);
      }),
    );
  });

  test("changes nothing when nothing was changed", () => {
    fc.assert(
      fc.property(sample.own, (own) => {
        expect(row.lens.put(own, row.lens.get(own, place), place)).toEqual(own);
      }),
    );
  });

  test("keeps through a rewrite what the other dialect cannot express", () => {
    fc.assert(
      fc.property(sample.own, sample.seen, (own, seen) => {
        const kept = unseen(row.lens, own);
        const after = row.lens.put(own, seen, place);
        for (const key of ["workdir", "pty", "cross_profile", "target", "merge", "role", "toolsets"])
          if (Object.hasOwn(own, key)) expect([kept[key], after[key]]).toEqual([own[key], own[key]]);
      }),
    );
  });

  test("survives arguments of any form", () => {
    fc.assert(
      fc.property(fc.dictionary(word, fc.jsonValue()), fc.dictionary(word, fc.jsonValue()), (own, seen) => {
        expect(row.lens.put(own, row.lens.get(own, place), place)).toEqual(own);
        expect(row.lens.put(own, seen, place)).toBeTypeOf("object");
      }),
    );
  });
});

test("every translation has samples", () => {
  expect(translations.map((row) => row.names[0]).sort()).toEqual(Object.keys(samples).sort());
});

test("seconds are milliseconds over there, and come back as they went", () => {
  expect(milliseconds.get(1.001)).toBe(1001);
  expect(milliseconds.put(undefined, 1001)).toBe(1.001);
  expect(seenCall("terminal", { command: "ls", timeout: 60, workdir: "web" })).toEqual({
    name: "Bash",
    aliases: ["terminal"],
    input: { command: "ls", timeout: 60_000 },
  });
});

test("a rewrite replaces the whole of what was seen and leaves the rest", () => {
  const own = { command: "git diff HEAD~1", description: "show diff", timeout: 5, workdir: "web", pty: true };
  expect(ownArgs("terminal", own, { command: "git diff" })).toEqual({ command: "git diff", workdir: "web", pty: true });
});

test.each([
  ["a.txt", "/home/ada/project/a.txt"],
  ["./src/../b", "/home/ada/project/b"],
  ["../../../../../x", "/x"],
  ["~/c", "/home/ada/c"],
  ["/etc/./hosts", "/etc/./hosts"],
  ["C:\\x", "C:\\x"],
])("the path %s is seen as %s", (own, seen) => {
  expect(absolute.get(own, place)).toBe(seen);
});

test("on Windows a path is seen with its own separators", () => {
  expect(absolute.get("src/a.ts", { cwd: "C:\\work" })).toBe("C:\\work\\src\\a.ts");
});

test.each([
  ["mcp_my_server_get_issue", "my-server", "mcp__my-server__get_issue"],
  ["mcp_github_get_issue", undefined, "mcp__github__get_issue"],
  ["mcp__github__get_issue", undefined, "mcp__github__get_issue"],
  ["mcp_x", undefined, "mcp_x"],
  ["browser_click", undefined, "browser_click"],
])("%s of server %s is seen as %s", (own, server, seen) => {
  expect(seenCall(own, {}, server).name).toBe(seen);
});

test("names of the other dialect lead back to our tools", () => {
  expect(ownToolNames("Bash")).toEqual(["terminal"]);
  expect(ownToolNames("Edit")).toEqual(["patch"]);
  expect(ownToolNames("Task")).toEqual(["delegate_task"]);
  expect(ownToolNames("mcp__my-server__get_issue")).toEqual(["mcp_my_server_get_issue"]);
  expect(ownToolNames("Unheard")).toEqual([]);
});

test("a patch of several files names them all and shows every replacement", () => {
  const patch = [
    "*** Begin Patch",
    "*** Update File: src/a.ts",
    "@@ function f()",
    " keep",
    "-old",
    "+new",
    "*** Delete File: .env",
    "*** End Patch",
  ].join("\n");
  expect(seenCall("patch", { mode: "patch", patch }, undefined, place)).toEqual({
    name: "MultiEdit",
    aliases: ["Edit", "patch"],
    input: {
      file_path: "/home/ada/project/src/a.ts",
      edits: [{ old_string: "keep\nold", new_string: "keep\nnew" }],
      file_paths: ["/home/ada/project/src/a.ts", "/home/ada/project/.env"],
    },
  });
});

test("a dropped task takes its id along, a new one gets a free id", () => {
  const own = {
    merge: true,
    todos: [
      { id: "1", content: "a", status: "pending" },
      { id: "7", content: "b", status: "pending" },
    ],
  };
  const seen = (contents: readonly string[]) => ({
    todos: contents.map((content) => ({ content, status: "completed" })),
  });
  const ids = (contents: readonly string[]) =>
    (ownArgs("todo", own, seen(contents))["todos"] as readonly { id: string }[]).map((item) => item.id);
  expect(ids(["b"])).toEqual(["7"]);
  expect(ids(["a", "b", "c"])).toEqual(["1", "7", "2"]);
  expect(ids(["x", "y"])).toEqual(["1", "7"]);
});

test("a key that would hide behind a name of ours is not taken over", () => {
  const lens = record({ path: { to: "file_path" } }, ["secret"]);
  expect(lens.put({ path: "/a", secret: 1 }, { file_path: "/b", path: "/c", secret: 2 })).toEqual({
    path: "/b",
    secret: 1,
  });
});
