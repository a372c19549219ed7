import type { HostError } from "./error.ts";

/** What a child process is started with. Without `shell` nothing is interpreted. */
export interface ProcessOptions {
  readonly cwd: string;
  /** The whole environment of the child. */
  readonly env: Readonly<Record<string, string>>;
  /** Written to its standard input, which is then closed; absent: the null device. A reader that exits early is no error. */
  readonly input?: string | Uint8Array;
  /** Kills the whole tree after this many milliseconds. */
  readonly timeoutMs?: number;
  /** Kills the whole tree when aborted. */
  readonly signal?: AbortSignal;
  /** Bytes kept of each stream, head and tail in equal parts; the middle is counted and dropped. Default 1 MiB. */
  readonly keepBytes?: number;
  /** Called with decoded text as it comes; characters are never cut. */
  readonly onOutput?: (text: string, stream: "stdout" | "stderr") => void;
  /** Milliseconds between the polite signal and the kill; 500. */
  readonly graceMs?: number;
}

export interface Output {
  readonly text: string;
  readonly totalBytes: number;
  readonly droppedBytes: number;
}

export interface Exit {
  /** Null when a signal ended it. */
  readonly code: number | null;
  readonly signal: string | null;
  readonly timedOut: boolean;
  readonly aborted: boolean;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly durationMs: number;
  /** Why the program never ran, where that was found only after it had been started. */
  readonly failure?: HostError;
}

/** A child in its own process group, without a controlling terminal. */
export interface RunningProcess {
  readonly pid: number;
  /** Settles when the process has ended and its pipes are drained, or 250 ms after its end when grandchildren hold them. Never rejects. */
  readonly exit: Promise<Exit>;
  /** Text to standard input; ignored once it is closed. Only where `input` was absent and `interactive` was asked for. */
  write(text: string): void;
  closeInput(): void;
  /** Ends the process and every descendant; settles when they are gone. */
  kill(): Promise<void>;
}

/** Starts a program. Rejects with a `HostError` `not_found`, `not_executable` or `spawn_failed` that names the program. */
export type Spawn = (
  file: string,
  args: readonly string[],
  options: ProcessOptions & { readonly interactive?: boolean },
) => Promise<RunningProcess>;
