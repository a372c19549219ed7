/** JSON as Python writes it with an indent of two and sorted keys: only ASCII, so that a rewrite by either program is the same. */
export function pythonJson(value: unknown): string {
  const text = JSON.stringify(value, (_, item: unknown) => (isPlain(item) ? sorted(item) : item), 2);
  return text.replaceAll(/[\u007f-\uffff]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

const isPlain = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const sorted = (value: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1)));

/** A moment as `datetime.isoformat` in UTC writes it, with `Z`: microseconds, which are left out where they are zero. */
export function pythonTime(milliseconds: number): string {
  const micros = Math.round(milliseconds * 1000);
  const seconds = new Date(Math.floor(micros / 1_000_000) * 1000).toISOString().slice(0, 19);
  const rest = ((micros % 1_000_000) + 1_000_000) % 1_000_000;
  return rest === 0 ? `${seconds}Z` : `${seconds}.${String(rest).padStart(6, "0")}Z`;
}
