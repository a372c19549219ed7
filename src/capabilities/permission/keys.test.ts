import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { dangerous } from "./dangerous.ts";
import { allowedKeys, permissionReference, writtenKey } from "./keys.ts";

test("an entry counts in our spelling, in Hermes's and in Hermes's older one", () => {
  expect(allowedKeys(["rm_rf"])("rm_rf")).toBe(true);
  expect(allowedKeys(["recursive delete"])("rm_rf")).toBe(true);
  expect(allowedKeys(["recursive delete"])("rm_recursive")).toBe(false);
  const find = allowedKeys(["find"]);
  expect([find("find_delete"), find("find_exec_rm"), find("rm_rf")]).toEqual([true, true, false]);
  expect(allowedKeys(["tirith:x"])("tirith:x")).toBe(true);
});

test("a hardline key in the list allows nothing", () => {
  expect(allowedKeys(["recursive delete of root filesystem"])("rm_rf")).toBe(false);
});

test("every key is written as it can be read again", () => {
  for (const { id } of dangerous)
    for (const hermesHome of [true, false]) expect(allowedKeys([writtenKey(id, hermesHome)])(id)).toBe(true);
  expect(writtenKey("rm_rf", true)).toBe("recursive delete");
  expect(writtenKey("rm_rf", false)).toBe("rm_rf");
});

test("the reference page is what the tables say", () => {
  const page = readFileSync("docs/reference/permission-patterns.md", "utf8");
  expect(page.split("\n").filter((line) => line.startsWith("| `"))).toHaveLength(79);
  expect(page).toBe(permissionReference());
});
