import { isDeepStrictEqual } from "node:util";
import { readTextIfExists, type TextFile, withLock, writeAtomic } from "#host";
import { ConfigError } from "./error.ts";
import { keyAt } from "./keys/index.ts";
import { isFreePath, isHermesPath, nearestPath } from "./unknown-keys.ts";
import { describeFound, describeShape, readText } from "./value.ts";
import { parseYaml, yamlLibrary, yamlOptions } from "./yaml.ts";
import { insertItem, insertKey, removeKey, removeListItem, replaceValue, type YamlSource } from "./yaml-surgery.ts";

type Change =
  | { readonly kind: "set"; readonly path: readonly string[]; readonly value: unknown }
  | { readonly kind: "append" | "remove"; readonly path: readonly string[]; readonly item: string }
  | { readonly kind: "unset"; readonly path: readonly string[] };

/** Sets one key. Comments, order, quotes and all other bytes of the file stay; the file is created where it is missing. */
export const setKey = (file: string, path: readonly string[], value: unknown): Promise<boolean> =>
  change(file, { kind: "set", path, value });

/** Takes one key out, with the sections that it leaves empty. False when it did not stand there. */
export const unsetKey = (file: string, path: readonly string[]): Promise<boolean> =>
  change(file, { kind: "unset", path });

/** Adds a text to a list unless it is there already, which gives false. */
export const appendItem = (file: string, path: readonly string[], item: string): Promise<boolean> =>
  change(file, { kind: "append", path, item });

/** Takes a text out of a list. False when it did not stand there. */
export const removeItem = (file: string, path: readonly string[], item: string): Promise<boolean> =>
  change(file, { kind: "remove", path, item });

/** One change of the file, whole or not at all, with two processes one after the other. True when the file was changed. */
function change(file: string, wanted: Change): Promise<boolean> {
  return withLock(`${file}.lock`, async () => {
    const present = await readTextIfExists(file);
    const after = await changeText(present?.text ?? "", wanted, file);
    if (after === undefined) return false;
    await writeAtomic(file, withLineEnds(after, present), {
      encoding: present?.encoding ?? "utf-8",
      mode: 0o600,
      sync: true,
    });
    return true;
  });
}

const withLineEnds = (text: string, present: TextFile | undefined): string =>
  present?.lineEnding === "crlf" ? text.replaceAll(/\r?\n/g, "\r\n") : text;

type Plain = Record<string, unknown>;

const isPlain = (value: unknown): value is Plain =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The text of the file after a change; undefined when there is nothing to change. Throws `broken_file` for what is no YAML. */
async function changeText(source: string, wanted: Change, file: string): Promise<string | undefined> {
  const parsed = await parseYaml(source);
  const [error] = parsed.document.errors;
  if (error !== undefined) {
    const at = parsed.counter.linePos(error.pos[0]);
    throw new ConfigError(
      "broken_file",
      `${file}:${at.line}:${at.col}: this is not YAML: ${error.message}; correct it first`,
    );
  }
  const before: unknown = parsed.document.toJS() ?? {};
  if (!isPlain(before))
    throw new ConfigError("broken_file", `${file}:1: the top level must be a mapping of keys; correct it first`);
  const settled = settle(before, wanted);
  if (settled === undefined) return undefined;
  const expected = applied(before, settled);
  if (isDeepStrictEqual(before, expected)) return undefined;
  const text = { source, ...parsed };
  for (const attempt of [cut, rewritten]) {
    const result = attempt(text, settled, wanted);
    if (result === undefined) continue;
    const again = await parseYaml(result);
    if (again.document.errors.length === 0 && isDeepStrictEqual(again.document.toJS() ?? {}, expected)) return result;
  }
  const key = wanted.path.join(".");
  throw new ConfigError(
    "broken_file",
    `${file}: ${key} cannot be changed where it stands (it is written twice, or through an anchor); edit the file by hand`,
  );
}

type ListChange = Extract<Change, { readonly item: string }>;
type Settled = Exclude<Change, { readonly item: string }>;

/** Turns a change of a list into what it sets, an unset into the highest path that becomes empty. */
function settle(before: Plain, wanted: Change): Settled | undefined {
  if (wanted.kind === "set") return wanted;
  const present = valueAt(before, wanted.path);
  if (wanted.kind !== "unset") return settledList(present, wanted);
  if (present === undefined) return undefined;
  let { path } = wanted;
  while (path.length > 1) {
    const parent = valueAt(before, path.slice(0, -1));
    if (!isPlain(parent) || Object.keys(parent).length > 1) break;
    path = path.slice(0, -1);
  }
  return { kind: "unset", path };
}

