import { type Candidate, gate, type Review, review } from "#plugins";
import type { PluginDesk } from "./desk.ts";

export interface PluginFinding {
  readonly state: "problem" | "note";
  /** A key, or a file. */
  readonly about: string;
  readonly detail: string;
}

/** What is wrong with the files and settings of plugins, without loading one. */
export async function examinePlugins(desk: PluginDesk): Promise<readonly PluginFinding[]> {
  const { candidates, problems, house } = desk;
  const { settings } = house.config;
  const findings: PluginFinding[] = problems.map((detail) => ({ state: "problem", about: "plugins", detail }));
  const names = new Set(candidates.flatMap(({ key, manifest }) => [key, manifest.name]));
  for (const name of settings["plugins.enabled"])
    if (!names.has(name))
      findings.push({
        state: "problem",
        about: name,
        detail: "it is enabled in config.yaml, but there is no such plugin",
      });
  for (const candidate of candidates) findings.push(...(await examine(candidate, desk)));
  return findings;
}

async function examine(candidate: Candidate, { house }: PluginDesk): Promise<readonly PluginFinding[]> {
  const { key, manifest, source } = candidate;
  const { settings } = house.config;
  const decided = gate(candidate, { enabled: settings["plugins.enabled"], disabled: settings["plugins.disabled"] });
  if (decided.loads === "never") return [];
  const unset = manifest.requiresEnv.filter(({ name }) => (house.environment[name] ?? "") === "");
  const missing = unset.map(({ name, url }): PluginFinding => {
    const detail = `${name} is not set${url === undefined ? "" : `; get it at ${url}`}`;
    return { state: "note", about: key, detail };
  });
  const warnings = source === "bundled" ? [] : ((await reviewOf(candidate))?.warnings ?? []);
  return [...missing, ...warnings.map((detail): PluginFinding => ({ state: "note", about: key, detail }))];
}

/** What a plugin's files say; undefined for one that is no folder. */
export async function reviewOf(candidate: Candidate): Promise<Review | undefined> {
  return "folder" in candidate.code ? review(candidate.code.folder, candidate) : undefined;
}
