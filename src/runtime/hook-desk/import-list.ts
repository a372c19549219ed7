import { join } from "node:path";
import { readSources } from "#hooks";
import { exists, resolvePath } from "#host";
import type { Desk } from "./desk.ts";
import { deedOf } from "./rule-list.ts";

/** One source that would be read, as `talaria hooks import` shows it. */
export interface ImportedSource {
  readonly source: string;
  readonly kind: string;
  readonly file: string | null;
  readonly rules: readonly { readonly event: string; readonly matcher: string | null; readonly deed: string }[];
  readonly leftOut: readonly { readonly event: string; readonly deed: string; readonly reason: string }[];
  readonly problems: readonly { readonly where: string; readonly message: string }[];
}

/**
 * What would be picked up: without a folder from all places there are; else from a home of Hermes, a `.claude` folder
 * or a project. Everything is read where it lies, so nothing has to be copied.
 */
export async function importable(desk: Desk, folder: string | undefined): Promise<readonly ImportedSource[]> {
  const { house, cwd } = desk;
  const given = folder === undefined ? undefined : resolvePath(folder, cwd);
  const isHome = given !== undefined && (await exists(join(given, "config.yaml")));
  const isClaude = given?.endsWith("/.claude") === true;
  const { sets } = await readSources({
    home: isHome ? given : house.home.path,
    secondHome: given === undefined ? house.home.second : undefined,
    project: given === undefined || isHome || isClaude ? cwd : given,
    environment: isClaude ? { ...house.environment, CLAUDE_CONFIG_DIR: given } : house.environment,
    projectTrusted: true,
    projectHooks: true,
  });
  return sets
    .filter(({ source }) => given === undefined || source.file === undefined || source.file.startsWith(`${given}/`))
    .map(({ source, rules, dropped, problems }) => ({
      source: source.name,
      kind: source.kind,
      file: source.file ?? null,
      rules: rules.map((rule) => ({ event: rule.eventName, matcher: rule.matcher ?? null, deed: deedOf(rule) })),
      leftOut: dropped.map(({ rule, reason }) => ({ event: rule.eventName, deed: deedOf(rule), reason })),
      problems: problems.map(({ where, message }) => ({ where, message })),
    }));
}
