import type { Verdict } from "#kernel";
import type { Findings } from "./matching.ts";

/** All that decides about one call. */
export interface Facts {
  /** Absent where the call runs no command. */
  readonly findings: Findings | undefined;
  /** What hooks said of the settled call. */
  readonly judged: Verdict | undefined;
  readonly mode: "manual" | "smart" | "off";
  /** Of the process or of the session. */
  readonly yolo: boolean;
  readonly container: boolean;
  readonly sudoPassword: boolean;
  /** Allowed for this session or for good. */
  readonly approved: (key: string) => boolean;
  /** Somebody can be asked. */
  readonly person: boolean;
  readonly cron: "deny" | "approve" | undefined;
  /** A sub-agent that may decide alone. */
  readonly autoApprove: boolean;
}

/** What a person, or in smart mode first a model, is asked about. */
export interface Question {
  /** The pattern keys that a yes may be remembered for. */
  readonly keys: readonly string[];
  readonly description: string;
  /** A hook insists that a person sees this call. */
  readonly forced: boolean;
}

export type Decision =
  | { readonly type: "allow" }
  | { readonly type: "refuse"; readonly reason: string; readonly why: "hardline" | "excessive" | "sudo" | "cron" }
  /** Nobody can be asked. A hook may still allow it. */
  | { readonly type: "nobody"; readonly question: Question }
  | { readonly type: "smart"; readonly question: Question }
  | { readonly type: "ask"; readonly question: Question };

const allow: Decision = { type: "allow" };

/** The order of docs/reference/permission.md; the first that applies decides. */
export function decide(facts: Facts): Decision {
  const { findings, judged } = facts;
  const refusal = findings === undefined ? undefined : (unconditional(findings) ?? sudoRefusal(findings, facts));
  if (refusal !== undefined) return refusal;
  const free = facts.container || facts.yolo || facts.mode === "off";
  const pending = free ? [] : (findings?.dangerous ?? []).filter((row) => !facts.approved(row.id));
  const keys = pending.map((row) => row.id);
  const reasons = [...new Set(pending.map((row) => row.description))];
  if (judged?.decision === "ask") {
    const description = [judged.reason ?? "a hook asks for a person's approval", ...reasons].join("; ");
    const asks = facts.person && facts.cron === undefined;
    return { type: asks ? "ask" : "nobody", question: { keys, description, forced: true } };
  }
  if (pending.length === 0 || judged?.decision === "allow") return allow;
  return decideDangerous(facts, { keys, description: reasons.join("; "), forced: false });
}

function decideDangerous(facts: Facts, question: Question): Decision {
  if (facts.cron === "approve") return allow;
  if (facts.cron === "deny") return { type: "refuse", why: "cron", reason: question.description };
  if (facts.autoApprove) return allow;
  if (facts.mode === "smart") return { type: "smart", question };
  return { type: facts.person ? "ask" : "nobody", question };
}

function unconditional(findings: Findings): Decision | undefined {
  if (findings.excessive)
    return { type: "refuse", why: "excessive", reason: "the command is too long or too deeply nested to be checked" };
  if (findings.hardline === undefined) return undefined;
  return { type: "refuse", why: "hardline", reason: findings.hardline.description };
}

function sudoRefusal(findings: Findings, facts: Facts): Decision | undefined {
  if (facts.container || facts.sudoPassword || !findings.sudoPassword) return undefined;
  return { type: "refuse", why: "sudo", reason: "it hands sudo a password on standard input" };
}
