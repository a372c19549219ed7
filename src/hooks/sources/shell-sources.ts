import { join } from "node:path";
import { type ConfigFile, type Problem, readConfigFile } from "#config";
import { displayPath, isSwitchedOn, isTruthy } from "#host";
import type { Rule, RuleSet } from "../rule.ts";
import { reportOn } from "./problems.ts";
import type { SourceSearch } from "./settings-layers.ts";
import { shellKey, shellRules, withoutCopies } from "./shell-rules.ts";
import { staysAsBefore } from "./source-memory.ts";
import { nodeOf } from "./source-node.ts";

export interface ShellRead {
  readonly sets: readonly RuleSet[];
  readonly broken: readonly string[];
  readonly watched: readonly string[];
  /** `plugins.claude` of the home's config.yaml. */
  readonly plugins: readonly string[];
  /** `hooks_auto_accept` of the home's own files. */
  readonly autoAccept: boolean;
}

/** The `hooks:` of config.yaml, then of cli-config.yaml, then of the second home's config.yaml; the first of equal ones counts. */
export async function readShellHooks(search: SourceSearch): Promise<ShellRead> {
  const { home, secondHome, environment } = search;
  const own = ["config.yaml", "cli-config.yaml"].map((name) => ({ name, file: join(home, name) }));
  const second = secondHome === undefined ? [] : [join(secondHome, "config.yaml")];
  const places = [...own, ...second.map((file) => ({ name: displayPath(file), file }))];
  const watched = places.map(({ file }) => file);
  if (["SAFE_MODE", "IGNORE_USER_CONFIG"].some((name) => isSwitchedOn(name, environment))) {
    return { sets: [], broken: [], watched, plugins: [], autoAccept: false };
  }
  const configs = await Promise.all(places.map(({ file }) => readRemembered(file, search)));
  const before = new Map<string, Rule>();
  const read = places.flatMap(({ name }, index) => {
    const config = configs[index];
    return config?.exists === true ? [fileRules(name, config, before)] : [];
  });
  return {
    sets: read.map(({ set }) => set),
    broken: read.filter(({ broken }) => broken).map(({ set }) => set.source.name),
    watched,
    plugins: claudePlugins(configs[0]),
    autoAccept: own.some((_, index) => accepts(configs[index]?.values["hooks_auto_accept"])),
  };
}

/** A broken file, and one whose change was refused, says what it said before. */
async function readRemembered(file: string, { environment, memory }: SourceSearch): Promise<ConfigFile> {
  const before = memory?.yaml.get(file);
  if (before !== undefined && memory?.held.has(file) === true) return before;
  const read = await readConfigFile(file, environment);
  const flaws = read.problems.filter(isFlaw);
  const emptied = read.exists && flaws.length === 0 && Object.keys(read.values).length === 0;
  if (before !== undefined && (flaws.length > 0 || emptied)) {
    const problem = { kind: "broken_file", key: "", where: file, message: "the file is empty" } as const;
    const told = (flaws.length > 0 ? flaws : [problem]).map((flaw) => ({
      ...flaw,
      message: `${flaw.message}; ${staysAsBefore}`,
    }));
    return { ...before, problems: told };
  }
  if (flaws.length === 0 && !emptied) memory?.yaml.set(file, read);
  if (!read.exists) memory?.yaml.delete(file);
  return read;
}

const isFlaw = ({ kind }: Problem): boolean => kind === "broken_file" || kind === "unreadable_file";

function fileRules(
  name: string,
  config: ConfigFile,
  before: Map<string, Rule>,
): { readonly set: RuleSet; readonly broken: boolean } {
  const file = config.path;
  const report = reportOn(name, file);
  const flaws = config.problems.filter(isFlaw);
  for (const { where, message } of flaws) report.warn(lineIn(where, file), message);
  const hooks = nodeOf(config.values["hooks"], (path) => config.lineOf(["hooks", ...path]));
  const set = shellRules({ kind: "shell", name, file, dialect: "shell", trust: "consent" }, hooks);
  const unique = withoutCopies(set.rules, before);
  for (const rule of unique.rules) before.set(shellKey(rule), rule);
  const dropped = [...set.dropped, ...unique.dropped];
  const problems = [...report.problems, ...set.problems];
  return { set: { source: set.source, rules: unique.rules, dropped, problems }, broken: flaws.length > 0 };
}

function lineIn(where: string, file: string): number | undefined {
  const line = where.startsWith(`${file}:`) ? Number.parseInt(where.slice(file.length + 1), 10) : Number.NaN;
  return Number.isNaN(line) ? undefined : line;
}

function claudePlugins(config: ConfigFile | undefined): readonly string[] {
  const plugins = config?.values["plugins"];
  const named = typeof plugins === "object" && plugins !== null && "claude" in plugins ? plugins.claude : undefined;
  return (Array.isArray(named) ? named : [named]).filter((path) => typeof path === "string" && path.trim() !== "");
}

/** Only a plain yes counts, as in Hermes: neither 1 nor anything else that is not empty. */
const accepts = (value: unknown): boolean => value === true || (typeof value === "string" && isTruthy(value));
