import { now, readTextIfExists, withLock, writeAtomic } from "#host";
import type { Plugins } from "#plugins";
import type { House } from "../house.ts";
import { reloadFile } from "../reload-file.ts";

/** When each plugin was last asked to be loaded anew, in milliseconds since 1970. */
type Requests = Readonly<Record<string, number>>;

/** Asks every program that runs in this home to load a plugin anew at its next turn. */
export function askReload(home: string, key: string): Promise<void> {
  const file = reloadFile(home);
  return withLock(`${file}.lock`, async () => {
    const requests: Requests = { ...(await read(file)), [key]: now() };
    await writeAtomic(file, `${JSON.stringify(requests, null, 2)}\n`, { mode: 0o600 });
  });
}

/** Loads anew what was asked for since a moment; a plugin that is not loaded here stays so. */
export async function reloadAsked(plugins: Plugins, { home, log }: House, since: number): Promise<void> {
  for (const [key, at] of Object.entries(await read(reloadFile(home.path)))) {
    if (at < since || plugins.find(key)?.loaded !== true) continue;
    await plugins.reload(key);
    log.info(`plugin ${key} is loaded anew, as another process asked`);
  }
}

async function read(file: string): Promise<Requests> {
  try {
    const value: unknown = JSON.parse((await readTextIfExists(file))?.text ?? "{}");
    const rows = Object.entries(typeof value === "object" && value !== null ? value : {});
    return Object.fromEntries(rows.filter((row): row is [string, number] => typeof row[1] === "number"));
  } catch {
    return {}; // half a file asks for nothing
  }
}
