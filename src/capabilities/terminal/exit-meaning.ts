import type { Exit } from "#host";

/** Programs whose non-zero exit is an answer rather than a fault. */
const answers: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  grep: { 1: "no line matched (not an error)" },
  diff: { 1: "the files differ (not an error)" },
  cmp: { 1: "the files differ (not an error)" },
  find: { 1: "some folders could not be read; what was found is listed" },
  test: { 1: "the condition is false (not an error)" },
  "[": { 1: "the condition is false (not an error)" },
  which: { 1: "no such program on the PATH" },
  pgrep: { 1: "no process matched (not an error)" },
  curl: {
    6: "the host's name could not be resolved",
    7: "the connection was refused",
    22: "the server answered with an HTTP error",
    28: "the request timed out",
    35: "the TLS handshake failed",
    60: "the server's certificate is not trusted",
  },
  git: { 1: "often an answer rather than a fault: differences were found, or nothing matched" },
  timeout: { 124: "the command ran into the time limit given to `timeout`" },
};

const aliases: Readonly<Record<string, string>> = {
  egrep: "grep",
  fgrep: "grep",
  rg: "grep",
  ag: "grep",
  ack: "grep",
  zgrep: "grep",
  colordiff: "diff",
};

const general: Readonly<Record<number, string>> = {
  126: "found, but not executable",
  127: "command not found",
};

const signals: Readonly<Record<number, string>> = {
  1: "SIGHUP",
  2: "SIGINT",
  3: "SIGQUIT",
  6: "SIGABRT",
  8: "SIGFPE",
  9: "SIGKILL (killed, perhaps for lack of memory)",
  11: "SIGSEGV (it crashed)",
  13: "SIGPIPE",
  15: "SIGTERM",
};

/** What an exit code says beyond "not zero", or `undefined` where it says no more. */
export function exitMeaning(command: string, code: number): string | undefined {
  if (code === 0) return undefined;
  const program = lastProgram(command);
  const known = answers[aliases[program] ?? program]?.[code] ?? general[code];
  if (known !== undefined) return known;
  const signal = signals[code - 128];
  return signal === undefined ? undefined : `ended by ${signal}`;
}

/** The program whose exit code a command line ends with: the last one of the last pipeline, without its folder. */
function lastProgram(command: string): string {
  const words = lastCommand(command).trim().split(/\s+/);
  const first = words.find((word) => !/^[A-Za-z_]\w*=/.test(word) && word !== "sudo" && word !== "command");
  return (first ?? "").replace(/^.*\//, "");
}

function lastCommand(command: string): string {
  let start = 0;
  let quote = "";
  for (let index = 0; index < command.length; index += 1) {
    const character = command[index] as string;
    if (character === "\\" && quote !== "'") index += 1;
    else if (quote !== "") quote = character === quote ? "" : quote;
    else if (character === '"' || character === "'") quote = character;
    else if (";|&\n".includes(character) && command.slice(index + 1).trim() !== "" && command[index - 1] !== ">")
      start = index + 1;
  }
  return command.slice(start);
}

const signalNumbers: Readonly<Record<string, number>> = {
  SIGHUP: 1,
  SIGINT: 2,
  SIGQUIT: 3,
  SIGABRT: 6,
  SIGFPE: 8,
  SIGKILL: 9,
  SIGSEGV: 11,
  SIGPIPE: 13,
  SIGTERM: 15,
};

/** The exit code as a shell would tell it: a signal counts as 128 and its number. */
export function exitCodeOf(exit: Pick<Exit, "code" | "signal">): number {
  return exit.code ?? 128 + (signalNumbers[exit.signal ?? ""] ?? 0);
}
