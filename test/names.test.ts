import { readdirSync } from "node:fs";
import { expect, test } from "vitest";

const forbidden = /(^|\/)(utils?|helpers?|common|misc)(\/|\.ts$)|(^|\/)(types|constants)\.ts$/;

test("no file or folder of src is a store room", () => {
  const files = readdirSync("src", { recursive: true, encoding: "utf8" });
  expect(files.length).toBeGreaterThan(10);
  expect(files.filter((file) => forbidden.test(file))).toEqual([]);
});
