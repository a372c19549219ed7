import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { pluginErrorCodes } from "./error.ts";

test("the page of errors has every code of plugins, and no other", () => {
  const page = readFileSync(new URL("../../docs/reference/errors.md", import.meta.url), "utf8");
  const [, section = ""] = page.split("\n## Plugins\n");
  const codes = [...section.matchAll(/^\| `([a-z_]+)` \|/gm)].map(([, code]) => code);
  expect(codes).toEqual(pluginErrorCodes);
});
