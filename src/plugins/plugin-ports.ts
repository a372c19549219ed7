import type { Layer } from "#kernel";
import type { PluginPlaces } from "./discovery.ts";
import type { PluginSettings } from "./gate.ts";
import type { MomentContext } from "./hook-groups.ts";
import type { PluginLoader } from "./loader.ts";
import type { PluginReach } from "./reach.ts";

/** What the plugins stand on; `runtime` fills it. */
export interface PluginPorts<C extends MomentContext> {
  readonly places: PluginPlaces;
  readonly settings: PluginSettings;
  /** The process's environment with what the home's `.env` adds. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly layer: Layer<C>;
  readonly reach: PluginReach;
  /** The loader of a language, made at its first plugin; undefined where there is none. */
  readonly loader: (language: "typescript" | "python") => Promise<PluginLoader | undefined>;
  /** Told before code of a plugin is loaded into this process. */
  readonly guard?: (key: string, folder: string) => void;
  readonly log: (level: "debug" | "info" | "warning" | "error", message: string, error?: unknown) => void;
  /** Nothing is looked for and nothing is loaded. */
  readonly safeMode: boolean;
}
