import { expect, test } from "vitest";
import { testSettings } from "./agent-fixture.ts";
import { guardrail } from "./guardrail.ts";

const settings = { ...testSettings.guardrails, hardStop: true };
const call = { toolName: "look", args: { path: "a" }, idempotent: false };
const failed = { ...call, result: "{}", failed: true };

test("the same failing call is warned about at its second failure and stopped at its fifth", () => {
  const rail = guardrail(settings);
  const warnings = Array.from({ length: 5 }, () => rail.observe(failed));
  expect(warnings.map((text) => text?.slice(0, 46))).toEqual([
    undefined,
    "[Tool loop warning: exact_failure; count=2; th",
    "[Tool loop warning: exact_failure; count=3; th",
    "[Tool loop warning: exact_failure; count=4; th",
    "[Tool loop warning: exact_failure; count=5; th",
  ]);
  expect(rail.check("look", { path: "a" })).toContain("exact_failure; count=5");
  expect(rail.check("look", { path: "b" })).toBeUndefined();
});

test("the order of keys does not make another call", () => {
  const rail = guardrail(settings);
  rail.observe({ ...failed, args: { a: 1, b: { c: 2, d: 3 } } });
  expect(rail.observe({ ...failed, args: { b: { d: 3, c: 2 }, a: 1 } })).toContain("exact_failure");
});

test("a tool that fails in different ways is warned about at its third failure; a success starts anew", () => {
  const rail = guardrail(settings);
  const fail = (path: string) => rail.observe({ ...failed, args: { path } });
  expect([fail("a"), fail("b")]).toEqual([undefined, undefined]);
  expect(fail("c")).toContain("same_tool_failure; count=3");
  rail.observe({ ...failed, failed: false });
  expect(fail("d")).toBeUndefined();
});

test("a reading call that brings the same thing again is no progress; another result is", () => {
  const rail = guardrail(settings);
  const read = (result: string) => rail.observe({ ...call, result, failed: false, idempotent: true });
  expect(read("x")).toBeUndefined();
  expect(read("x")).toContain("idempotent_no_progress; count=2");
  expect(read("y")).toBeUndefined();
});

test("without the hard stop nothing is ever stopped, and without warnings nothing is said", () => {
  const rail = guardrail({ ...testSettings.guardrails, warnings: false, hardStop: false });
  for (let index = 0; index < 20; index += 1) expect(rail.observe(failed)).toBeUndefined();
  expect(rail.check("look", { path: "a" })).toBeUndefined();
});
