import type { TurnContext } from "#agent";
import { type ProcessTable, processTable } from "./process-table.ts";
import type { ShellState } from "./shell.ts";

/** What the terminal keeps of one session. */
export interface TerminalSession {
  /** Variables that commands have exported; `undefined` for those that they have unset. */
  readonly variables: Map<string, string | undefined>;
  readonly processes: ProcessTable;
}

export function terminalSession(context: TurnContext): TerminalSession {
  return context.state<TerminalSession>("terminal", () => ({
    variables: new Map(),
    processes: processTable(),
  }));
}

/** Names that belong to one shell or one process tree and are not carried to the next command. */
const fleeting = new Set(["PWD", "SHLVL", "_", "TALARIA_TREE", "TALARIA_HOME", "HERMES_HOME", "BASHOPTS", "SHELLOPTS"]);

/** A name that shells can export, and neither fleeting nor of our own wrapper. */
function isLasting(name: string): boolean {
  return /^[A-Za-z_]\w*$/.test(name) && !fleeting.has(name) && !name.startsWith("talaria_");
}

/** Remembers how the exported variables differ from those that the command was started with. */
export function keepVariables(
  session: TerminalSession,
  given: Readonly<Record<string, string>>,
  state: ShellState,
): void {
  for (const [name, value] of state.exported) {
    if (isLasting(name) && given[name] !== value) session.variables.set(name, value);
  }
  for (const name of Object.keys(given)) {
    if (isLasting(name) && !state.exported.has(name) && state.exported.size > 0) session.variables.set(name, undefined);
  }
}
