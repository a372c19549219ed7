import { isTimeZone } from "#host";
import type { Key, Shape } from "./key.ts";

export type Reading = { readonly value: unknown } | { readonly expected: string };

/** What a value must be, in words: `a whole number from 1`. */
export function describeShape(shape: Shape): string {
  switch (shape.kind) {
    case "text":
      return "text";
    case "time zone":
      return "a time zone such as Europe/Berlin";
    case "choice":
      return `one of ${shape.choices.map((name) => (name === "" ? '""' : name)).join(", ")}`;
    case "integer":
      return `a whole number${describeBounds(shape)}`;
    case "number":
      return `a number${describeBounds(shape)}`;
    case "switch":
      return "true or false";
    case "texts":
      return "a list of texts";
    case "mapping":
      return "a mapping";
    case "list":
      return "a list";
    case "anything":
      return "anything";
  }
}

function describeBounds({ min, max }: { readonly min?: number; readonly max?: number }): string {
  if (min !== undefined && max !== undefined) return ` from ${min} to ${max}`;
  if (min !== undefined) return ` from ${min}`;
  return max === undefined ? "" : ` up to ${max}`;
}

/** What was found instead, in words; a long one is cut, a secret is not shown. */
export function describeFound(value: unknown, key?: Key): string {
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object" && value !== null) return "a mapping";
  if (value === null || value === undefined) return "nothing";
  if (key?.secret === true) return "a value of another kind";
  const text = typeof value === "string" ? JSON.stringify(value) : String(value);
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}

const isMapping = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const yes = new Set(["true", "yes", "on", "1"]);
const no = new Set(["false", "no", "off", "0"]);

/** Reads a value from the file as the key's shape wants it; numbers and switches may be written as text. */
export function readValue(key: Key, value: unknown): Reading {
  if (typeof value === "boolean" && key.words !== undefined) {
    const word = value ? key.words.true : key.words.false;
    if (word !== undefined) return { value: word };
  }
  return readShape(key.shape, value) ?? { expected: describeShape(key.shape) };
}

function readShape(shape: Shape, value: unknown): Reading | undefined {
  switch (shape.kind) {
    case "text":
      return readPlainText(value);
    case "time zone":
      return typeof value === "string" && (value === "" || isTimeZone(value)) ? { value } : undefined;
    case "choice":
      return readChoice(shape.choices, value);
    case "integer":
    case "number":
      return readNumber(shape, value);
    case "switch":
      return readSwitch(value);
    case "texts":
      return readTexts(value);
    case "mapping":
      return isMapping(value) ? { value } : undefined;
    case "list":
      return Array.isArray(value) ? { value } : undefined;
    case "anything":
      return { value };
  }
}

function readPlainText(value: unknown): Reading | undefined {
  if (typeof value === "string") return { value };
  return typeof value === "number" ? { value: String(value) } : undefined;
}

function readChoice(choices: readonly string[], value: unknown): Reading | undefined {
  if (typeof value !== "string" && typeof value !== "number") return undefined;
  const wanted = String(value).trim().toLowerCase();
  const found = choices.find((name) => name.toLowerCase() === wanted);
  return found === undefined ? undefined : { value: found };
}

type Numeric = Extract<Shape, { readonly kind: "integer" | "number" }>;

function readNumber(shape: Numeric, value: unknown): Reading | undefined {
  const read =
    typeof value === "string" && /^\s*[-+]?(\d[\d_]*)?(\.\d+)?(e[-+]?\d+)?\s*$/i.test(value) && value.trim() !== ""
      ? Number(value.replaceAll("_", ""))
      : value;
  if (typeof read !== "number" || !Number.isFinite(read)) return undefined;
  if (shape.kind === "integer" && !Number.isSafeInteger(read)) return undefined;
  if (read < (shape.min ?? Number.NEGATIVE_INFINITY) || read > (shape.max ?? Number.POSITIVE_INFINITY))
    return undefined;
  return { value: read };
}

function readSwitch(value: unknown): Reading | undefined {
  if (typeof value === "boolean") return { value };
  const word = typeof value === "string" || typeof value === "number" ? String(value).trim().toLowerCase() : "";
  if (yes.has(word)) return { value: true };
  return no.has(word) ? { value: false } : undefined;
}

function readTexts(value: unknown): Reading | undefined {
  if (typeof value === "string") return { value: value.trim() === "" ? [] : [value] };
  if (!Array.isArray(value)) return undefined;
  if (!value.every((item) => ["string", "number"].includes(typeof item))) return undefined;
  return { value: value.map(String) };
}

/** Reads a value from text, as an environment variable or a command line gives it. Lists are separated by commas. */
export function readText(key: Key, text: string): Reading {
  const { kind } = key.shape;
  if (kind === "texts") {
    const items = text.split(",").map((item) => item.trim());
    return { value: items.filter((item) => item !== "") };
  }
  if (kind === "mapping" || kind === "list" || kind === "anything") {
    try {
      return readValue(key, JSON.parse(text));
    } catch {
      return { expected: `${describeShape(key.shape)} in JSON` };
    }
  }
  return readValue(key, text);
}
