import type { ToolOutcome } from "#agent";

/** The result contract of docs/reference/tools.md: a JSON object as text. Keys without a value are left out. */
export function answer(result: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(result);
}

/** A failure that the model reads: `{"error": …}` and what else it needs to do better. */
export function failure(error: string, more: Readonly<Record<string, unknown>> = {}): ToolOutcome {
  return { content: JSON.stringify({ error, ...more }), isError: true };
}
