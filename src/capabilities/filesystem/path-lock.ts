/** Runs work one after another where the paths overlap, and side by side where they do not. */
export type PathLock = <T>(paths: readonly string[], work: () => Promise<T>) => Promise<T>;

export function pathLock(): PathLock {
  const last = new Map<string, Promise<unknown>>();
  return async (paths, work) => {
    const before = Promise.all(paths.map((path) => last.get(path)));
    const mine = before.then(work);
    const settled = mine.then(
      () => undefined,
      () => undefined, // the caller gets the error; those who wait only need the end
    );
    for (const path of paths) last.set(path, settled);
    try {
      return await mine;
    } finally {
      for (const path of paths) if (last.get(path) === settled) last.delete(path);
    }
  };
}
