import type { TurnContext } from "#agent";
import { redact } from "#host";
import type { OutputLimits } from "./output.ts";
import { shellProgram } from "./shell.ts";

export interface TerminalSettings {
  /** The home directory, told to commands as TALARIA_HOME and HERMES_HOME. */
  readonly home: string;
  /** The program that runs commands, by its path; absent: bash, else sh. */
  readonly shell?: string | undefined;
  /** Put last on the commands' PATH. */
  readonly shimDirectory?: string | undefined;
  /** Files that the shell of a command reads first: what hooks export for commands. */
  readonly environmentFiles?: (context: TurnContext) => Promise<readonly string[]>;
  /** Environment variables that commands do not get. */
  readonly without?: ReadonlySet<string>;
  /** Takes secrets out of what the model and the person see; the machine's `redact` by default. */
  readonly redact?: (text: string) => string;
  /** Seconds of a foreground command that names none; 180. */
  readonly timeoutSeconds?: number;
  /** The longest that a call may ask for; 600. */
  readonly longestTimeoutSeconds?: number;
  readonly output?: Partial<OutputLimits>;
}

export interface TerminalRules extends Omit<TerminalSettings, "shell"> {
  /** Looked for when the first command runs. */
  readonly shell: () => string;
  readonly redact: (text: string) => string;
  readonly timeoutSeconds: number;
  readonly longestTimeoutSeconds: number;
  readonly output: OutputLimits;
}

export function terminalRules(settings: TerminalSettings): TerminalRules {
  let { shell } = settings;
  const timeoutSeconds = settings.timeoutSeconds ?? 180;
  return {
    ...settings,
    shell: () => {
      shell ??= shellProgram();
      return shell;
    },
    redact: settings.redact ?? redact,
    timeoutSeconds,
    longestTimeoutSeconds: Math.max(timeoutSeconds, settings.longestTimeoutSeconds ?? 600),
    output: { bytes: 50_000, lines: 2_000, lineCharacters: 2_000, ...settings.output },
  };
}
