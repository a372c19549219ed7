import { type AllowList, allowedKeys, writtenKey } from "#capabilities";
import { appendItem } from "#config";
import type { House } from "./house.ts";

/** What was allowed for good: `command_allowlist` of config.yaml, read at the start and added to on an "always". */
export function allowList({ home, config }: House): AllowList {
  const entries = [...config.settings.command_allowlist];
  let allowed = allowedKeys(entries);
  return {
    has: (key) => allowed(key),
    async add(keys) {
      for (const key of keys) {
        const written = writtenKey(key, home.isHermes);
        await appendItem(config.file, ["command_allowlist"], written);
        entries.push(written);
      }
      allowed = allowedKeys(entries);
    },
  };
}
