import type { Terminal } from "#host";

/** Given to every command of the program. */
export interface CommandContext {
  readonly version: string;
  /** The whole table, for commands that tell of the others. */
  readonly commands: readonly Command[];
  readonly terminal: Terminal;
  readonly cwd: string;
  /** `--home` of the command line. */
  readonly home: string | undefined;
}

export interface CommandOption {
  /** As it is shown: `--model <provider/name>`, `-f, --follow`. */
  readonly flags: string;
  readonly about: string;
  /** Values for completion. */
  readonly values?: readonly string[];
}

export interface CommandInput {
  readonly arguments: readonly string[];
  readonly options: Readonly<Record<string, unknown>>;
  /** All words behind the command, of one that parses them itself. */
  readonly words?: readonly string[];
}

/** One command of `talaria`: help, parsing, completion and docs/reference/cli.md are read from this. */
export interface Command {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly about: string;
  /** As it is shown: `<key> [value]`, `<text...>`. */
  readonly arguments?: string;
  readonly options?: readonly CommandOption[];
  readonly commands?: readonly Command[];
  /** Its words are handed over as they are, `--help` among them. */
  readonly parsesItself?: true;
  /** Loads what the command needs, then gives its doing; the promise's number is the exit status. */
  readonly load?: () => Promise<(input: CommandInput, context: CommandContext) => Promise<number>>;
}

/** Exit statuses, the same for every command (docs/reference/cli.md). */
export const exitStatus = {
  success: 0,
  error: 1,
  usage: 2,
  refused: 3,
  limit: 4,
  interrupted: 130,
} as const;

/** A mistake of the person who typed the command: shown without a stack, status 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
