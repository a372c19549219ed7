import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { dangerous } from "./dangerous.ts";
import { type Decision, decide, type Facts } from "./decision.ts";
import { hardline } from "./hardline.ts";
import type { Findings } from "./matching.ts";

const nothing: Findings = { hardline: undefined, dangerous: [], sudoPassword: false, excessive: false };
const danger: Findings = { ...nothing, dangerous: dangerous.filter((row) => row.id === "rm_rf") };
const two: Findings = { ...nothing, dangerous: dangerous.filter((row) => ["rm_rf", "git_clean"].includes(row.id)) };
const fatal: Findings = { ...danger, hardline: hardline[0] };
const facts: Facts = {
  findings: danger,
  judged: undefined,
  mode: "manual",
  yolo: false,
  container: false,
  sudoPassword: false,
  approved: () => false,
  person: true,
  cron: undefined,
  autoApprove: false,
};
const ask = { decision: "ask", reason: "look at this" } as const;

const rows: readonly (readonly [string, Partial<Facts>, string])[] = [
  ["hardline", { findings: fatal }, "refuse hardline"],
  ["hardline under yolo", { findings: fatal, yolo: true }, "refuse hardline"],
  ["hardline with approvals off", { findings: fatal, mode: "off" }, "refuse hardline"],
  ["hardline in a container", { findings: fatal, container: true }, "refuse hardline"],
  ["hardline in an approving cron run", { findings: fatal, cron: "approve" }, "refuse hardline"],
  ["hardline that a hook allows", { findings: fatal, judged: { decision: "allow" } }, "refuse hardline"],
  ["hardline whose dangerous key is approved", { findings: fatal, approved: () => true }, "refuse hardline"],
  ["what cannot be checked, under yolo", { findings: { ...nothing, excessive: true }, yolo: true }, "refuse excessive"],
  ["sudo -S without a password in the environment", { findings: { ...nothing, sudoPassword: true } }, "refuse sudo"],
  ["sudo -S under yolo", { findings: { ...nothing, sudoPassword: true }, yolo: true }, "refuse sudo"],
  ["sudo -S with a password", { findings: { ...nothing, sudoPassword: true }, sudoPassword: true }, "allow"],
  ["sudo -S in a container", { findings: { ...nothing, sudoPassword: true }, container: true }, "allow"],
  ["a harmless command", { findings: nothing }, "allow"],
  ["no command", { findings: undefined }, "allow"],
  ["danger in a container", { container: true }, "allow"],
  ["danger under yolo", { yolo: true }, "allow"],
  ["danger under yolo without a person", { yolo: true, person: false }, "allow"],
  ["danger under yolo in a denying cron run", { yolo: true, cron: "deny" }, "allow"],
  ["danger with approvals off", { mode: "off" }, "allow"],
  ["danger that is approved", { approved: (key) => key === "rm_rf" }, "allow"],
  ["two dangers of which one is approved", { findings: two, approved: (key) => key === "rm_rf" }, "ask git_clean"],
  ["danger that a hook allows", { judged: { decision: "allow" } }, "allow"],
  ["danger in a denying cron run", { cron: "deny" }, "refuse cron"],
  ["danger in an approving cron run", { cron: "approve", person: false }, "allow"],
  ["danger, and nobody to ask", { person: false }, "nobody rm_rf"],
  ["danger in a sub-agent that may decide", { autoApprove: true, person: false }, "allow"],
  ["danger in smart mode", { mode: "smart" }, "smart rm_rf"],
  ["danger in smart mode, and nobody to ask", { mode: "smart", person: false }, "smart rm_rf"],
  ["danger in manual mode", {}, "ask rm_rf"],
  ["two dangers", { findings: two }, "ask rm_rf,git_clean"],
  ["a hook's ask", { findings: undefined, judged: ask }, "ask "],
  ["a hook's ask under yolo", { judged: ask, yolo: true }, "ask "],
  ["a hook's ask in smart mode", { judged: ask, mode: "smart" }, "ask rm_rf"],
  ["a hook's ask in a cron run", { judged: ask, cron: "approve" }, "nobody rm_rf"],
  ["a hook's ask, and nobody to ask", { judged: ask, person: false, yolo: true }, "nobody "],
];

const short = (decision: Decision): string =>
  decision.type === "allow"
    ? "allow"
    : `${decision.type} ${decision.type === "refuse" ? decision.why : decision.question.keys.join(",")}`;

describe("the order of decisions", () => {
  test.each(rows)("%s", (_, given, expected) => expect(short(decide({ ...facts, ...given }))).toBe(expected));

  test("a hook's reason comes first in what the person reads", () => {
    const decision = decide({ ...facts, judged: ask });
    expect(decision).toMatchObject({ question: { description: "look at this; recursive delete", forced: true } });
  });
});

const anyFacts: fc.Arbitrary<Facts> = fc.record({
  findings: fc.constantFrom(nothing, danger, two, undefined),
  judged: fc.constantFrom(undefined, ask, { decision: "allow" } as const),
  mode: fc.constantFrom("manual", "smart", "off"),
  yolo: fc.boolean(),
  container: fc.boolean(),
  sudoPassword: fc.boolean(),
  approved: fc.constantFrom(
    () => true,
    () => false,
  ),
  person: fc.boolean(),
  cron: fc.constantFrom(undefined, "deny", "approve"),
  autoApprove: fc.boolean(),
});

test("nothing lets a hardline command pass", () => {
  fc.assert(
    fc.property(anyFacts, fc.constantFrom(...hardline), (any, row) => {
      const findings = { ...(any.findings ?? nothing), hardline: row };
      expect(decide({ ...any, findings })).toMatchObject({ type: "refuse", why: "hardline" });
    }),
  );
});

test("what a hook wants a person to see never passes unseen", () => {
  fc.assert(
    fc.property(anyFacts, (any) => {
      expect(decide({ ...any, judged: ask }).type).not.toMatch(/^(?:allow|smart)$/);
    }),
  );
});
