import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { catalogue } from "./catalogue.ts";
import { errorClasses } from "./error.ts";

const page = (name: string) => readFileSync(new URL(`../../docs/${name}`, import.meta.url), "utf8");
const firstCells = (text: string) => [...text.matchAll(/^\| `([\w.-]+)` \|/gm)].map(([, name]) => name);

test("the reference lists every class of error, and no other", () => {
  expect(firstCells(page("reference/model-errors.md")).sort()).toEqual(Object.keys(errorClasses).sort());
});

test("the guide lists every provider with its first key, and no other", () => {
  const guide = page("guide/models.md");
  expect(firstCells(guide)).toEqual([...catalogue.map(({ name }) => name), "offline"]);
  for (const { name, keys, port } of catalogue) {
    const row = guide.split("\n").find((line) => line.startsWith(`| \`${name}\``)) ?? "";
    if (keys[0] && port === undefined) expect(row).toContain(keys[0]);
    if (port) expect(row).toContain(String(port));
  }
});
