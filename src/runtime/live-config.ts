import { type Config, loadConfig } from "#config";
import { fileFacts } from "#host";
import type { House } from "./house.ts";

/** The configuration as the file is now; read anew only when the file has changed. */
export function liveConfig({
  config: first,
  environment,
}: Pick<House, "config" | "environment">): () => Promise<Config> {
  const { file } = first;
  let latest = first;
  let seen: string | undefined;
  return async () => {
    const facts = await fileFacts(file).catch(() => undefined); // gone, or not to be read: what was read stays
    const stamp = facts === undefined ? undefined : `${facts.identity} ${facts.bytes} ${facts.modifiedMs}`;
    if (stamp === undefined || stamp === seen) return latest;
    latest = await loadConfig({ file, environment });
    seen = stamp;
    return latest;
  };
}
