import fc from "fast-check";
import { expect, test } from "vitest";
import { parseYamlText } from "#config";
import { plainManifest } from "./plain-manifest.ts";

test("a manifest of the plainest form is read without the library", () => {
  const text =
    'name: weather\nversion: 1.2.3\ndescription: "Tells: the weather"\nprovides_tools:\n  - weather\n# why\nkind: backend\n';
  expect(plainManifest(text)).toEqual({
    name: "weather",
    version: "1.2.3",
    description: "Tells: the weather",
    provides_tools: ["weather"],
    kind: "backend",
  });
});

test.each([
  "name: yes\n",
  "version: 1.0\n",
  "name: a # why\n",
  "name: a: b\n",
  "requires_env:\n  - name: KEY\n    secret: true\n",
  "description: |\n  long\n",
  "name: a\n  b\n",
  "provides_tools: [a, b]\n",
  "name: a\nname: b\n",
  "provides_tools:\nname: a\n",
  "provides_tools:\n- a\n  - b\n",
  "name: a \n",
  "name:\ta\n",
  "---\nname: a\n",
  "",
])("%j is left to the library", (text) => {
  expect(plainManifest(text)).toBeUndefined();
});

test("where it gives values they are the library's", async () => {
  const pieces = "a|1|1.2.3|name|yes|No| |  |: |:|-|- |#| #|'|\"|[|]|{|,|.|/|(|~|&x|*x|!|>|\\|%|@|é|\t|\r|null|+1|_";
  const word = fc.array(fc.constantFrom(...pieces.split("|"), "|"), { maxLength: 5 }).map((some) => some.join(""));
  const line = fc.oneof(
    fc.tuple(fc.constantFrom("name", "kind", "list", "on", "x y"), word).map(([key, value]) => `${key}: ${value}`),
    fc.constantFrom("list:", "kind:", "", "# why", "---"),
    fc.tuple(fc.constantFrom("- ", "  - ", " "), fc.oneof(word, fc.constant("a"))).map(([mark, value]) => mark + value),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 6 }), async (lines) => {
      const text = lines.join("\n");
      const values = plainManifest(text);
      if (values !== undefined) expect(await parseYamlText(text)).toEqual({ value: values });
    }),
    { numRuns: 3000 },
  );
});
