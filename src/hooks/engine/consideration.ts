import { dirname } from "node:path";
import { userHome } from "#host";
import { matchTarget, type Question, seenCall, viewFor } from "#kernel";
import type { HookContext } from "../hook-context.ts";
import type { Rule } from "../rule.ts";
import type { Breakers } from "./breaker.ts";
import type { CompiledRule } from "./compiled-rule.ts";
import type { SeenCall } from "./condition.ts";
import type { PatternPlace } from "./path-pattern.ts";
import { once, turnTime } from "./session-notes.ts";

/** At which step a rule was left out. */
export type Stage = "event" | "trust" | "matcher" | "if" | "copy" | "once" | "breaker" | "budget";

export interface Skipped {
  readonly stage: Stage;
  readonly reason: string;
}

export interface Considering {
  /** Why a rule may not run at all: no consent, no trust, held back; undefined: it may. */
  readonly mayRun: (rule: Rule) => string | undefined;
  readonly breakers: Breakers;
  /** Milliseconds that hooks may take of one turn; infinite: no limit. */
  readonly turnLimitMs: number;
  readonly projectFolder: (context: HookContext) => string;
}

/** The question that a rule is asked by an event. */
export const questionOf = ({ rule, view }: CompiledRule, payload: object, context: HookContext): Question => ({
  event: rule.event,
  view,
  payload,
  place: { cwd: context.cwd, home: userHome() },
});

/** Why a rule is left out now: the one function behind firing, `explain`, `test` and `replay`. Changes nothing. */
export function skipped(
  compiled: CompiledRule,
  payload: object,
  context: HookContext,
  considering: Considering,
): Skipped | undefined {
  return filtered(compiled, payload, context, considering) ?? spent(compiled, context, considering);
}

/** The part of it that depends on nothing but the rule and what happened. */
function filtered(
  { rule, view, matcher, condition }: CompiledRule,
  payload: object,
  context: HookContext,
  { mayRun, projectFolder }: Pick<Considering, "mayRun" | "projectFolder">,
): Skipped | undefined {
  if (view.when !== undefined && !view.when(payload as never)) {
    const other = viewFor(rule.event, view.dialect, payload)?.name;
    return {
      stage: "event",
      reason: other === undefined ? `this is no ${view.name}` : `this is ${other}, not ${view.name}`,
    };
  }
  const untrusted = mayRun(rule);
  if (untrusted !== undefined) return { stage: "trust", reason: untrusted };
  if (matcher === undefined && condition === undefined) return undefined;
  const question: Question = { event: rule.event, view, payload, place: { cwd: context.cwd, home: userHome() } };
  const target = matchTarget(question);
  if (matcher !== undefined && !matcher.matches(target))
    return { stage: "matcher", reason: `the matcher ${rule.matcher} does not match ${target?.name ?? "nothing"}` };
  if (condition === undefined) return undefined;
  const call = seenOf(question);
  if (call === undefined || !condition.holds(call, placeOf(rule, context, projectFolder)))
    return { stage: "if", reason: `'if: ${rule.condition}' does not hold` };
  return undefined;
}

function seenOf({ payload, place }: Question): SeenCall | undefined {
  const { toolName, args, mcpServer } = payload as {
    readonly toolName?: string;
    readonly args?: Readonly<Record<string, unknown>>;
    readonly mcpServer?: { readonly name: string };
  };
  return toolName === undefined || args === undefined ? undefined : seenCall(toolName, args, mcpServer?.name, place);
}

function placeOf(
  { source }: Rule,
  context: HookContext,
  projectFolder: (context: HookContext) => string,
): PatternPlace {
  const { file } = source;
  const folder = file === undefined ? projectFolder(context) : settingsRoot(dirname(file));
  return { cwd: context.cwd, userHome: userHome(), sourceFolder: folder };
}

/** What `/path` means in a settings file: the folder that holds `.claude`. */
const settingsRoot = (folder: string): string => folder.replace(/\/\.(?:claude|talaria)$/, "") || "/";

function spent(
  { rule, closes }: CompiledRule,
  context: HookContext,
  { breakers, turnLimitMs }: Considering,
): Skipped | undefined {
  if (rule.once && once.isTaken(context, rule.id))
    return { stage: "once", reason: "'once': it has run in this session" };
  // Leaving out a rule whose failure denies would let through what it guards.
  if (closes) return undefined;
  const refusal = breakers.refusal(rule.id);
  if (refusal !== undefined) return { stage: "breaker", reason: refusal };
  const used = turnTime.usedMs(context);
  if (used < turnLimitMs) return undefined;
  return {
    stage: "budget",
    reason: `hooks have used ${Math.round(used)} ms of this turn; the budget is ${turnLimitMs} ms`,
  };
}
