import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { hostErrorCodes } from "#host";
import { configErrorCodes } from "./error.ts";

test("the page of errors has every code of the machine and the configuration, and no other", () => {
  const page = readFileSync(new URL("../../docs/reference/errors.md", import.meta.url), "utf8");
  const [part = ""] = page.split("\n## Installing plugins");
  const codes = [...part.matchAll(/^\| `([a-z_]+)` \|/gm)].map(([, code]) => code);
  expect(codes).toEqual([...hostErrorCodes, ...configErrorCodes]);
});
