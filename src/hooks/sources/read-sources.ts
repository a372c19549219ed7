import { isSwitchedOn } from "#host";
import type { DroppedRule, RuleSet } from "../rule.ts";
import { claudeRules } from "./claude-rules.ts";
import { withoutDuplicates } from "./duplicates.ts";
import { findPlugins, type PluginFolder } from "./plugin-folders.ts";
import { readPlugin } from "./plugin-rules.ts";
import { policyOf, underPolicy } from "./policy.ts";
import { readSettingsLayers, type SettingsLayer, type SourceSearch } from "./settings-layers.ts";
import { readShellHooks } from "./shell-sources.ts";

/** All rules there are, as they stand now. */
export interface SourcesRead {
  /** In the order in which their rules are asked. Sources without rules are among them where something is to be told. */
  readonly sets: readonly RuleSet[];
  /** Names of the sources whose file is there and cannot be used. */
  readonly broken: ReadonlySet<string>;
  /** Files and folders, there or not, whose change may change the rules. */
  readonly watched: readonly string[];
  /** `hooks_auto_accept`: shell hooks need no question. */
  readonly autoAccept: boolean;
}

/** Reads every source of rules. Never throws: what is wrong is among the problems. Rules: docs/reference/hook-sources.md. */
export async function readSources(search: SourceSearch): Promise<SourcesRead> {
  const [shell, settings] = await Promise.all([readShellHooks(search), readSettingsLayers(search)]);
  const safe = isSwitchedOn("SAFE_MODE", search.environment);
  const layers = safe ? settings.layers.filter(({ base }) => base.kind === "managed") : settings.layers;
  const found = await findPlugins(search, layers, safe ? [] : shell.plugins);
  const plugins = await Promise.all(
    found.plugins.map(async (plugin) => ({ plugin, read: await readPlugin(plugin, search.memory) })),
  );
  const managedPlugins = new Set(found.plugins.filter(({ managed }) => managed).map(({ id }) => `plugin:${id}`));
  const policy = policyOf(layers);
  const lost = found.lost.map(({ id, report }) => lostSet(id, report.problems));
  const settingsSets = layers.map((layer) => layerSet(layer));
  const ofManaged = settingsSets.filter(({ source }) => source.kind === "managed");
  const ofOthers = settingsSets.filter(({ source }) => source.kind !== "managed");
  const ordered = [...ofManaged, ...shell.sets, ...plugins.flatMap(({ read }) => read.sets), ...lost, ...ofOthers];
  const allowed = ordered
    .map((set) => underPolicy(set, policy, ({ kind, name }) => kind === "managed" || managedPlugins.has(name)))
    .map((set) => withoutProject(set, search));
  const counting = (set: RuleSet): boolean => set.source.trust !== "folder" || search.projectTrusted;
  return {
    sets: withoutDuplicates(allowed, counting).filter(isWorthTelling),
    autoAccept: shell.autoAccept,
    broken: new Set([...shell.broken, ...brokenNames(layers, plugins)]),
    watched: [
      ...new Set([
        ...shell.watched,
        ...settings.watched,
        ...found.watched,
        ...plugins.flatMap(({ read }) => read.watched),
      ]),
    ],
  };
}

const isWorthTelling = ({ rules, dropped, problems }: RuleSet): boolean =>
  rules.length + dropped.length + problems.length > 0;

interface PluginAndRules {
  readonly plugin: PluginFolder;
  readonly read: { readonly broken: boolean };
}

function brokenNames(layers: readonly SettingsLayer[], plugins: readonly PluginAndRules[]): readonly string[] {
  const files = layers.filter(({ file }) => file.broken).map(({ base }) => base.name);
  return [...files, ...plugins.filter(({ read }) => read.broken).map(({ plugin }) => `plugin:${plugin.id}`)];
}

function layerSet({ base, file }: SettingsLayer): RuleSet {
  const { node, report } = file;
  if (node !== undefined) return claudeRules(base, { hooks: node.members?.get("hooks"), around: node }, report);
  return {
    source: { ...base, parallel: false, strict: false, mode: "enforce" },
    rules: [],
    dropped: [],
    problems: report.problems,
  };
}

function lostSet(id: string, problems: RuleSet["problems"]): RuleSet {
  const source = { kind: "claude-plugin", name: `plugin:${id}`, dialect: "claude", trust: "none" } as const;
  return { source: { ...source, parallel: false, strict: false, mode: "enforce" }, rules: [], dropped: [], problems };
}

function withoutProject(set: RuleSet, { projectHooks }: SourceSearch): RuleSet {
  if (projectHooks || set.source.trust !== "folder") return set;
  const dropped = set.rules.map(
    (rule): DroppedRule => ({ rule, reason: "hooks of projects are switched off (--no-project-hooks)" }),
  );
  return { ...set, rules: [], dropped: [...set.dropped, ...dropped] };
}
