import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { claudeMatcher, shellMatcher } from "./matcher.ts";

const target = (name: string, ...aliases: readonly string[]) => ({ name, aliases });

describe("a matcher of a settings file", () => {
  test.each<[pattern: string | undefined, name: string, matches: boolean]>([
    [undefined, "Bash", true],
    ["", "Bash", true],
    ["*", "Bash", true],
    ["  ", "Bash", true],
    ["Bash", "Bash", true],
    ["Bash", "BashOutput", false],
    ["bash", "Bash", false],
    ["Edit|Write", "Write", true],
    ["Edit|Write", "NotebookEdit", false],
    ["Edit, Write", "Edit", true],
    ["Edit, Write", "Edits", false],
    ["code-reviewer", "code-reviewer", true],
    ["code-reviewer", "senior-code-reviewer", false],
    ["Edit.*", "NotebookEdit", true],
    ["^Edit", "NotebookEdit", false],
    ["mcp__memory", "mcp__memory__read", false],
    ["mcp__memory__.*", "mcp__memory__read", true],
    ["Edit|mcp__.*", "mcp__memory__read", true],
    ["Notebook(Edit|Read)", "NotebookRead", true],
    ["(", "Bash", false],
  ])("%j looks at %s: %s", async (pattern, name, matches) => {
    const compiled = await claudeMatcher(pattern, {});
    expect(compiled?.matches(target(name)) ?? true).toBe(matches);
  });

  test("a list may use older names and ours, a pattern too", async () => {
    const call = target("Agent", "Task", "delegate_task");
    for (const pattern of ["Task", "Agent", "delegate_task", "Read|Task", "Ta.k", "^delegate_.*$"])
      expect((await claudeMatcher(pattern, {}))?.matches(call), pattern).toBe(true);
  });

  test("what a pattern excludes is looked for in the first name only", async () => {
    const compiled = await claudeMatcher("^(?!Bash$).*", {});
    expect(compiled?.matches(target("Bash", "terminal"))).toBe(false);
    expect(compiled?.matches(target("Read", "read_file"))).toBe(true);
  });

  test("a wrong pattern is told of and matches nothing", async () => {
    const compiled = await claudeMatcher("Bash(", {});
    expect(compiled?.problem).toContain("Bash(");
    expect(compiled?.matches(target("Bash("))).toBe(false);
  });

  test("with nothing to look at, only a missing matcher matches", async () => {
    expect((await claudeMatcher("explorer", {}))?.matches(undefined)).toBe(false);
    expect((await claudeMatcher(".*", {}))?.matches(undefined)).toBe(false);
    expect(await claudeMatcher("*", {})).toBeUndefined();
  });

  test("of a narrow list, a dot makes a pattern and a comma does too", async () => {
    const narrow = { matchList: "narrow" } as const;
    expect((await claudeMatcher(".envrc|.env", narrow))?.matches(target(".env"))).toBe(true);
    expect((await claudeMatcher("a, b", narrow))?.matches(target("a"))).toBe(false);
  });

  test("a pattern that could take for ever does not", async () => {
    for (const pattern of ["^(a+)+$", "(a|aa)+$", "(a*)*b"]) {
      const started = performance.now();
      (await claudeMatcher(pattern, {}))?.matches(target(`${"a".repeat(5_000)}!`));
      expect(performance.now() - started, pattern).toBeLessThan(1_000);
    }
  });

  test("a list of names matches exactly its names", async () => {
    const name = fc.stringMatching(/^[A-Za-z0-9_-]{1,12}$/);
    await fc.assert(
      fc.asyncProperty(fc.array(name, { minLength: 1, maxLength: 5 }), name, async (names, other) => {
        const compiled = await claudeMatcher(names.join(" | "), {});
        for (const one of names) expect(compiled?.matches(target(one))).toBe(true);
        expect(compiled?.matches(target(other))).toBe(names.includes(other));
      }),
    );
  });
});

describe("a matcher of a shell hook", () => {
  test.each<[pattern: string | undefined, name: string, matches: boolean]>([
    [undefined, "terminal", true],
    ["terminal", "terminal", true],
    ["terminal", "terminal_x", false],
    ["write_file|patch", "patch", true],
    ["(?i)TERMINAL", "terminal", true],
    ["(?P<kind>read|write)_file", "read_file", true],
    ["mcp_.*", "mcp_memory_read", true],
    ["file", "write_file", false],
    ["terminal[", "terminal[", true],
  ])("%j against the whole of %s: %s", (pattern, name, matches) => {
    expect(shellMatcher(pattern)?.matches(target(name)) ?? true).toBe(matches);
  });
});
