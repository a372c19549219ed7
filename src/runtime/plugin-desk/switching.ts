import { basename } from "node:path";
import { appendItem, removeItem } from "#config";
import { type Candidate, gate, releaseHeld } from "#plugins";
import { askReload } from "../plugins/reload-request.ts";
import type { PluginDesk } from "./desk.ts";

export interface Switched {
  readonly key: string;
  readonly changed: boolean;
  /** What else has to be said in the configuration before it is used. */
  readonly remark?: string;
}

const enabledPath = ["plugins", "enabled"] as const;
const disabledPath = ["plugins", "disabled"] as const;

/** Writes into config.yaml that a plugin is to be loaded. Programs that run load it at their next turn. */
export async function enablePlugin({ house }: PluginDesk, candidate: Candidate): Promise<Switched> {
  const { file, settings } = house.config;
  const { key, manifest } = candidate;
  const isListed = settings["plugins.enabled"].some((one) => one === key || one === manifest.name);
  const freed = await removeAll(file, disabledPath, namesOf(candidate));
  const added = isListed ? false : await appendItem(file, enabledPath, key);
  await releaseHeld(house.home.path, key);
  const now = gate(candidate, {
    enabled: [...settings["plugins.enabled"], key],
    disabled: [],
  });
  const remark = now.loads === "never" ? now.reason : undefined;
  return { key, changed: freed || added, ...(remark === undefined ? {} : { remark }) };
}

/** Writes into config.yaml that a plugin is not to be loaded. Programs that run unload it at their next turn. */
export async function disablePlugin({ house }: PluginDesk, candidate: Candidate): Promise<Switched> {
  const { file, settings } = house.config;
  const { key, manifest } = candidate;
  const isListed = settings["plugins.disabled"].some((one) => one === key || one === manifest.name);
  const freed = await removeAll(file, enabledPath, namesOf(candidate));
  const added = isListed ? false : await appendItem(file, disabledPath, key);
  return { key, changed: freed || added };
}

/** Takes a plugin that is gone out of the configuration. */
export async function forgetPlugin({ house }: PluginDesk, candidate: Candidate): Promise<void> {
  await removeAll(house.config.file, enabledPath, namesOf(candidate));
  await removeAll(house.config.file, disabledPath, namesOf(candidate));
}

/** Programs that run in this home load it anew at their next turn. */
export const reloadElsewhere = ({ house }: PluginDesk, { key }: Candidate): Promise<void> =>
  askReload(house.home.path, key);

const namesOf = ({ key, manifest }: Candidate): readonly string[] => [...new Set([key, manifest.name, basename(key)])];

async function removeAll(file: string, path: readonly string[], names: readonly string[]): Promise<boolean> {
  let any = false;
  for (const name of names) any = (await removeItem(file, path, name)) || any;
  return any;
}
