import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { appendItem, parseSetting, removeItem, setKey, splitPath, unsetKey } from "./edit.ts";
import { readConfigFile } from "./file-reader.ts";

let file = "";
beforeEach(() => {
  file = join(mkdtempSync(join(tmpdir(), "talaria-edit-")), "config.yaml");
});
const text = (): string => readFileSync(file, "utf8");

const sample = `# my settings
model:
  default: "a/b"   # the big one
  provider: 'custom'

agent:   # budgets
    max_turns: 10 # few

# allowed for good
command_allowlist:
- find
- "recursive delete"   # sure?

terminal: {timeout: 5, cwd: .}
empty:
last: |
  several
  lines
`;

describe("a change touches its own bytes alone", () => {
  test.each([
    ["agent.max_turns", 25, "max_turns: 10 # few", "max_turns: 25 # few"],
    ["model.default", "c/d", '"a/b"   # the big', '"c/d"   # the big'],
    ["model.provider", "it's", "'custom'", "'it''s'"],
    ["model.default", 'q"\\', '"a/b"', '"q\\"\\\\"'],
    ["agent.max_turns", null, "max_turns: 10", "max_turns: null"],
    ["agent.api_max_retries", 1, "# few\n", "# few\n    api_max_retries: 1\n"],
    ["model.base_url", "http://x/v1", "'custom'\n", "'custom'\n  base_url: http://x/v1\n"],
    ["timezone", "off", "  lines\n", '  lines\ntimezone: "off"\n'],
    ["timezone", "12:30", "  lines\n", '  lines\ntimezone: "12:30"\n'],
    ["display.show_cost", true, "  lines\n", "  lines\ndisplay:\n  show_cost: true\n"],
    ["empty", "x", "empty:", "empty: x"],
    ["terminal.timeout", 9, "timeout: 5", "timeout: 9"],
    ["providers.mine.base_url", "u", "  lines\n", "  lines\nproviders:\n  mine:\n    base_url: u\n"],
  ])("%s = %j", async (path, value, before, after) => {
    writeFileSync(file, sample);
    expect(await setKey(file, splitPath(path), value)).toBe(true);
    expect(text()).toBe(sample.replace(before, () => after));
  });

  test("lists grow at their end, once", async () => {
    writeFileSync(file, sample);
    expect(await appendItem(file, ["command_allowlist"], "disk copy")).toBe(true);
    expect(await appendItem(file, ["command_allowlist"], "find")).toBe(false);
    expect(text()).toBe(sample.replace("# sure?\n", "# sure?\n- disk copy\n"));
  });

  test.each([
    ["", "command_allowlist:\n  - x\n"],
    ["# only a note\n", "# only a note\ncommand_allowlist:\n  - x\n"],
    ["command_allowlist: []\n", "command_allowlist: [x]\n"],
    ["command_allowlist: [a] # n\n", "command_allowlist: [a, x] # n\n"],
    ["command_allowlist: a\n", "command_allowlist:\n  - a\n  - x\n"],
    ["command_allowlist:\n  - a", "command_allowlist:\n  - a\n  - x\n"],
  ])("a list in %j", async (before, after) => {
    writeFileSync(file, before);
    await appendItem(file, ["command_allowlist"], "x");
    expect(text()).toBe(after);
  });

  test.each([
    ["agent.max_turns", "agent:   # budgets\n    max_turns: 10 # few\n"],
    ["model.provider", "  provider: 'custom'\n"],
    ["last", "last: |\n  several\n  lines\n"],
    ["empty", "empty:\n"],
  ])("%s is taken out", async (path, lines) => {
    writeFileSync(file, sample);
    expect(await unsetKey(file, splitPath(path))).toBe(true);
    expect(text()).toBe(sample.replace(lines, ""));
    expect(await unsetKey(file, splitPath(path))).toBe(false);
  });

  test("line ends of Windows and a byte order mark stay", async () => {
    writeFileSync(file, `\ufeff${sample.replaceAll("\n", "\r\n")}`);
    await setKey(file, ["display", "show_cost"], true);
    expect(text()).toBe(`\ufeff${sample}display:\n  show_cost: true\n`.replaceAll("\n", "\r\n"));
  });

  test("a missing file is created for its owner alone; nothing else is left beside it", async () => {
    await setKey(file, ["model", "default"], "x");
    expect([text(), statSync(file).mode & 0o777]).toEqual(["model:\n  default: x\n", 0o600]);
    expect(await setKey(file, ["model", "default"], "x")).toBe(false);
    expect(readdirSync(join(file, ".."))).toEqual(["config.yaml"]);
  });

  test("a text gives way to a section", async () => {
    writeFileSync(file, "model: a/b # old form\nx: 1\n");
    await setKey(file, ["model", "provider"], "custom");
    expect((await readConfigFile(file, {})).values).toEqual({ model: { provider: "custom" }, x: 1 });
  });
});

