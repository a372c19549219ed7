import { join, resolve } from "node:path";
import { isInside } from "#host";
import type { RuleSet } from "../rule.ts";
import { claudeRules, type HooksSection } from "./claude-rules.ts";
import { isObject } from "./fields.ts";
import { isFolder, type PluginFolder } from "./plugin-folders.ts";
import { type Report, reportOn } from "./problems.ts";
import { type JsonFile, readJsonFile } from "./settings-file.ts";
import type { SourceBase } from "./settings-layers.ts";
import type { SourceMemory } from "./source-memory.ts";
import { kindOf, type SourceNode } from "./source-node.ts";

export interface PluginRead {
  readonly sets: readonly RuleSet[];
  readonly watched: readonly string[];
  readonly broken: boolean;
}

/** The rules of a Claude plugin: its hooks/hooks.json, else what its manifest says of hooks. */
export async function readPlugin(plugin: PluginFolder, memory?: SourceMemory): Promise<PluginRead> {
  const name = `plugin:${plugin.id}`;
  const usual = join(plugin.root, "hooks", "hooks.json");
  const manifests = [join(plugin.root, ".claude-plugin", "plugin.json"), join(plugin.root, "plugin.json")];
  const [hooksFile, ...manifestFiles] = await Promise.all(
    [usual, ...manifests].map((file) => readJsonFile(name, file, memory)),
  );
  const manifest = manifestFiles.find((file) => file !== undefined);
  if (hooksFile === undefined && manifest === undefined) return withoutFiles(plugin, name);
  const base: SourceBase = {
    kind: "claude-plugin",
    name,
    dialect: "claude",
    trust: plugin.ofProject ? "folder" : "none",
    root: plugin.root,
    dataFolder: plugin.dataFolder,
    pluginOptions: { ...optionDefaults(manifest), ...plugin.options },
  };
  const section = hooksFile === undefined ? undefined : sectionOf(hooksFile);
  const watched = [usual, ...manifests];
  if (hooksFile !== undefined && section !== undefined) {
    const set = claudeRules({ ...base, file: usual }, section, hooksFile.report);
    return { sets: worthTelling([set]), watched, broken: hooksFile.broken };
  }
  const told = hooksFile === undefined ? [] : [emptySet({ ...base, file: usual }, hooksFile.report)];
  const declared =
    manifest === undefined ? undefined : await manifestHooks(base, manifest, { root: plugin.root, memory });
  return {
    sets: worthTelling(merged([...told, ...(declared?.sets ?? [])])),
    watched: [...watched, ...(declared?.watched ?? [])],
    broken: hooksFile?.broken === true || manifest?.broken === true || declared?.broken === true,
  };
}

/** A plugin may have no hooks at all; a folder that config.yaml names should be there. */
async function withoutFiles(plugin: PluginFolder, name: string): Promise<PluginRead> {
  const report = reportOn(name, plugin.root);
  if (!(await isFolder(plugin.root)))
    report.warn(undefined, "there is no such folder; correct plugins.claude in config.yaml");
  const base = { kind: "claude-plugin", name, dialect: "claude", trust: "none", root: plugin.root } as const;
  return {
    sets: worthTelling([emptySet(base, report)]),
    watched: [join(plugin.root, "hooks", "hooks.json")],
    broken: false,
  };
}

const worthTelling = (sets: readonly RuleSet[]): readonly RuleSet[] =>
  sets.filter((set) => set.rules.length + set.dropped.length + set.problems.length > 0);

const emptySet = (base: SourceBase, report: Report): RuleSet => ({
  source: { ...base, parallel: false, strict: false, mode: "enforce" },
  rules: [],
  dropped: [],
  problems: report.problems,
});

/** Either {"hooks": {…}} or the events themselves. Undefined where it is neither; what is wrong has been reported. */
function sectionOf({ node, report }: JsonFile): HooksSection | undefined {
  if (node === undefined) return undefined;
  if (node.members?.has("modules") === true) {
    const line = node.members.get("modules")?.line;
    report.note(line, "function hooks (`modules`) are not run; the other hooks of the file are");
  }
  const hooks = node.members?.get("hooks");
  if (hooks !== undefined) {
    if (hooks.members !== undefined) return { hooks, around: node };
    report.warn(
      hooks.line,
      `hooks must be an object of events, but is ${kindOf(hooks.value)}; the manifest's hooks are used`,
    );
    return undefined;
  }
  return { hooks: withoutKeys(node, ["modules", "description", "$schema"]) };
}

