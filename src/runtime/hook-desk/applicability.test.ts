import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { rows } from "#kernel";
import { notApplicable } from "./applicability.ts";
import { listEvents } from "./rule-list.ts";

const source = readdirSync("src", { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
  .map((file) => readFileSync(`src/${file}`, "utf8"))
  .join("\n");

test("each event that hooks can name fires somewhere, or the list says why it does not", () => {
  for (const { event, notApplicable: reason } of listEvents()) {
    const fires = source.includes(`plan.on.${event}`);
    if (rows[event].row.surface === "gateway") continue;
    expect({ event, fires }, event).toEqual({ event, fires: reason === null });
  }
});

test("only events that hooks can name are told of", () => {
  const listed = new Set<string>(listEvents().map(({ event }) => event));
  expect(Object.keys(notApplicable).filter((event) => !listed.has(event))).toEqual([]);
});