test("a broken file and a value behind an anchor are not touched; of a key that stands twice the last is meant", async () => {
  writeFileSync(file, "a: [1\n");
  await expect(setKey(file, ["b"], 1)).rejects.toMatchObject({ code: "broken_file" });
  await expect(setKey(file, ["b"], 1)).rejects.toThrow(`${file}:2:1: this is not YAML`);
  writeFileSync(file, "a: 1\nb: 2\na: 3\n");
  await setKey(file, ["a"], 4);
  expect(text()).toBe("a: 1\nb: 2\na: 4\n");
  writeFileSync(file, "base: &b {x: 1}\nuse: *b\n");
  await expect(setKey(file, ["use", "x"], 2)).rejects.toThrow("edit the file by hand");
  expect(text()).toBe("base: &b {x: 1}\nuse: *b\n");
});

test("any value that is set is read back the same, its neighbours, too", async () => {
  const name = fc.constantFrom("a", "b", "c", "y", "on");
  const value = fc.oneof(
    fc.string(),
    fc.integer(),
    fc.boolean(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.array(fc.string({ maxLength: 5 }), { maxLength: 3 }),
    fc.constantFrom("yes", "null", "~", "1e5", "0x1", "- a", "# b", "2026-01-01", "a: b", " x", "", "010", "&a"),
  );
  const edits = fc.array(fc.tuple(fc.array(name, { minLength: 1, maxLength: 3 }), value), {
    minLength: 1,
    maxLength: 6,
  });
  await fc.assert(
    fc.asyncProperty(edits, async (all) => {
      writeFileSync(file, sample);
      for (const [path, wanted] of all) {
        await setKey(file, path, wanted);
        const { values, problems } = await readConfigFile(file, {});
        expect(problems).toEqual([]);
        expect(path.reduce<unknown>((at, part) => (at as Record<string, unknown>)[part], values)).toEqual(wanted);
        expect(values).toMatchObject({ model: { default: "a/b" }, last: "several\nlines\n" });
      }
      expect(text()).toContain("# sure?");
    }),
    { numRuns: 60 },
  );
});

test("several processes that edit at once lose nothing", async () => {
  writeFileSync(file, sample);
  const worker = (letter: string): Promise<number | null> => {
    const script = `const { appendItem, setKey } = await import(${JSON.stringify(join(import.meta.dirname, "edit.ts"))});
      for (let n = 0; n < 8; n += 1) { await appendItem(${JSON.stringify(file)}, ["command_allowlist"], "${letter}" + n); await setKey(${JSON.stringify(file)}, ["x-${letter}"], n); }`;
    return new Promise((resolve) =>
      spawn(
        process.execPath,
        ["--conditions=talaria-source", "--conditions=source", "--input-type=module", "-e", script],
        { stdio: "inherit", cwd: join(import.meta.dirname, "../..") },
      ).on("exit", resolve),
    );
  };
  expect(await Promise.all([worker("a"), worker("b"), worker("c")])).toEqual([0, 0, 0]);
  const { values } = await readConfigFile(file, {});
  expect((values["command_allowlist"] as unknown[]).length).toBe(2 + 24);
  expect(values).toMatchObject({ "x-a": 7, "x-b": 7, "x-c": 7 });
});

describe("values from a command line", () => {
  test.each([
    ["agent.max_turns", "50", 50],
    ["display.show_cost", "on", true],
    ["model.default", "12", "12"],
    ["approvals.mode", "Off", "off"],
    ["command_allowlist", "find, disk copy", ["find", "disk copy"]],
    ["command_allowlist", "[a, 'b,c']", ["a", "b,c"]],
    ["fallback_providers", "[{provider: x}]", [{ provider: "x" }]],
    ["providers.mine.base_url", "http://x", "http://x"],
    ["tts.speed", "1.5", 1.5],
  ])("%s %s", async (path, given, value) => {
    expect(await parseSetting(path, given)).toEqual(value);
  });

  test.each([
    ["agent.max_turn", "1", "unknown_key", "did you mean agent.max_turns?"],
    ["agent.max_turns", "many", "wrong_type", 'must be a whole number from 1, but is "many"'],
    ["approvals.mode", "never", "wrong_type", "one of manual, smart, off"],
    ["providers", "text", "wrong_type", "must be a mapping"],
    ["providers", "{a", "wrong_type", "is not YAML"],
  ])("%s %s is refused", async (path, given, code, words) => {
    await expect(parseSetting(path, given)).rejects.toMatchObject({ code });
    await expect(parseSetting(path, given)).rejects.toThrow(words);
  });
});

test.each([
  [
    "a line of its own",
    "plugins:\n  enabled:  # mine\n    - a # first\n    - b # second\n  # end\n",
    "plugins:\n  enabled:  # mine\n    - b # second\n  # end\n",
  ],
  [
    "the last one",
    "# top\nplugins:\n  enabled:\n    - a\n  disabled: [c] # no\n",
    "# top\nplugins:\n  enabled: []\n  disabled: [ c ] # no\n",
  ],
  ["between brackets", "plugins: {enabled: [a, b]} # all\n", "plugins: { enabled: [ b ] } # all\n"],
  ["not there", "plugins:\n  enabled: [b] # one\n", undefined],
])("an item is taken out of a list: %s", async (_, before, after) => {
  writeFileSync(file, before);
  expect(await removeItem(file, ["plugins", "enabled"], "a")).toBe(after !== undefined);
  expect(text()).toBe(after ?? before);
});
