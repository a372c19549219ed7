import type { Rule, RuleProblem, RuleSet } from "../rule.ts";
import { readSources } from "./read-sources.ts";
import type { SourceSearch } from "./settings-layers.ts";

/** What is looked through: a person's Claude folder with its plugins, a project, or a home of Hermes. */
export type SurveyPlace =
  | { readonly kind: "claude" /** Default: `~/.claude`, or `CLAUDE_CONFIG_DIR`. */; readonly folder?: string }
  | { readonly kind: "project"; readonly folder: string }
  | { readonly kind: "hermes"; readonly folder: string };

/** One source that would be picked up. */
export interface SurveyedSource {
  readonly name: string;
  readonly file: string | undefined;
  readonly kind: RuleSet["source"]["kind"];
  /** What has to happen before its rules run. */
  readonly trust: RuleSet["source"]["trust"];
  readonly rules: readonly Rule[];
  /** Rules that would run, by the event's name in the file. */
  readonly events: Readonly<Record<string, number>>;
  readonly dropped: RuleSet["dropped"];
  readonly problems: readonly RuleProblem[];
}

const kindsOf: { readonly [K in SurveyPlace["kind"]]: readonly RuleSet["source"]["kind"][] } = {
  claude: ["user", "claude-plugin"],
  project: ["project", "local"],
  hermes: ["shell"],
};

/** What would be picked up from a place. Nothing is run, copied or changed. Never throws. */
export async function surveySources(search: SourceSearch, place: SurveyPlace): Promise<readonly SurveyedSource[]> {
  const { sets } = await readSources(within(search, place));
  return sets
    .filter(({ source }) => kindsOf[place.kind].includes(source.kind))
    .map(({ source, rules, dropped, problems }) => ({
      name: source.name,
      file: source.file,
      kind: source.kind,
      trust: source.trust,
      rules,
      events: countsOf(rules),
      dropped,
      problems,
    }));
}

/** A search that sees the place and as little else as can be. The project is looked at as if it were trusted. */
function within(search: SourceSearch, place: SurveyPlace): SourceSearch {
  const alone = {
    ...search,
    secondHome: undefined,
    settingsOption: undefined,
    projectTrusted: true,
    projectHooks: true,
  };
  switch (place.kind) {
    case "claude": {
      const moved = place.folder === undefined ? {} : { CLAUDE_CONFIG_DIR: place.folder };
      return { ...alone, environment: { ...search.environment, ...moved }, home: nowhere, project: nowhere };
    }
    case "project":
      return { ...alone, project: place.folder };
    case "hermes":
      return { ...alone, home: place.folder, project: nowhere };
  }
}

/** A folder that no machine has. */
const nowhere = "/nonexistent/talaria";

function countsOf(rules: readonly Rule[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { eventName } of rules) counts[eventName] = (counts[eventName] ?? 0) + 1;
  return counts;
}
