import { type Environment, findProgram, isHostError, spawn } from "#host";
import { InstallError } from "./error.ts";

export interface ProgramRun {
  readonly cwd: string;
  readonly environment: Environment;
  readonly extra?: Readonly<Record<string, string>>;
  readonly limitMs: number;
}

/** Runs a program without a shell and gives its output. A failure is told with the last lines of what it said. */
export async function runProgram(name: string, words: readonly string[], run: ProgramRun): Promise<string> {
  const { cwd, environment, limitMs } = run;
  const file = findProgram(name, environment);
  if (file === undefined)
    throw new InstallError("no_program", `${name} is needed for this and is not on PATH: install it`);
  const given = Object.entries({ ...environment, ...run.extra });
  const env = Object.fromEntries(given.filter((pair): pair is [string, string] => pair[1] !== undefined));
  try {
    const { exit } = await spawn(file, words, { cwd, env, timeoutMs: limitMs });
    const { code, timedOut, stdout, stderr, signal } = await exit;
    if (timedOut)
      throw new InstallError("fetch_failed", `${name} gave no answer in ${limitMs / 1000} s; is the network up?`);
    if (code === 0) return stdout.text;
    const said = `${stderr.text}\n${stdout.text}`
      .trim()
      .split("\n")
      .filter((line) => line.trim() !== "");
    const how = code === null ? `was ended by ${signal}` : `ended with status ${code}`;
    throw new InstallError("fetch_failed", `${name} ${how}: ${reason(said)}`);
  } catch (error) {
    if (isHostError(error))
      throw new InstallError("no_program", `${name} could not be started: ${error.message}`, error);
    throw error;
  }
}

/** What a person can use of what a program said, and what to do where that is known. */
function reason(lines: readonly string[]): string {
  const text = lines.slice(-8).join("\n  ");
  if (/No space left|ENOSPC/i.test(text)) return `${text}\n  the disk is full: free some space and try again`;
  if (
    /Could not resolve host|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|Failed to connect|Connection refused|timed out/i.test(text)
  )
    return `${text}\n  the network or the server cannot be reached`;
  if (/could not read Username|Authentication failed|Permission denied \(publickey/i.test(text))
    return `${text}\n  it does not exist, or it is private: set up git's credentials, or use an ssh address`;
  return text === "" ? "it said nothing" : text;
}
