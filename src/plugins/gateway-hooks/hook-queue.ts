/** One thing after another; a caller never waits for what it put in, unless it wants to. */
export interface HookQueue {
  /** The promise settles as the work does; undefined where so much waits already that it was not taken. */
  add<T>(work: () => Promise<T>): Promise<T> | undefined;
  /** What is in the queue and runs. */
  readonly length: number;
  settled(): Promise<void>;
}

/** `most`: works that may wait. */
export function hookQueue(most: number): HookQueue {
  let tail: Promise<unknown> = Promise.resolve();
  let length = 0;
  return {
    add(work) {
      if (length >= most) return undefined;
      length += 1;
      const done = tail.then(work).finally(() => {
        length -= 1;
      });
      tail = done.catch(() => undefined); // told to the caller, who has `done`
      return done;
    },
    get length() {
      return length;
    },
    async settled() {
      await tail;
    },
  };
}
