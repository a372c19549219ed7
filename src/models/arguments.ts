import type { ToolCall } from "#kernel";

/** The arguments of a tool call from the model's text. What is no JSON object is kept as `malformed`: the loop decides what can be mended. */
export function parseArguments(text: string): Pick<ToolCall, "args" | "malformed"> {
  const trimmed = text.trim();
  if (trimmed === "" || trimmed === "null") return { args: {} };
  const args = asObject(trimmed);
  return args ? { args } : { args: {}, malformed: text };
}

/** Objects, and objects that were put into a JSON string once more. */
function asObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "string" && value.trim().startsWith("{")) return asObject(value);
    return isRecord(value) ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
