import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { onTestFinished } from "vitest";

export const program = resolve("bin/talaria.cjs");

/** A folder that is gone when the test is. */
export function folder(name = "talaria-test-"): string {
  const made = mkdtempSync(join(tmpdir(), name));
  onTestFinished(() => rmSync(made, { recursive: true, force: true, maxRetries: 3 }));
  return made;
}

export interface Ran {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly home: string;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Standard input; absent: the null device. */
  readonly input?: string;
}

/** The environment of a machine on which nothing is configured: no key, no local model server, this home. */
export function cleanEnvironment(home: string, more: Readonly<Record<string, string>> = {}): Record<string, string> {
  return {
    PATH: process.env["PATH"] ?? "/usr/bin:/bin",
    HOME: home,
    TALARIA_HOME: join(home, ".talaria"),
    TALARIA_NO_LOCAL_SERVERS: "1",
    LANG: "C.UTF-8",
    TERM: "xterm-256color",
    ...more,
  };
}

/** Starts the built program; the caller talks to the child. It is ended with the test. */
export function start(words: readonly string[], options: RunOptions): ChildProcess & { readonly done: Promise<Ran> } {
  const child = spawn(process.execPath, [program, ...words], {
    cwd: options.cwd ?? options.home,
    env: cleanEnvironment(options.home, options.env),
    stdio: [options.input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  child.stdin?.on("error", () => undefined);
  child.stdin?.end(options.input);
  const done = new Promise<Ran>((settle) =>
    child.on("close", (status, signal) => settle({ status, signal, stdout, stderr })),
  );
  onTestFinished(() => {
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
  });
  return Object.assign(child, { done });
}

/** Runs the built program to its end. */
export function run(words: readonly string[], options: RunOptions): Promise<Ran> {
  return start(words, options).done;
}

/** The lines of a `--json` run. */
export function events(ran: Ran): readonly { readonly type: string; readonly [key: string]: unknown }[] {
  return ran.stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as { type: string });
}
