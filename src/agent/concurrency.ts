/** What decides whether calls may run beside each other. */
export interface Lane {
  readonly concurrency: "parallel" | "by-path" | "alone";
  readonly paths: readonly string[];
}

function overlap(left: string, right: string): boolean {
  if (left === right) return true;
  const [short, long] = left.length < right.length ? [left, right] : [right, left];
  const separator = long[short.length];
  return long.startsWith(short) && (short.endsWith("/") || separator === "/" || separator === "\\");
}

function beside(left: Lane, right: Lane): boolean {
  if (left.concurrency === "alone" || right.concurrency === "alone") return false;
  if (left.concurrency !== "by-path" || right.concurrency !== "by-path") return true;
  return !left.paths.some((path) => right.paths.some((other) => overlap(path, other)));
}

/**
 * Neighbouring calls that may run at the same time, in call order: each group ends before the next begins.
 * A call that touches a path of an earlier one of its group begins a new group.
 */
export function parallelGroups<T extends Lane>(calls: readonly T[]): readonly (readonly T[])[] {
  const all: T[][] = [];
  for (const call of calls) {
    const group = all.at(-1);
    if (group?.every((other) => beside(other, call)) === true) group.push(call);
    else all.push([call]);
  }
  return all;
}

/** Runs `work` for each item, at most `limit` at once; resolves when all have ended. `work` must not reject. */
export async function pooled<T>(items: readonly T[], limit: number, work: (item: T) => Promise<void>): Promise<void> {
  const queue = items.values();
  const worker = async () => {
    for (const item of queue) await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
}
