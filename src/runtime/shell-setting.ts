import { basename, dirname, isAbsolute } from "node:path";
import { type Config, describeOrigin } from "#config";
import { type Environment, findProgram } from "#host";

/** Shells that understand what is put around a command. */
const known = /^(?:bash|sh|dash|ash|ksh|mksh|zsh)(?:\.exe)?$/;

/** The program that `terminal.shell` names; where it cannot run commands, why not. Nothing of both where it is not set. */
export function shellSetting(
  { settings, originOf }: Config,
  environment: Environment,
): { readonly shell?: string; readonly warning?: string } {
  const wanted = settings["terminal.shell"]?.trim() ?? "";
  if (wanted === "") return {};
  const places = isAbsolute(wanted) ? { PATH: dirname(wanted) } : environment;
  const found = known.test(basename(wanted)) ? findProgram(basename(wanted), places) : undefined;
  if (found !== undefined) return { shell: found };
  const why = known.test(basename(wanted)) ? "is not to be found" : "is none of bash, sh, dash, ash, ksh, mksh and zsh";
  return {
    warning: `${describeOrigin(originOf("terminal.shell"))}: terminal.shell: ${wanted} ${why}; bash or sh runs commands`,
  };
}
