import { nearest } from "#config";
import type { Report } from "./problems.ts";
import { kindOf, type SourceNode } from "./source-node.ts";

type Members = ReadonlyMap<string, SourceNode>;

const snakeCase = (key: string): string => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The keys of a handler or group under both spellings; where both stand, camelCase wins. A null counts as absent. */
export interface Fields {
  /** The line of the whole. */
  readonly line: number | undefined;
  find(key: string): SourceNode | undefined;
  /** A text; undefined where it is absent or, with a warning, of another kind. */
  text(key: string): string | undefined;
  /** A text that must be there and not be blank. Undefined: said already, the handler is left out. */
  needed(key: string): string | undefined;
  flag(key: string): boolean | undefined;
  choice<const C extends string>(key: string, choices: readonly C[]): C | undefined;
  texts(key: string): readonly string[] | undefined;
  object(key: string): Readonly<Record<string, unknown>> | undefined;
  /** Says something about a key, at its line. */
  warn(key: string, message: string): void;
}

export function fieldsOf(node: SourceNode & { readonly members: Members }, report: Report): Fields {
  /** The key as it is written. */
  const written = (key: string): string =>
    !node.members.has(key) && node.members.has(snakeCase(key)) ? snakeCase(key) : key;
  const find = (key: string): SourceNode | undefined => {
    const found = node.members.get(written(key));
    return found?.value === null ? undefined : found;
  };
  const warn = (key: string, message: string): void => report.warn(find(key)?.line ?? node.line, message);
  const wrong = (key: string, wanted: string, found: unknown): undefined => {
    warn(key, `${written(key)} must be ${wanted}, but is ${kindOf(found)}; it is left out`);
    return undefined;
  };
  const read =
    <T>(wanted: string, accepts: (value: unknown) => value is T) =>
    (key: string): T | undefined => {
      const value = find(key)?.value;
      if (value === undefined || accepts(value)) return value;
      return wrong(key, wanted, value);
    };
  const text = read("a text", (value) => typeof value === "string");
  return {
    line: node.line,
    find,
    warn,
    text,
    needed(key) {
      const value = find(key)?.value;
      if (typeof value === "string" && value.trim() !== "") return value;
      const state = value === undefined ? "is missing" : typeof value === "string" ? "is blank" : `is ${kindOf(value)}`;
      warn(key, `the handler is left out: its ${written(key)} ${state}, and it must be a text`);
      return undefined;
    },
    flag: read("true or false", (value) => typeof value === "boolean"),
    choice(key, choices) {
      const value = find(key)?.value;
      if (value === undefined) return undefined;
      const found = choices.find((choice) => choice === value);
      if (found !== undefined) return found;
      const near = typeof value === "string" ? nearest(value, choices) : undefined;
      const advice = near === undefined ? `it may be ${choices.join(" or ")}` : `did you mean ${near}?`;
      const state = typeof value === "string" ? JSON.stringify(value) : kindOf(value);
      warn(key, `${written(key)} is ${state} and is left out; ${advice}`);
      return undefined;
    },
    texts: read("a list of texts", isTexts),
    object: read("an object", isObject),
  };
}

export const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((item) => typeof item === "string");

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