function withoutKeys(node: SourceNode, keys: readonly string[]): SourceNode {
  if (node.members === undefined) return node;
  return { ...node, members: new Map([...node.members].filter(([key]) => !keys.includes(key))) };
}

function optionDefaults(manifest: JsonFile | undefined): Readonly<Record<string, unknown>> {
  const declared = manifest?.node?.members?.get("userConfig")?.value;
  if (!isObject(declared)) return {};
  return Object.fromEntries(
    Object.entries(declared).flatMap(([key, option]) =>
      isObject(option) && option["default"] !== undefined ? [[key, option["default"]]] : [],
    ),
  );
}

interface Declared {
  readonly sets: readonly RuleSet[];
  readonly watched: readonly string[];
  readonly broken: boolean;
}

interface Around {
  readonly root: string;
  readonly memory: SourceMemory | undefined;
}

/** A path, a list of paths (or objects), or the object itself. */
async function manifestHooks(base: SourceBase, manifest: JsonFile, around: Around): Promise<Declared> {
  const own = { ...base, file: manifest.file };
  const node = manifest.node?.members?.get("hooks");
  const parts = node === undefined || node.value === null ? [] : (node.items ?? [node]);
  const read = await Promise.all(parts.map((part) => manifestPart(own, part, { ...around, manifest })));
  const sets = read.flatMap(({ set }) => (set === undefined ? [] : [set]));
  if (manifest.report.problems.length > 0) sets.unshift(emptySet(own, manifest.report));
  const watched = read.flatMap((one) => one.watched);
  return { sets, watched, broken: manifest.broken || read.some((one) => one.broken) };
}

interface PartRead {
  readonly set: RuleSet | undefined;
  readonly watched: readonly string[];
  readonly broken: boolean;
}

async function manifestPart(
  base: SourceBase,
  part: SourceNode,
  { manifest, root, memory }: Around & { readonly manifest: JsonFile },
): Promise<PartRead> {
  if (part.members !== undefined) {
    const wrapped = part.members.get("hooks");
    const section = wrapped?.members === undefined ? { hooks: part } : { hooks: wrapped, around: part };
    return { set: claudeRules(base, section, reportOn(base.name, manifest.file)), watched: [], broken: false };
  }
  const path = typeof part.value === "string" ? part.value : undefined;
  const file = path === undefined ? undefined : resolve(root, path);
  if (file === undefined || !isInside(file, root)) {
    const what = path === undefined ? `is ${kindOf(part.value)}` : `${JSON.stringify(path)} lies outside of the plugin`;
    manifest.report.warn(part.line, `the plugin's hooks: ${what}; name a file inside of it`);
    return { set: undefined, watched: [], broken: false };
  }
  const read = await readJsonFile(base.name, file, memory);
  if (read === undefined) {
    manifest.report.warn(part.line, `the plugin's hooks: there is no file ${file}`);
    return { set: undefined, watched: [file], broken: false };
  }
  const section = sectionOf(read);
  const from = { ...base, file };
  const set = section === undefined ? emptySet(from, read.report) : claudeRules(from, section, read.report);
  return { set, watched: [file], broken: read.broken };
}

/** The files of one plugin are one source: rules in order, ids apart. The source is that of the first file with rules. */
function merged(sets: readonly RuleSet[]): readonly RuleSet[] {
  const [first, ...others] = sets;
  if (first === undefined || others.length === 0) return sets;
  const { source } = sets.find(({ rules }) => rules.length > 0) ?? first;
  const rules = sets.flatMap((set, index) =>
    set.rules.map((rule) => ({ ...rule, id: index === 0 ? rule.id : `${rule.id}~${index}` })),
  );
  return [
    {
      source,
      rules,
      dropped: sets.flatMap(({ dropped }) => dropped),
      problems: sets.flatMap(({ problems }) => problems),
    },
  ];
}
