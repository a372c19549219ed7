import { describe, expect, test } from "vitest";
import { keyPaths } from "./keys/index.ts";
import { nearest } from "./nearest.ts";
import { configReference, configSchema } from "./reference.ts";
import { nearestPath } from "./unknown-keys.ts";

test("the page has a row for every key, and only well-formed rows", () => {
  const rows = configReference()
    .split("\n")
    .filter((line) => line.startsWith("| `"));
  expect(rows.map((row) => /^\| `([^`]+)`/.exec(row)?.[1]).sort()).toEqual([...keyPaths].sort());
  for (const row of rows) expect(row.replaceAll("\\|", "").split("|")).toHaveLength(7);
});

describe("the schema", () => {
  const schema = JSON.parse(configSchema());

  test("knows types, bounds, choices and defaults", () => {
    const { agent, approvals, toolsets } = schema.properties;
    expect(agent.properties.max_turns).toMatchObject({ type: "integer", minimum: 1, default: 90 });
    expect(approvals.properties.mode).toMatchObject({
      enum: ["manual", "smart", "off", false, true],
      default: "manual",
    });
    expect(toolsets).toMatchObject({ type: "array", items: { type: "string" } });
    expect(schema.properties.tool_loop_guardrails.properties.warn_after.properties.exact_failure.default).toBe(2);
  });

  test("allows old places and Hermes's keys, nothing else", () => {
    expect(schema.additionalProperties).toBe(false);
    expect(schema.properties.model.anyOf).toMatchObject([{ additionalProperties: false }, { type: "string" }]);
    expect(schema.properties.tts).toBeDefined();
    expect(schema.properties.terminal.properties.docker_image).toBeDefined();
  });
});

test.each([
  ["max_turn", ["max_turns", "min_turns"], "max_turns"],
  ["maxTurns", ["max_turns"], "max_turns"],
  ["modle", ["model", "mode"], "model"],
  ["zzz", ["model"], undefined],
  ["x", [], undefined],
])("nearest to %s of %j is %s", (name, names, expected) => {
  expect(nearest(name, names)).toBe(expected);
});

test("the nearest path is looked for beside it, then by its name elsewhere", () => {
  expect(nearestPath("terminal.timeot")).toBe("terminal.timeout");
  expect(nearestPath("agent.protect_last_n")).toBe("compression.protect_last_n");
  expect(nearestPath("agents.max_turns")).toBe("agent.max_turns");
});