function settledList(present: unknown, { kind, path, item }: ListChange): Settled | undefined {
  const items: readonly unknown[] = Array.isArray(present) ? present : present == null ? [] : [present];
  if (items.includes(item) === (kind === "append")) return undefined;
  const value = kind === "append" ? [...items, item] : items.filter((one) => one !== item);
  return { kind: "set", path, value };
}

function valueAt(values: unknown, path: readonly string[]): unknown {
  let value = values;
  for (const name of path) value = isPlain(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return value;
}

function applied(before: Plain, { path, ...wanted }: Settled): Plain {
  const [name, ...rest] = path;
  if (name === undefined) return before;
  const after = { ...before };
  if (rest.length > 0) {
    const inner = before[name];
    after[name] = applied(isPlain(inner) ? inner : {}, { ...wanted, path: rest });
  } else if (wanted.kind === "set") after[name] = wanted.value;
  else delete after[name];
  return after;
}

/** The change as a cut into the text. */
function cut(text: YamlSource, settled: Settled, wanted: Change): string | undefined {
  if (settled.kind === "unset") return removeKey(text, settled.path);
  if (wanted.kind === "remove") return removeListItem(text, wanted.path, wanted.item);
  return (
    (wanted.kind === "append" ? insertItem(text, wanted.path, wanted.item) : undefined) ??
    replaceValue(text, settled.path, settled.value) ??
    insertKey(text, settled.path, settled.value)
  );
}

/** The change through the library, which keeps comments and order but not every space; undefined where it cannot. */
function rewritten({ document, library }: YamlSource, settled: Settled): string | undefined {
  const copy = document.clone();
  const values: unknown = document.toJS();
  try {
    if (settled.kind === "unset") copy.deleteIn(settled.path);
    else {
      // A text or a list where a section is wanted gives way to it.
      const above = settled.path.slice(0, -1).map((_, index) => settled.path.slice(0, index + 1));
      const obstacle = above.find((path) => !isPlain(valueAt(values, path)));
      if (obstacle !== undefined) copy.setIn(obstacle, copy.createNode({}));
      const old = copy.getIn(settled.path, true);
      const node = copy.createNode(settled.value);
      if (library.isNode(old) && old.comment != null) node.comment = old.comment;
      copy.setIn(settled.path, node);
    }
    return copy.toString({ lineWidth: 0 });
  } catch {
    return undefined; // anchors and the like stand in the way: the caller says what to do
  }
}

/** The path of a key as it is written on a command line. */
export const splitPath = (path: string): readonly string[] => path.split(".");

/**
 * Reads a value as a command line gives it for a key. Throws `unknown_key` with the nearest name and `wrong_type` with what is
 * expected. In sections of free names, and for keys that only Hermes knows, the text is read as YAML.
 */
export async function parseSetting(path: string, text: string): Promise<unknown> {
  const key = keyAt(path);
  if (key === undefined) {
    if (isFreePath(path) || isHermesPath(path)) return parseFree(path, text);
    const near = nearestPath(path);
    throw new ConfigError(
      "unknown_key",
      `there is no setting ${path}${near === undefined ? "" : `; did you mean ${near}?`}`,
    );
  }
  const { kind } = key.shape;
  if ((kind === "texts" && text.trim().startsWith("[")) || kind === "mapping" || kind === "list") {
    const value = await parseFree(path, text);
    const fits = kind === "mapping" ? isPlain(value) : Array.isArray(value);
    if (fits) return value;
    throw new ConfigError(
      "wrong_type",
      `${path} must be ${describeShape(key.shape)}, but is ${describeFound(value, key)}`,
    );
  }
  const reading = readText(key, text);
  if ("value" in reading) return reading.value;
  throw new ConfigError("wrong_type", `${path} must be ${reading.expected}, but is ${describeFound(text, key)}`);
}

async function parseFree(path: string, text: string): Promise<unknown> {
  const library = await yamlLibrary();
  try {
    return library.parse(text, yamlOptions(new library.LineCounter())) as unknown;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new ConfigError("wrong_type", `the value for ${path} is not YAML: ${why}`, cause);
  }
}
