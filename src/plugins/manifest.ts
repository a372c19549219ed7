export type PluginKind = "standalone" | "backend" | "exclusive" | "platform" | "model-provider";
export type PluginSource = "bundled" | "user" | "project" | "entrypoint";

/** An environment variable that a plugin wants to be set; told to people, never enforced at load. */
export interface EnvironmentNeed {
  readonly name: string;
  readonly description?: string;
  /** Where one gets it. */
  readonly url?: string;
  readonly secret?: boolean;
}

/** What `plugin.yaml` (else `plugin.yml`, else `package.json`) says. Unknown keys are kept in `raw` (docs/reference/plugins.md). */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly author: string;
  readonly kind: PluginKind;
  readonly requiresEnv: readonly EnvironmentNeed[];
  /** Told to people; nothing checks them against what is registered. */
  readonly providesTools: readonly string[];
  readonly providesHooks: readonly string[];
  readonly raw: Readonly<Record<string, unknown>>;
}

/** Where a plugin's code is. */
export type PluginCode =
  | { readonly language: "typescript"; readonly folder: string; readonly entry: string }
  | { readonly language: "python"; readonly folder: string }
  /** A Python entry point, found by reading `*.dist-info/entry_points.txt`. */
  | { readonly language: "python"; readonly module: string; readonly attribute: string }
  /** A folder with a manifest and no code that can be loaded. */
  | { readonly language: "none"; readonly folder: string };

/** A plugin that was found; whether it may be loaded is decided later. */
export interface Candidate {
  /** `name`, or `category/name`: what `plugins.enabled` names and what a later source overrides. */
  readonly key: string;
  readonly source: PluginSource;
  readonly manifest: Manifest;
  readonly code: PluginCode;
}
