import { describeOrigin } from "#config";
import { fileFacts, resolvePath } from "#host";
import type { House } from "./house.ts";

/**
 * The folder in which sessions begin: the one that the person named, else `terminal.cwd`, else the one that the program
 * was started in. A folder of the settings that is not there costs a warning.
 */
export async function startFolder(
  { config }: House,
  given: { readonly cwd: string; readonly cwdIsNamed?: boolean | undefined },
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
