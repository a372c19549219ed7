import { describeOrigin } from "#config";
import { fileFacts, resolvePath } from "#host";
import type { House } from "./house.ts";
import { shellSetting } from "./shell-setting.ts";
import { toolsetWarnings } from "./toolset-warnings.ts";

export interface Workplace {
  /** The folder in which sessions begin, absolute. */
  readonly cwd: string;
  /** The program that runs commands; undefined: the usual one. */
  readonly shell: string | undefined;
  /** Settings that ask for what is not there, one sentence each. */
  readonly warnings: readonly string[];
}

type Given = { readonly cwd: string; readonly cwdIsNamed?: boolean | undefined };

/** Where and with what the agent works, as the settings and the command line say. */
export async function workplace(house: House, given: Given): Promise<Workplace> {
  const { cwd, warnings } = await startFolder(house, given);
  const { shell, warning } = shellSetting(house.config, house.environment);
  const all = [...warnings, ...(warning === undefined ? [] : [warning]), ...toolsetWarnings(house.config)];
  return { cwd, shell, warnings: all };
}

/**
 * The folder in which sessions begin: the one that the person named, else `terminal.cwd`, else the one that the program
 * was started in. A folder of the settings that is not there costs a warning.
 */
export async function startFolder(
  { config }: House,
  given: Given,
): Promise<{ readonly cwd: string; readonly warnings: readonly string[] }> {
  const wanted = config.settings["terminal.cwd"].trim();
  const { cwd } = given;
  // Hermes writes these for the folder of the start.
  if (given.cwdIsNamed === true || ["", ".", "auto", "cwd"].includes(wanted)) return { cwd, warnings: [] };
  const folder = resolvePath(wanted, cwd);
  if ((await fileFacts(folder).catch(() => undefined))?.kind === "directory") return { cwd: folder, warnings: [] };
  const where = describeOrigin(config.originOf("terminal.cwd"));
  return { cwd, warnings: [`${where}: terminal.cwd: ${folder} is no folder; ${cwd} is used`] };
}
