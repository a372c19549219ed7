import type { Environment } from "#host";
import type { ConfigFile } from "./file-reader.ts";
import type { Settings } from "./keys/index.ts";
import type { Problem } from "./problem.ts";

/** Settings of parts that are not built, and what happens instead; by path. */
export const notBuiltPaths: Readonly<Record<string, string>> = {
  "database.url": "sessions cannot be kept in Postgres yet; they are kept in SQLite in the home",
};

const variables: Readonly<Record<string, string>> = {
  TALARIA_DATABASE_URL: "database.url",
  HERMES_DATABASE_URL: "database.url",
};

/** What the environment and the values in force ask for that cannot be had. `backendOrigin` says where `terminal.backend` was set. */
export function notBuilt(settings: Settings, environment: Environment, backendOrigin: string): readonly Problem[] {
  const found = Object.entries(variables).flatMap(([name, key]): readonly Problem[] =>
    environment[name] ? [{ kind: "not_built", key, where: `$${name}`, message: notBuiltPaths[key] ?? key }] : [],
  );
  const backend = settings["terminal.backend"];
  if (backend === "local") return found;
  const message = `terminal.backend ${backend} is not built: commands run on this machine, with no container around them`;
  return [...found, { kind: "not_built", key: "terminal.backend", where: backendOrigin, message }];
}

/** A list of websites that are to be kept from the tools, unless it is switched off: whoever wrote it counts on it. */
export function blocklistNotBuilt(file: ConfigFile): readonly Problem[] {
  const names = ["security", "website_blocklist"];
  const security = file.values["security"] as { readonly website_blocklist?: unknown } | undefined;
  const list = security?.website_blocklist;
  if (typeof list !== "object" || list === null || (list as { readonly enabled?: unknown }).enabled !== true) return [];
  const key = names.join(".");
  const message = `${key} is not built: the web and browser tools open these sites too`;
  return [{ kind: "not_built", key, where: `${file.path}:${file.lineOf(names) ?? 1}`, message }];
}
