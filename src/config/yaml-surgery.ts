import type { Pair, YAMLMap, YAMLSeq } from "yaml";
import { type ParsedYaml, yamlOptions } from "./yaml.ts";

/** A parsed text together with itself. The functions here give a changed text, or undefined where a clean cut is not possible. */
export interface YamlSource extends ParsedYaml {
  readonly source: string;
}

/** Words that PyYAML, or another reader of YAML 1.1, would not take as text. */
const otherwiseRead = /^(?:[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?|\d{4}-\d\d?-\d\d?.*|[yYnN=]|<<)$/;

/** A value as YAML text that every reader of YAML 1.1 and 1.2 takes the same way, without the last line end. */
function write({ library }: YamlSource, value: unknown): string {
  const document = new library.Document(value, yamlOptions(new library.LineCounter()));
  library.visit(document, {
    Scalar(_, scalar) {
      const text = scalar.value;
      if (typeof text === "string" && (otherwiseRead.test(text) || /[\n\r\t]/.test(text))) scalar.type = "QUOTE_DOUBLE";
    },
  });
  return document.toString({ lineWidth: 0 }).replace(/\n$/, "");
}

const isPlainScalar = (value: unknown): boolean =>
  value === null || ["string", "number", "boolean"].includes(typeof value);

const namesPair =
  (text: YamlSource, name: string) =>
  (pair: Pair): boolean =>
    text.library.isScalar(pair.key) && String(pair.key.value) === name;

/** The mapping at a path, only where it stands there itself and not through an anchor. */
function mapAt(text: YamlSource, path: readonly string[]): YAMLMap | undefined {
  let node: unknown = text.document.contents;
  for (const name of path) {
    if (!text.library.isMap(node)) return undefined;
    node = node.items.findLast(namesPair(text, name))?.value;
  }
  return text.library.isMap(node) ? node : undefined;
}

function pairAt(text: YamlSource, path: readonly string[]): Pair | undefined {
  const name = path.at(-1);
  return name === undefined ? undefined : mapAt(text, path.slice(0, -1))?.items.findLast(namesPair(text, name));
}

const splice = (text: string, start: number, end: number, insert: string): string =>
  text.slice(0, start) + insert + text.slice(end);

/** Puts a scalar where a scalar stands, in quotes of the same kind. */
export function replaceValue(text: YamlSource, path: readonly string[], value: unknown): string | undefined {
  const { library, source } = text;
  const pair = pairAt(text, path);
  if (pair === undefined || !isPlainScalar(value)) return undefined;
  const node = pair.value;
  if (!library.isScalar(node) || node.range == null || node.type === "BLOCK_LITERAL" || node.type === "BLOCK_FOLDED")
    return undefined;
  const [start, end] = node.range;
  if (start === end) {
    const keyEnd = library.isNode(pair.key) ? pair.key.range?.[1] : undefined;
    const colon = keyEnd === undefined ? -1 : source.indexOf(":", keyEnd);
    return colon < 0 ? undefined : splice(source, colon + 1, colon + 1, ` ${write(text, value)}`);
  }
  return splice(source, start, end, inQuotesOf(node.type, value) ?? write(text, value));
}

function inQuotesOf(type: string | null | undefined, value: unknown): string | undefined {
  if (typeof value !== "string") return undefined;
  if (type === "QUOTE_DOUBLE") return JSON.stringify(value);
  return type === "QUOTE_SINGLE" && !/[\n\r\t]/.test(value) ? `'${value.replaceAll("'", "''")}'` : undefined;
}

/** Where the text of a node ends, trailing comments and empty lines left out. */
function contentEnd({ library }: YamlSource, node: unknown): number | undefined {
  let current = node;
  while ((library.isMap(current) || library.isSeq(current)) && current.flow !== true) {
    const last = current.items.at(-1);
    if (last === undefined) break;
    const value: unknown = library.isPair(last) ? last.value : last;
    const isEmpty = library.isScalar(value) && value.range != null && value.range[0] === value.range[1];
    current = library.isPair(last) && (value === null || isEmpty) ? last.key : value;
  }
  return library.isNode(current) ? current.range?.[1] : undefined;
}

/** The place after the line on which a position lies. */
function afterLine(source: string, position: number): number {
  if (position > 0 && source[position - 1] === "\n") return position;
  const end = source.indexOf("\n", position);
  return end < 0 ? source.length : end + 1;
}

const lineStart = (source: string, position: number): number => source.lastIndexOf("\n", position - 1) + 1;

function insertLines(source: string, place: number, lines: string): string {
  const before = place > 0 && source[place - 1] !== "\n" ? "\n" : "";
  return splice(source, place, place, `${before}${lines}\n`);
}

const indented = (lines: string, indent: string): string => lines.replaceAll(/^(?=.)/gm, indent);

/** Adds a key behind the last one of the deepest section that is there. */
export function insertKey(text: YamlSource, path: readonly string[], value: unknown): string | undefined {
  const { library, source, document } = text;
  let depth = path.length - 1;
  while (depth > 0 && mapAt(text, path.slice(0, depth)) === undefined) depth -= 1;
  if (pairAt(text, path.slice(0, depth + 1)) !== undefined) return undefined;
  const inner = path.slice(depth).reduceRight<unknown>((below, name) => ({ [name]: below }), value);
  const lines = write(text, inner);
  if (document.contents === null || (library.isScalar(document.contents) && document.contents.value === null)) {
    return insertLines(source, source.length, lines);
  }
  const map = mapAt(text, path.slice(0, depth));
  const first = map?.items[0]?.key;
  const end = contentEnd(text, map);
  if (map === undefined || map.flow === true || !library.isNode(first) || first.range == null || end === undefined)
    return undefined;
  const start = first.range[0];
  const indent = source.slice(lineStart(source, start), start);
  return /^ *$/.test(indent) ? insertLines(source, afterLine(source, end), indented(lines, indent)) : undefined;
}

/** Adds an item behind the last one of a list. */
export function insertItem(text: YamlSource, path: readonly string[], item: string): string | undefined {
  const list = pairAt(text, path)?.value;
  if (!text.library.isSeq(list)) return undefined;
  return list.flow === true ? insertBetweenBrackets(text, list, item) : insertOnOwnLine(text, list, item);
}

function insertBetweenBrackets(text: YamlSource, list: YAMLSeq, item: string): string | undefined {
  const last = list.items.at(-1);
  const written = /[,[\]{}]/.test(item) ? JSON.stringify(item) : write(text, item);
  if (last === undefined) {
    const start = list.range?.[0];
    return start === undefined ? undefined : splice(text.source, start + 1, start + 1, written);
  }
  const end = text.library.isNode(last) ? last.range?.[1] : undefined;
  return end === undefined ? undefined : splice(text.source, end, end, `, ${written}`);
}

function insertOnOwnLine(text: YamlSource, list: YAMLSeq, item: string): string | undefined {
  const { library, source } = text;
  const last = list.items.at(-1);
  const end = contentEnd(text, list);
  if (!library.isNode(last) || last.range == null || end === undefined) return undefined;
  const dash = source.lastIndexOf("-", last.range[0] - 1);
  const indent = source.slice(lineStart(source, dash), dash);
  if (dash < 0 || !/^ *$/.test(indent)) return undefined;
  return insertLines(source, afterLine(source, end), `${indent}- ${write(text, item)}`);
}

/** Takes the lines of a key away. */
export function removeKey(text: YamlSource, path: readonly string[]): string | undefined {
  const { library, source } = text;
  const map = mapAt(text, path.slice(0, -1));
  const pair = pairAt(text, path);
  if (map === undefined || map.flow === true || pair === undefined) return undefined;
  const start = library.isNode(pair.key) ? pair.key.range?.[0] : undefined;
  const isEmpty =
    library.isScalar(pair.value) && pair.value.range != null && pair.value.range[0] === pair.value.range[1];
  const end = contentEnd(text, isEmpty ? pair.key : pair.value);
  if (start === undefined || end === undefined) return undefined;
  const from = lineStart(source, start);
  return /^ *$/.test(source.slice(from, start)) ? splice(source, from, afterLine(source, end), "") : undefined;
}

/** Takes an item on a line of its own out of a list that keeps others. */
export function removeListItem(text: YamlSource, path: readonly string[], item: string): string | undefined {
  const { library, source } = text;
  const list = pairAt(text, path)?.value;
  if (!library.isSeq(list) || list.flow === true) return undefined;
  const found = list.items.filter((one) => library.isScalar(one) && one.value === item);
  const [node] = found;
  if (found.length !== 1 || list.items.length < 2 || !library.isNode(node) || node.range == null) return undefined;
  const [start, end] = node.range;
  const line = lineStart(source, start);
  return /^ *- +$/.test(source.slice(line, start)) ? splice(source, line, afterLine(source, end), "") : undefined;
}
