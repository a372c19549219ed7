import type { ToolCall } from "#kernel";

type JsonObject = Readonly<Record<string, unknown>>;

/** Arguments of a call after repair, or why they cannot be used. */
export type Repaired = { readonly args: JsonObject } | { readonly problem: string };

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** True when text opens more brackets than it closes, or ends inside a string: an answer that was cut off. */
export function looksTruncated(text: string): boolean {
  let depth = 0;
  let quoted = false;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (quoted && character === "\\") index += 1;
    else if (character === '"') quoted = !quoted;
    else if (!quoted && (character === "{" || character === "[")) depth += 1;
    else if (!quoted && (character === "}" || character === "]")) depth -= 1;
  }
  return quoted || depth > 0;
}

function parseError(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    return `expected an object, got ${Array.isArray(value) ? "an array" : value === null ? "null" : typeof value}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

async function repair(text: string): Promise<unknown> {
  const { jsonrepair } = await import("jsonrepair");
  let value: unknown = JSON.parse(jsonrepair(text));
  // Some models encode the object twice.
  if (typeof value === "string" && value.trimStart().startsWith("{")) value = JSON.parse(jsonrepair(value));
  return value;
}

/**
 * Reads arguments that were no JSON object. Slips of form (quotes, commas, fences, double encoding) are repaired;
 * arguments that were cut off are not: half a file must never be written.
 */
export async function repairArguments(call: ToolCall, cutOff: boolean): Promise<Repaired> {
  const text = call.malformed;
  if (text === undefined) return { args: call.args };
  if (text.trim() === "") return { args: {} };
  const unfenced = text.replace(/^\s*```(?:json)?\s*|\s*```\s*$/g, "");
  if (cutOff || looksTruncated(unfenced))
    return {
      problem: `The arguments of ${call.name} were cut off (${text.length} characters arrived): nothing was run. Call it again in smaller pieces.`,
    };
  try {
    const value = await repair(unfenced);
    if (isObject(value)) return { args: value };
  } catch (error) {
    return { problem: invalid(call.name, text, error) };
  }
  return { problem: invalid(call.name, text) };
}

function invalid(name: string, text: string, cause?: unknown): string {
  const detail =
    cause instanceof Error && cause.message !== "" ? `${parseError(text)}; ${cause.message}` : parseError(text);
  return `The arguments of ${name} are no valid JSON object (${detail}): nothing was run. Call it again with valid JSON.`;
}

function allows(schema: JsonObject, type: string): boolean {
  const declared = schema["type"];
  return declared === type || (Array.isArray(declared) && declared.includes(type));
}

function numberFrom(value: string, integer: boolean): number | undefined {
  if (!/^\s*[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?\s*$/i.test(value)) return undefined;
  const parsed = Number(value);
  return Number.isFinite(parsed) && (!integer || Number.isInteger(parsed)) ? parsed : undefined;
}

function parsedAs(value: string, wanted: (parsed: unknown) => boolean): unknown {
  try {
    const parsed: unknown = JSON.parse(value);
    return wanted(parsed) ? parsed : undefined;
  } catch (error) {
    // No JSON: the text stays as it is, and the tool says what it makes of it.
    return error instanceof SyntaxError ? undefined : value;
  }
}

function fromString(value: string, schema: JsonObject): unknown {
  if (allows(schema, "string")) return undefined;
  if (allows(schema, "integer") || allows(schema, "number")) {
    const number = numberFrom(value, !allows(schema, "number"));
    if (number !== undefined) return number;
  }
  const word = value.trim().toLowerCase();
  if (allows(schema, "boolean") && (word === "true" || word === "false")) return word === "true";
  if (allows(schema, "null") && (word === "null" || word === "")) return null;
  if (allows(schema, "array") && value.trimStart().startsWith("[")) return parsedAs(value, Array.isArray);
  if (allows(schema, "object") && value.trimStart().startsWith("{")) return parsedAs(value, isObject);
  return undefined;
}

function coerced(value: unknown, schema: unknown): unknown {
  if (!isObject(schema)) return value;
  if (typeof value === "string") {
    const converted = fromString(value, schema);
    if (converted === undefined) return value;
    return typeof converted === "object" ? coerced(converted, schema) : converted;
  }
  if (typeof value === "number" && schema["type"] === "string") return String(value);
  if (Array.isArray(value)) return mapped(value, schema["items"]);
  return isObject(value) ? coerceArguments(value, schema) : value;
}

function mapped(values: readonly unknown[], schema: unknown): readonly unknown[] {
  const all = values.map((value) => coerced(value, schema));
  return all.some((value, index) => value !== values[index]) ? all : values;
}

/** Strings that stand for numbers, booleans, null, arrays or objects become what the schema asks for; the same object comes back when nothing changed. */
export function coerceArguments(args: JsonObject, schema: JsonObject): JsonObject {
  const properties = schema["properties"];
  if (!isObject(properties)) return args;
  let changed: Record<string, unknown> | undefined;
  for (const [key, value] of Object.entries(args)) {
    const next = Object.hasOwn(properties, key) ? coerced(value, properties[key]) : value;
    if (next === value) continue;
    changed ??= { ...args };
    changed[key] = next;
  }
  return changed ?? args;
}
