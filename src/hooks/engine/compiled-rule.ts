import { type AnyView, named, takesMatcher, viewsOf } from "#kernel";
import type { Rule, RuleSet } from "../rule.ts";
import { type Condition, condition } from "./condition.ts";
import { claudeMatcher, type Matcher, shellMatcher } from "./matcher.ts";

/** A rule with everything about it that does not change from firing to firing. */
export interface CompiledRule {
  readonly rule: Rule;
  readonly view: AnyView;
  readonly matcher: Matcher | undefined;
  readonly condition: Condition | undefined;
  /** Place in its source, in declared order. */
  readonly sequence: number;
  /** A failure of it denies, where the event can be denied. */
  readonly closes: boolean;
}

/** A rule that never runs, and why. */
export interface OmittedRule {
  readonly rule: Rule;
  readonly reason: string;
}

export interface CompiledSource {
  readonly set: RuleSet;
  readonly rules: readonly CompiledRule[];
  readonly omitted: readonly OmittedRule[];
  /** What is wrong with matchers and conditions, for `doctor`. */
  readonly problems: readonly { readonly where: string; readonly message: string }[];
}

/** Compiles the rules of one source. What cannot run is left out with the reason; its neighbours stay. */
export async function compileSource(set: RuleSet): Promise<CompiledSource> {
  const rules: CompiledRule[] = [];
  const omitted: OmittedRule[] = [...set.dropped];
  const problems: { where: string; message: string }[] = [];
  for (const [sequence, rule] of set.rules.entries()) {
    const compiled = await compileRule(rule, sequence);
    if (typeof compiled === "string") omitted.push({ rule, reason: compiled });
    else {
      rules.push(compiled);
      for (const part of [compiled.matcher, compiled.condition])
        if (part?.problem !== undefined) problems.push({ where: rule.where, message: part.problem });
    }
  }
  return { set, rules, omitted, problems };
}

async function compileRule(rule: Rule, sequence: number): Promise<CompiledRule | string> {
  const { dialect } = rule.source;
  const view = viewOf(rule);
  if (view === undefined) return `${rule.eventName} is no event of this kind of file`;
  if (view.executors !== undefined && !view.executors.includes(rule.type))
    return `${view.name} runs no rules of type ${rule.type}`;
  if (rule.condition !== undefined && view.condition !== true)
    return `'if' counts on events of tools only; on ${view.name} such a rule never runs`;
  const matched = takesMatcher({ event: rule.event, view });
  const matcher = matched
    ? dialect === "shell"
      ? shellMatcher(rule.matcher)
      : await claudeMatcher(rule.matcher, view)
    : undefined;
  return {
    rule,
    view,
    matcher,
    condition: rule.condition === undefined ? undefined : condition(rule.condition),
    sequence,
    closes: closes(rule, view),
  };
}

function viewOf({ event, eventName, source }: Rule): AnyView | undefined {
  const found = named(source.dialect, eventName);
  return found?.event === event ? found.view : viewsOf(event, source.dialect)[0];
}

/** The rule's own word, then the source's, then the event's. */
const closes = ({ onFailure, source }: Rule, view: AnyView): boolean =>
  onFailure === undefined
    ? source.strict || view.failure === "verdict"
    : onFailure === "block" || view.failure === "verdict";
