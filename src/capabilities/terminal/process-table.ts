import { now, type RunningProcess } from "#host";
import { exitCodeOf } from "./exit-meaning.ts";
import { plainText } from "./output.ts";

/** Characters of output kept of one background process: the latest. */
const keptCharacters = 200_000;
/** Finished processes are forgotten, oldest first, beyond this many. */
const mostProcesses = 64;

export interface BackgroundProcess {
  readonly id: string;
  readonly command: string;
  readonly cwd: string;
  readonly startedAt: number;
  readonly process: RunningProcess;
  readonly log: ProcessLog;
  /** `undefined` while it runs; a signal counts as 128 and its number. */
  readonly exitCode: () => number | undefined;
  readonly endedAt: () => number | undefined;
  /** Settles when it has ended. */
  readonly ended: Promise<void>;
}

interface ProcessLog {
  push(chunk: string): void;
  /** Plain text of what is kept. */
  text(): string;
  /** Characters that were dropped before it. */
  dropped(): number;
}

function processLog(): ProcessLog {
  let chunks: string[] = [];
  let size = 0;
  let dropped = 0;
  const shrink = () => {
    const whole = chunks.join("");
    const kept = whole.slice(-keptCharacters);
    dropped += whole.length - kept.length;
    chunks = [kept];
    size = kept.length;
  };
  return {
    push(chunk) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > keptCharacters * 2) shrink();
    },
    text() {
      if (size > keptCharacters || chunks.length > 1) shrink();
      return plainText(chunks[0] ?? "");
    },
    dropped: () => dropped + Math.max(0, size - keptCharacters),
  };
}

export interface ProcessTable {
  add(fresh: NewProcess): Promise<BackgroundProcess>;
  find(id: string): BackgroundProcess | undefined;
  list(): readonly BackgroundProcess[];
  /** Ends all that run; settles when they are gone. */
  endAll(): Promise<void>;
}

interface NewProcess {
  readonly command: string;
  readonly cwd: string;
  readonly onOutput?: (chunk: string) => void;
  /** Starts it; all output goes to the given function. */
  readonly start: (output: (chunk: string) => void) => Promise<RunningProcess>;
}

export function processTable(): ProcessTable {
  const entries = new Map<string, BackgroundProcess>();
  let count = 0;
  return {
    async add(fresh) {
      const log = processLog();
      const process = await fresh.start((chunk) => {
        log.push(chunk);
        fresh.onOutput?.(chunk);
      });
      count += 1;
      const entry = tracked(`proc_${count}`, fresh, { log, process });
      entries.set(entry.id, entry);
      forgetOldest(entries);
      return entry;
    },
    find: (id) => entries.get(id),
    list: () => [...entries.values()],
    async endAll() {
      const running = [...entries.values()].filter((entry) => entry.exitCode() === undefined);
      await Promise.all(running.map((entry) => entry.process.kill()));
    },
  };
}

function tracked(
  id: string,
  fresh: NewProcess,
  parts: { readonly log: ProcessLog; readonly process: RunningProcess },
): BackgroundProcess {
  let code: number | undefined;
  let endedAt: number | undefined;
  const ended = parts.process.exit.then((exit) => {
    code = exitCodeOf(exit);
    endedAt = now();
  });
  return {
    id,
    command: fresh.command,
    cwd: fresh.cwd,
    startedAt: now(),
    ...parts,
    exitCode: () => code,
    endedAt: () => endedAt,
    ended,
  };
}

function forgetOldest(entries: Map<string, BackgroundProcess>): void {
  for (const [id, entry] of entries) {
    if (entries.size <= mostProcesses) return;
    if (entry.exitCode() !== undefined) entries.delete(id);
  }
}
