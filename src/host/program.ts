import { spawn } from "node:child_process";
import { constants } from "node:os";

/** The words after the program's name. */
export function programArguments(): readonly string[] {
  return process.argv.slice(2);
}

/** The command line that starts this very program again. */
export function launchCommand(): readonly string[] {
  const script = process.argv[1];
  return script === undefined ? [process.execPath] : [process.execPath, script];
}

export function workingFolder(): string {
  return process.cwd();
}

/** Sets the status with which the process ends by itself. */
export function setExitStatus(status: number): void {
  process.exitCode = status;
}

/** Ends this process now. */
export const leave = (status: number): never => process.exit(status);

/** The shell's status of a process that a signal ended. */
export function signalStatus(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal];
}

/** Calls `handler` instead of ending the process; returns the undo. */
export function onSignal(signal: NodeJS.Signals, handler: () => void): () => void {
  process.on(signal, handler);
  return () => process.off(signal, handler);
}

/** Says something on standard error, beside whatever else is shown there. */
export function tellError(text: string): void {
  process.stderr.write(text);
}

/** As a person would say it: `linux x64`. */
export const machineName = (): string => `${process.platform} ${process.arch}`;

export const nodeVersion = (): string => `Node ${process.version}, ${process.platform}-${process.arch}`;

/** Whether an optional native package is installed for this machine. */
export async function nativePart(name: "@lydell/node-pty" | "@vscode/ripgrep"): Promise<boolean> {
  return import(name).then(
    () => true,
    () => false,
  );
}

/** Runs a shell command with the person's terminal, its argument as `$1`; resolves with its exit status. */
export function runInTerminal(command: string, argument: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn("/bin/sh", ["-c", command, "sh", argument], { stdio: "inherit" });
    child.on("error", reject);
    child.on("close", (code) => resolve(code ?? 1));
  });
}
