import type { Candidate } from "./manifest.ts";

/** What the configuration says of plugins. */
export interface PluginSettings {
  readonly enabled: readonly string[];
  readonly disabled: readonly string[];
  /** `plugins.entries`: settings by key. */
  readonly entries: Readonly<Record<string, unknown>>;
  /** The whole configuration as plain values. */
  readonly values: Readonly<Record<string, unknown>>;
}

/** Whether a plugin is loaded, and what is said where it is not. `lazy`: at the first need of what it offers. */
export type Gate =
  | { readonly loads: "now" | "lazy" }
  | { readonly loads: "never"; readonly enabled: boolean; readonly reason: string | undefined };

const no = (reason: string | undefined, enabled = false): Gate => ({ loads: "never", enabled, reason });

/** Asked in this order and no other (docs/reference/plugins.md). Disabled beats everything. */
export function gate(
  { key, source, manifest }: Candidate,
  { enabled, disabled }: Pick<PluginSettings, "enabled" | "disabled">,
): Gate {
  const { kind, name } = manifest;
  const isIn = (names: readonly string[]): boolean => names.includes(key) || names.includes(name);
  if (isIn(disabled)) return no("disabled via config");
  if (kind === "exclusive")
    return no(`exclusive plugin — activate via ${key.includes("/") ? key.split("/")[0] : "memory"}.provider config`);
  if (kind === "model-provider") return no(undefined, true);
  if (source === "bundled" && (kind === "backend" || kind === "platform")) return { loads: "lazy" };
  if (isIn(enabled)) return { loads: "now" };
  return no(`not enabled in config (run \`talaria plugins enable ${key}\` to activate)`);
}
