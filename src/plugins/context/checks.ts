import { PluginError } from "../error.ts";

export type Values = Readonly<Record<string, unknown>>;

export const isMapping = (value: unknown): value is Values =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const invalid = (message: string): PluginError => new PluginError("invalid_registration", message);

/** What `register…` was given, as an object; throws for anything else. */
export function given(method: string, value: unknown): Values {
  if (isMapping(value) || (typeof value === "object" && value !== null)) return value as Values;
  throw invalid(`${method} takes one object, and was given ${described(value)}`);
}

export function needsText(method: string, values: Values, key: string): string {
  const value = values[key];
  if (typeof value === "string" && value.trim() !== "") return value;
  throw invalid(`${method}: ${key} has to be a text that is not empty, and is ${described(value)}`);
}

export function needsFunction(method: string, values: Values, key: string): void {
  if (typeof values[key] !== "function")
    throw invalid(`${method}: ${key} has to be a function, and is ${described(values[key])}`);
}

const plainNames = new Map<unknown, string>([
  [undefined, "missing"],
  [null, "null"],
]);

export function described(value: unknown): string {
  const plain = plainNames.get(value);
  if (plain !== undefined) return plain;
  if (typeof value === "string") return JSON.stringify(value.slice(0, 60));
  if (typeof value === "function") return "a function";
  if (typeof value !== "object") return String(value);
  return Array.isArray(value) ? "a list" : "an object";
}

/** How a callback is called in logs. */
export const nameOf = (callback: unknown): string =>
  typeof callback === "function" && callback.name !== "" ? callback.name : "(anonymous)";
