import { accessSync, closeSync, constants, existsSync, openSync, readSync } from "node:fs";
import { constants as system } from "node:os";
import { resolve } from "node:path";
import { findProgram } from "./environment.ts";
import { HostError } from "./error.ts";
import type { Exit, ProcessOptions } from "./process.ts";
import { spawnError } from "./spawn-error.ts";
import type { JobEnd } from "./starter.ts";

interface Program {
  readonly file: string;
  readonly options: ProcessOptions;
}

const signalNames = new Map(Object.entries(system.signals).map(([name, number]) => [number, name]));

type Conclusion = Pick<Exit, "code" | "signal" | "failure">;

const failedWith = (failure: HostError): Conclusion => ({ code: null, signal: null, failure });

/** What `Exit` says of a job that has begun. */
export function conclusion(end: JobEnd, { file, options }: Program, killed: boolean): Conclusion {
  const refused = (code: string): Conclusion =>
    failedWith(spawnError(file, options.cwd, Object.assign(new Error(code), { code })));
  if (end === "no-folder") return refused(existsSync(options.cwd) ? "ENOTDIR" : "ENOENT");
  if (typeof end === "string") {
    const why = "the process that had started it is gone";
    return failedWith(new HostError("spawn_failed", `${file} was lost: ${why}`, { subject: file }));
  }
  const { status } = end;
  if (killed && status > 128) return { code: null, signal: signalNames.get(status - 128) ?? "SIGKILL" };
  // The helper says of a program that did not run what a program may say itself.
  const code = status === 126 || status === 127 ? whyNotRun(file, options) : undefined;
  return code === undefined ? { code: status, signal: null } : refused(code);
}

function whyNotRun(file: string, { cwd, env }: ProcessOptions): string | undefined {
  const path = file.includes("/") ? resolve(cwd, file) : findProgram(file, env);
  if (path === undefined || !existsSync(path)) return "ENOENT";
  try {
    accessSync(path, constants.X_OK);
  } catch {
    return "EACCES";
  }
  const interpreter = /^#!\s*(\S+)/.exec(firstCharacters(path))?.[1];
  return interpreter !== undefined && !existsSync(interpreter) ? "ENOENT" : undefined;
}

function firstCharacters(path: string): string {
  const descriptor = openSync(path, "r");
  try {
    const bytes = Buffer.alloc(256);
    return bytes.toString("latin1", 0, readSync(descriptor, bytes));
  } finally {
    closeSync(descriptor);
  }
}
