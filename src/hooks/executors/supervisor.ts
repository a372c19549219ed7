import {
  type BriefProcess,
  type Exit,
  isHostError,
  type ProcessOptions,
  type RunningProcess,
  spawn,
  startBriefly,
} from "#host";

/** Bytes kept of each stream of a hook: a long answer passes whole, a flood is bounded. */
const keptBytes = 8 << 20;
/** Milliseconds between the polite signal and the kill. */
const graceMs = 200;

type Started<P> = Promise<P | { readonly problem: string }>;

/** All processes of the hooks of one runtime. */
export interface Supervisor {
  /** Runs a program in a process group of its own, without a terminal. Gives the reason where it could not be started. */
  run(
    file: string,
    args: readonly string[],
    options: ProcessOptions & { readonly input: string },
  ): Started<BriefProcess>;
  /** The same for one that is written to while it runs. */
  keep(file: string, args: readonly string[], options: ProcessOptions): Started<RunningProcess>;
  /** Remembers what runs in the background of a session. */
  inBackground(sessionId: string, ended: Promise<void>): void;
  /** Settles when nothing runs in the background of the session. */
  settled(sessionId: string): Promise<void>;
  /** Ends every process and refuses new ones. */
  close(): Promise<void>;
}

export function supervisor(): Supervisor {
  const running = new Set<BriefProcess>();
  const background = new Map<string, Set<Promise<void>>>();
  let closed = false;
  async function started<P extends BriefProcess>(file: string, start: () => Promise<P>): Started<P> {
    if (closed) return { problem: `cannot start ${file}: the program is ending` };
    try {
      const process = await start();
      running.add(process);
      void process.exit.then((_: Exit) => running.delete(process));
      if (closed) await process.kill();
      return process;
    } catch (error) {
      if (isHostError(error)) return { problem: error.message };
      throw new Error(`cannot start ${file}`, { cause: error });
    }
  }
  return {
    run: (file, args, options) =>
      started(file, () => startBriefly(file, args, { keepBytes: keptBytes, graceMs, ...options })),
    keep: (file, args, options) => started(file, () => spawn(file, args, { graceMs, interactive: true, ...options })),
    inBackground(sessionId, ended) {
      const ones = background.get(sessionId) ?? new Set();
      background.set(sessionId, ones.add(ended));
      void ended.finally(() => {
        ones.delete(ended);
        if (ones.size === 0) background.delete(sessionId);
      });
    },
    async settled(sessionId) {
      for (let ones = background.get(sessionId); ones !== undefined; ones = background.get(sessionId))
        await Promise.allSettled(ones);
    },
    async close() {
      closed = true;
      await Promise.all([...running].map((process) => process.kill()));
      await Promise.all([...background.keys()].map((sessionId) => this.settled(sessionId)));
    },
  };
}
