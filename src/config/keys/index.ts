import type { Key } from "../key.ts";
import { agentKeys } from "./agent.ts";
import { houseKeys } from "./house.ts";
import { modelKeys } from "./model.ts";
import { toolKeys } from "./tools.ts";

/** Every setting. Checks, reference, editor schema, completion and `config` commands are made from this table alone. */
const keys = { ...modelKeys, ...agentKeys, ...toolKeys, ...houseKeys } as const satisfies Record<
  string,
  Key<never> | Key
>;

export type KeyPath = keyof typeof keys;

/** All settings by their path: `settings["agent.max_turns"]`. */
export type Settings = { readonly [P in KeyPath]: (typeof keys)[P]["default"] };

export const keyPaths = Object.keys(keys) as readonly KeyPath[];

/** The row of a path, for code that walks the table. */
export function keyAt(path: string): Key | undefined {
  return Object.hasOwn(keys, path) ? (keys[path as KeyPath] as Key) : undefined;
}
