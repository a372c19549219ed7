/** Something wrong with the configuration. Nothing here stops the program: the default is used and the neighbours stand. */
export interface Problem {
  readonly kind: "broken_file" | "unreadable_file" | "wrong_type" | "unknown_key" | "duplicate_key" | "not_built";
  /** The key's path, empty where the file as a whole is meant. */
  readonly key: string;
  /** A file, with `:line` or `:line:column` where one is known, an environment variable or a command-line option. */
  readonly where: string;
  readonly message: string;
}

/** `where: message`, one line. */
export const describeProblem = (problem: Problem): string => `${problem.where}: ${problem.message}`;
