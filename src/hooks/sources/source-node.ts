/** A value of a configuration file with its place. Both file formats are read into this. */
export interface SourceNode {
  readonly value: unknown;
  /** From 1: where the key stands, for an item of a list where it begins; undefined where no file stands behind it. */
  readonly line: number | undefined;
  /** Present for an object. A key that stands twice has its last value. */
  readonly members: ReadonlyMap<string, SourceNode> | undefined;
  /** Present for a list. */
  readonly items: readonly SourceNode[] | undefined;
}

type Path = readonly (string | number)[];

/** Plain values as nodes; `lineOf` is asked for each of them. */
export function nodeOf(
  value: unknown,
  lineOf: (path: Path) => number | undefined = () => undefined,
  path: Path = [],
): SourceNode {
  const line = lineOf(path);
  if (Array.isArray(value)) {
    const items = value.map((item, index) => nodeOf(item, lineOf, [...path, index]));
    return { value, line, members: undefined, items };
  }
  if (typeof value !== "object" || value === null) return { value, line, members: undefined, items: undefined };
  const members = new Map(Object.entries(value).map(([key, item]) => [key, nodeOf(item, lineOf, [...path, key])]));
  return { value, line, members, items: undefined };
}

/** `a text`, `a list`, …: what a value is, for messages. */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined) return "empty";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "string") return "a text";
  if (typeof value === "number") return "a number";
  return typeof value === "boolean" ? `\`${value}\`` : "an object";
}
