/** One line of the bench: ours beside a baseline of the same run. */
export interface Figure {
  readonly name: string;
  /** Ours divided by the baseline, or for `unit: "ms"` the difference in milliseconds. */
  readonly value: number;
  readonly unit: "×" | "ms";
  readonly atMost: number;
  /** What was divided by what. */
  readonly from: string;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1
    ? (sorted[middle] ?? Number.NaN)
    : ((sorted[middle - 1] ?? Number.NaN) + (sorted[middle] ?? Number.NaN)) / 2;
}

export function ratio(name: string, ours: number, baseline: number, atMost: number): Figure {
  return { name, value: ours / baseline, unit: "×", atMost, from: `${ours.toFixed(1)} ms / ${baseline.toFixed(1)} ms` };
}

export function draw(title: string, figures: readonly Figure[]): string {
  const lines = figures.map(({ name, value, unit, atMost, from }) => {
    const mark = value <= atMost ? "met   " : "MISSED";
    return `${mark} ${name.padEnd(58)} ${value.toFixed(2)} ${unit} (at most ${atMost}; ${from})`;
  });
  return [title, ...lines, ""].join("\n");
}
