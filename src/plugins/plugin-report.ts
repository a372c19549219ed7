import type { Candidate, PluginKind, PluginSource } from "./manifest.ts";
import type { Registry } from "./registry.ts";

/** One plugin as `plugins list` shows it. */
export interface PluginReport {
  readonly key: string;
  readonly name: string;
  readonly kind: PluginKind;
  readonly version: string;
  readonly description: string;
  readonly source: PluginSource;
  readonly language: Candidate["code"]["language"];
  /** Empty for a plugin that is no folder. */
  readonly folder: string;
  /** It is loaded, or is loaded when it is first needed. */
  readonly enabled: boolean;
  readonly loaded: boolean;
  readonly tools: readonly string[];
  readonly hooks: readonly string[];
  readonly middleware: readonly string[];
  /** Slash commands. */
  readonly commands: readonly string[];
  /** Everything else: `provider:web/searxng`, `skill:review`, `cli:weather`. */
  readonly others: readonly string[];
  /** Why it is not loaded. */
  readonly error?: string;
  /** What was warned of while it was loaded: a hook that nothing fires, a tool that was refused. */
  readonly warnings?: readonly string[];
}

export interface PluginState {
  readonly candidate: Candidate;
  readonly enabled: boolean;
  readonly loaded: boolean;
  readonly error: string | undefined;
  readonly warnings: readonly string[];
}

/** What a plugin is and what it has registered; each callback counts for the plugin that registered it, and for no other. */
export function pluginReport(
  { candidate, enabled, loaded, error, warnings }: PluginState,
  registry: Registry,
): PluginReport {
  const { key, source, manifest, code } = candidate;
  const own = loaded ? registry.ownedBy(key) : [];
  const names = (kind: string): string[] => [
    ...new Set(own.filter((one) => one.kind === kind).map(({ value }) => nameOf(value))),
  ];
  return {
    key,
    name: manifest.name,
    kind: manifest.kind,
    version: manifest.version,
    description: manifest.description,
    source,
    language: code.language,
    folder: "folder" in code ? code.folder : "",
    enabled,
    loaded,
    tools: names("tool"),
    hooks: names("hook"),
    middleware: names("middleware"),
    commands: names("command"),
    others: own
      .filter(({ kind }) => !["tool", "hook", "middleware", "command"].includes(kind))
      .map(({ kind, value }) => otherName(kind, value)),
    ...(error === undefined ? {} : { error }),
    ...(loaded && warnings.length > 0 ? { warnings } : {}),
  };
}

function nameOf(value: object): string {
  const named = value as { readonly name?: string; readonly kind?: string; readonly key?: string };
  return named.name ?? named.key ?? named.kind ?? "";
}

function otherName(kind: string, value: object): string {
  if (kind === "cliCommand") return `cli:${nameOf(value)}`;
  if (!("provider" in value)) return `${kind}:${nameOf(value)}`;
  const { kind: provided, provider } = value as { readonly kind: string; readonly provider: { readonly name: string } };
  return `provider:${provided}/${provider.name}`;
}
