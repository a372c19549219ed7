import type { DroppedRule, Rule, RuleSet } from "../rule.ts";

/** What a rule does, whatever it is called and however long it may take. */
function deedOf(rule: Rule): readonly unknown[] {
  switch (rule.type) {
    case "command":
      return [rule.command, rule.args, rule.shell, rule.async, rule.asyncRewake];
    case "worker":
      return [rule.command, rule.args];
    case "http":
      return [rule.url, rule.headers];
    case "prompt":
    case "agent":
      return [rule.prompt, rule.model];
    case "mcp_tool":
      return [rule.server, rule.tool, rule.input];
  }
}

const matcherOf = ({ matcher }: Rule): string => (matcher === undefined || matcher === "*" ? "" : matcher);

const keyOf = (rule: Rule): string =>
  JSON.stringify([rule.eventName, rule.type, matcherOf(rule), rule.condition ?? "", deedOf(rule)]);

const inSettings = new Set(["managed", "user", "project", "local", "settings-option"]);

/**
 * A rule that stands in several settings files, or twice in one, runs once: the first copy. Copies of plugins stay.
 * `counts` says whether a source's rules may run at all; a later copy is not dropped in favour of one that may not.
 */
export function withoutDuplicates(sets: readonly RuleSet[], counts: (set: RuleSet) => boolean): readonly RuleSet[] {
  const seen = new Map<string, Rule>();
  return sets.map((set) => {
    if (!inSettings.has(set.source.kind)) return set;
    const rules: Rule[] = [];
    const dropped: DroppedRule[] = [];
    for (const rule of set.rules) {
      const first = seen.get(keyOf(rule));
      if (first === undefined) {
        rules.push(rule);
        if (counts(set)) seen.set(keyOf(rule), rule);
      } else dropped.push({ rule, reason: `the same handler stands in ${first.where} already` });
    }
    return dropped.length === 0 ? set : { ...set, rules, dropped: [...set.dropped, ...dropped] };
  });
}
