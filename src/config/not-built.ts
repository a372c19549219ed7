import type { Environment } from "#host";
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
