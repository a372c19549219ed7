import { isPluginError } from "../error.ts";

/** What goes over the wire between Talaria and the Python host; docs/reference/python-host.md tells the protocol. */
export type Values = Readonly<Record<string, unknown>>;

/** An exception of Python, or an error that Python is told of. */
export interface ErrorFact {
  /** The name of its class. */
  readonly type: string;
  readonly message: string;
  readonly traceback?: string;
  /** `file:line` in the plugin. */
  readonly place?: string;
  /** What to do. */
  readonly hint?: string;
  /** It came from inside `next_call`: the number under which we keep what really happened. */
  readonly downstream?: number;
}

export interface FromPython {
  /** The answer to a call of ours. */
  readonly id?: number;
  readonly ok?: unknown;
  readonly error?: ErrorFact;
  /** A question of Python's; `in` is the call on whose behalf it comes. */
  readonly ask?: number;
  readonly do?: string;
  readonly with?: Values;
  readonly in?: number;
  readonly log?: string;
  readonly name?: string;
  readonly text?: string;
  /** What the command of that call printed. */
  readonly out?: number;
  /** Where a command's text belongs. */
  readonly stream?: "stdout" | "stderr";
  readonly pong?: number;
  readonly hello?: { readonly version: string; readonly executable: string };
}

/** An exception that Python code raised, under the name of its class and with its traceback for a stack. */
export class PythonError extends Error {
  readonly fact: ErrorFact;

  constructor(fact: ErrorFact) {
    const hint = fact.hint === undefined ? "" : `; ${fact.hint}`;
    super(`${fact.message === "" ? fact.type : fact.message}${hint}`);
    this.name = fact.type;
    this.fact = fact;
    if (fact.traceback !== undefined && fact.traceback !== "") this.stack = fact.traceback;
  }
}

/** How an error of ours is told to Python, where its name decides the class. */
export function errorFact(error: unknown): ErrorFact {
  if (error instanceof PythonError) return { type: error.fact.type, message: error.fact.message };
  if (isPluginError(error, "invalid_registration")) return { type: "ValueError", message: error.message };
  if (!(error instanceof Error)) return { type: "RuntimeError", message: String(error) };
  return { type: error.name === "Error" ? "RuntimeError" : error.name, message: error.message };
}

const levels: Readonly<Record<string, "debug" | "info" | "warning" | "error">> = {
  DEBUG: "debug",
  INFO: "info",
  WARNING: "warning",
  ERROR: "error",
  CRITICAL: "error",
};

/** Our word for a level of Python's logging; of its own in-between levels `info`. */
export const levelOf = (level: string): "debug" | "info" | "warning" | "error" => levels[level] ?? "info";
