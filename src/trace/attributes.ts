import type { Attributes } from "./span.ts";

/** Masks what is secret in a text that stands under a key. */
export type Redact = (text: string, key: string) => string;

const MOST = 32;
const LONGEST = 512;
/** Only this much of a text is looked through for secrets; no more of it could be kept. */
const LOOKED_AT = 4096;

/** The first attributes, their texts redacted and cut. Whatever is no plain value is left out. */
export function boundedAttributes(attributes: Attributes, redact: Redact): Attributes {
  const kept = Object.entries(attributes)
    .filter(([, value]) => isPlain(value))
    .slice(0, MOST);
  return Object.fromEntries(kept.map(([key, value]) => [key, bounded(key, value, redact)]));
}

function isPlain(value: unknown): boolean {
  return (
    typeof value === "string" || typeof value === "boolean" || (typeof value === "number" && Number.isFinite(value))
  );
}

function bounded(key: string, value: string | number | boolean, redact: Redact): string | number | boolean {
  return typeof value === "string" ? cut(redacted(value.slice(0, LOOKED_AT), key, redact)) : value;
}

function redacted(text: string, key: string, redact: Redact): string {
  try {
    return redact(text, key);
  } catch {
    // A text that could not be looked through is not shown.
    return "[not shown]";
  }
}

function cut(text: string): string {
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST - 1).toWellFormed()}…`;
}
