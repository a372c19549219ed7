/** Time as the models need it; tests play their own. */
export interface ModelClock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Runs `run` once after `ms`; returns what cancels it. A waiting timer alone keeps the process alive. */
  timer(ms: number, run: () => void): () => void;
}

/** What models need of the machine. */
export interface ModelPorts {
  readonly fetch: typeof globalThis.fetch;
  readonly clock: ModelClock;
  /** A number from 0 up to 1. */
  readonly random: () => number;
}

/** Resolves after `ms`; rejects with the signal's reason as soon as it aborts. */
export function sleep(clock: ModelClock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const aborted = () => {
      cancel();
      reject(signal.reason);
    };
    const cancel = clock.timer(ms, () => {
      signal.removeEventListener("abort", aborted);
      resolve();
    });
    signal.addEventListener("abort", aborted, { once: true });
  });
}
