import type { DroppedRule, HookSource, Rule, RuleSet } from "../rule.ts";
import type { SettingsLayer } from "./settings-layers.ts";
import { kindOf, type SourceNode } from "./source-node.ts";

/** What settings files say about the rules of others. */
export interface HookPolicy {
  /** The file with line that switches off the rules of settings files and plugins. */
  readonly disabledBy: string | undefined;
  /** The organisation's file that switches off everything. */
  readonly allDisabledBy: string | undefined;
  readonly managedOnlyBy: string | undefined;
  /** The organisation's file that leaves rules to plugins. */
  readonly pluginsOnlyBy: string | undefined;
  /** Absent: every address. `*` stands for anything. */
  readonly httpUrls: readonly string[] | undefined;
  /** Absent: whatever a rule names. */
  readonly httpVariables: ReadonlySet<string> | undefined;
}

const member = (layer: SettingsLayer, key: string): SourceNode | undefined => layer.file.node?.members?.get(key);

const placeOf = (layer: SettingsLayer, node: SourceNode): string => layer.file.report.place(node.line);

/** Reads the switches of all layers that count. Wrong values are reported and left out. */
export function policyOf(layers: readonly SettingsLayer[]): HookPolicy {
  const counting = layers.filter(({ counts }) => counts).sort((left, right) => left.rank - right.rank);
  const managed = counting.filter(({ base }) => base.kind === "managed");
  const others = counting.filter(({ base }) => base.kind !== "managed");
  return {
    disabledBy: lastSwitch(others, "disableAllHooks"),
    allDisabledBy: lastSwitch(managed, "disableAllHooks"),
    managedOnlyBy: lastSwitch(managed, "allowManagedHooksOnly"),
    pluginsOnlyBy: pluginsOnly(managed),
    httpUrls: mergedTexts(counting, "allowedHttpHookUrls"),
    httpVariables: variables(counting),
  };
}

/** Where the last word says yes. */
function lastSwitch(layers: readonly SettingsLayer[], key: string): string | undefined {
  let place: string | undefined;
  for (const layer of layers) {
    const node = member(layer, key);
    if (node === undefined || node.value === null) continue;
    if (typeof node.value === "boolean") place = node.value ? placeOf(layer, node) : undefined;
    else
      layer.file.report.warn(node.line, `${key} must be true or false, but is ${kindOf(node.value)}; it is left out`);
  }
  return place;
}

function pluginsOnly(managed: readonly SettingsLayer[]): string | undefined {
  for (const layer of managed) {
    const node = member(layer, "strictPluginOnlyCustomization");
    if (node?.value === true) return placeOf(layer, node);
    if (node?.items?.some(({ value }) => value === "hooks") === true) return placeOf(layer, node);
  }
  return undefined;
}

function mergedTexts(layers: readonly SettingsLayer[], key: string): readonly string[] | undefined {
  let merged: string[] | undefined;
  for (const layer of layers) {
    const node = member(layer, key);
    if (node === undefined || node.value === null) continue;
    if (node.items === undefined) {
      layer.file.report.warn(node.line, `${key} must be a list of texts, but is ${kindOf(node.value)}; it is left out`);
      continue;
    }
    merged ??= [];
    for (const item of node.items) {
      if (typeof item.value === "string") merged.push(item.value);
      else layer.file.report.warn(item.line, `${key} holds ${kindOf(item.value)}; it must hold texts only`);
    }
  }
  return merged;
}

function variables(layers: readonly SettingsLayer[]): ReadonlySet<string> | undefined {
  const names = mergedTexts(layers, "httpHookAllowedEnvVars");
  return names === undefined ? undefined : new Set(names);
}

/** Whether a rule's source goes by the organisation's will alone. */
export type Owner = (source: HookSource) => boolean;

/** A set with those rules dropped that the policy does not let run. */
export function underPolicy(set: RuleSet, policy: HookPolicy, ofOrganisation: Owner): RuleSet {
  const off = switchedOff(set.source, policy, ofOrganisation(set.source));
  const rules: Rule[] = [];
  const dropped: DroppedRule[] = [];
  for (const rule of set.rules) {
    const reason = off ?? addressRefused(rule, policy);
    if (reason === undefined) rules.push(withinVariables(rule, policy));
    else dropped.push({ rule, reason });
  }
  return dropped.length === 0 && policy.httpVariables === undefined
    ? set
    : { ...set, rules, dropped: [...set.dropped, ...dropped] };
}

function switchedOff(source: HookSource, policy: HookPolicy, ofOrganisation: boolean): string | undefined {
  if (policy.allDisabledBy !== undefined)
    return `the organisation switched off all hooks: disableAllHooks in ${policy.allDisabledBy}`;
  if (ofOrganisation) return undefined;
  if (policy.managedOnlyBy !== undefined)
    return `the organisation allows its own hooks only: allowManagedHooksOnly in ${policy.managedOnlyBy}`;
  if (policy.disabledBy !== undefined && source.dialect === "claude")
    return `switched off: disableAllHooks in ${policy.disabledBy}`;
  const ofFile = source.kind === "user" || source.kind === "project" || source.kind === "local";
  if (policy.pluginsOnlyBy !== undefined && ofFile)
    return `the organisation takes hooks from plugins only: strictPluginOnlyCustomization in ${policy.pluginsOnlyBy}`;
  return undefined;
}

const escaped = (text: string): string => text.replaceAll(/[.+?^${}()|[\]\\]/g, "\\$&");

const addressFits = (url: string, pattern: string): boolean =>
  new RegExp(`^${pattern.split("*").map(escaped).join(".*")}$`, "s").test(url);

function addressRefused(rule: Rule, { httpUrls }: HookPolicy): string | undefined {
  if (rule.type !== "http" || httpUrls === undefined) return undefined;
  if (httpUrls.some((pattern) => addressFits(rule.url, pattern))) return undefined;
  return `${rule.url} is not among the addresses that allowedHttpHookUrls lists`;
}

function withinVariables(rule: Rule, { httpVariables }: HookPolicy): Rule {
  if (rule.type !== "http" || httpVariables === undefined) return rule;
  return { ...rule, allowedEnvVars: rule.allowedEnvVars.filter((name) => httpVariables.has(name)) };
}
