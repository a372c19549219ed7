import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { searchPlan, snippet } from "./search-query.ts";
import { openSqliteStore, type SqliteStore } from "./store.ts";

let folder: string;
let store: SqliteStore;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "search-"));
  store = await openSqliteStore({ file: join(folder, "state.db") });
  await store.create({ id: "s", source: "cli", cwd: "/", model: "m", provider: "p" });
});
afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true });
});
const say = (content: string) => ({ role: "user", content }) as const;

test.each([
  ["fox", { words: '"fox"*', pieces: undefined, patterns: [] }],
  ["brown fox", { words: '"brown"* AND "fox"*', pieces: undefined, patterns: [] }],
  ['"brown fox"', { words: '"brown fox"', pieces: undefined, patterns: [] }],
  ['say "hi', { words: '"say"* AND "hi"*', pieces: undefined, patterns: [] }],
  ["a_b 50%", { words: '"a_b"* AND "50%"*', pieces: undefined, patterns: ["%a\\_b%", "%50\\%%"] }],
  ["数据库", { words: undefined, pieces: '"数据库"', patterns: [] }],
  ["数据", { words: undefined, pieces: undefined, patterns: ["%数据%"] }],
  ["fox 数据库 ->", { words: '"fox"*', pieces: '"数据库"', patterns: ["%->%"] }],
])("%j is looked up as %j", (text, plan) => {
  expect(searchPlan(text)).toMatchObject(plan);
});

test.each(["", "  ", '""', "\0"])("%j looks for nothing", (text) => {
  expect(searchPlan(text)).toBeUndefined();
});

test("a text that was stored is found by any of its words, whatever it is made of", async () => {
  const word = fc.oneof(
    fc.stringMatching(/^[a-z0-9]{1,8}$/),
    fc.stringMatching(/^[\u4e00-\u9fa5\u3042-\u3093]{1,5}$/),
    fc.stringMatching(/^[!-~]{1,6}$/).filter((text) => !text.includes('"')),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(word, { minLength: 1, maxLength: 6 }), fc.nat(), async (words, pick) => {
      const [stored] = await store.append("s", "t", [say(words.join(" "))]);
      const hits = await store.search(words[pick % words.length] ?? "", { limit: 100_000 });
      expect(hits.map((hit) => hit.seq)).toContain(stored?.seq);
    }),
    { numRuns: 150 },
  );
});

test("any text can be searched for", async () => {
  await store.append("s", "t", [say("something")]);
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.string({ unit: "binary" }), fc.string({ unit: "grapheme" })), async (text) => {
      expect(Array.isArray(await store.search(text))).toBe(true);
    }),
    { numRuns: 300 },
  );
});

test("what is not indexed yet is found too, the newest first", async () => {
  await store.append("s", "t", [say("old heron")]);
  await store.search("heron");
  await store.append("s", "t", [say("new heron"), say("x"), say("newest heron")]);
  const reader = await openSqliteStore({ file: store.database.file, readOnly: true });
  const snippets = (await reader.search("heron")).map((hit) => hit.snippet);
  expect(snippets).toEqual(["newest heron", "new heron", "old heron"]);
  expect(await reader.search("heron", { limit: 2 })).toHaveLength(2);
  await reader.close();
});

test("the end of a turn indexes what it stored", async () => {
  await store.claim("s", "t");
  await store.append("s", "t", [say("a heron")]);
  await store.release("s");
  const indexed = async () =>
    store.database.read((sql) => sql.get("SELECT value FROM state_meta WHERE key = 'indexed_messages'"));
  for (let tries = 0; tries < 100 && (await indexed()) === undefined; tries++)
    await new Promise((resolve) => setTimeout(resolve, 10));
  expect(await indexed()).toEqual({ value: "1" });
});

test("a long message is found by what stands in its first 32,768 characters", async () => {
  await store.append("s", "t", [say(`${"x ".repeat(16_000)}heron ${"y ".repeat(100_000)}crane`)]);
  expect(await store.search("heron")).toHaveLength(1);
  expect(await store.search("crane")).toHaveLength(0);
});

test("a snippet is one line around what was found", () => {
  const text = `${"before ".repeat(50)}the\n\theron  stands${" after".repeat(50)}`;
  const shown = snippet(text, ["heron"], 60);
  expect(shown).toMatch(/^….*the heron stands.*…$/);
  expect(shown.length).toBeLessThanOrEqual(62);
  expect(snippet("short", ["nothing"])).toBe("short");
  expect(snippet("🎉".repeat(200), ["x"], 61)).not.toContain("\uFFFD");
});
