import { describe, expect, test } from "vitest";
import { dangerous } from "./dangerous.ts";
import { hardline } from "./hardline.ts";
import { findings } from "./matching.ts";

const place = { home: "/home/ada", agentHome: "/home/ada/.talaria", cwd: "/home/ada/project" };
const hard = (command: string) => findings(command, place).hardline?.id;
const keys = (command: string) => findings(command, place).dangerous.map((row) => row.id);

describe("tables", () => {
  test("ids are unique, and Hermes's descriptions too but for the one that Hermes has twice", () => {
    const rows = [...hardline, ...dangerous];
    expect(new Set(rows.map((row) => row.id)).size).toBe(rows.length);
    expect(hardline).toHaveLength(12);
    expect(dangerous).toHaveLength(61);
    expect(new Set(dangerous.map((row) => row.description)).size).toBe(60);
  });
  for (const row of hardline) {
    test(`${row.id} catches its example`, () => expect(hard(row.example)).toBe(row.id));
    test.each(row.nearMisses)(`${row.id} lets pass: %s`, (command) => expect(hard(command)).toBeUndefined());
  }
  for (const row of dangerous) {
    test(`${row.id} catches its example`, () => expect(keys(row.example)).toContain(row.id));
    test.each(row.nearMisses)(`${row.id} lets pass: %s`, (command) => expect(keys(command)).not.toContain(row.id));
  }
});
