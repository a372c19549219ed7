import type { ToolCall } from "#kernel";

type Parsed = Pick<ToolCall, "args" | "malformed" | "repaired">;

/**
 * The arguments of a tool call from the model's text. Broken JSON is mended where its meaning is beyond doubt and marked
 * `repaired`; a text that may have been cut off is never completed, since half a file would be written as if it were whole.
 */
export async function parseArguments(text: string): Promise<Parsed> {
  const trimmed = text.trim();
  if (trimmed === "" || trimmed === "null") return { args: {} };
  const plain = asObject(trimmed);
  if (plain) return { args: plain };
  const inner = withoutFence(trimmed);
  const unfenced = asObject(inner);
  if (unfenced) return { args: unfenced, repaired: true };
  if (!looksWhole(inner)) return { args: {}, malformed: text };
  const { jsonrepair } = await import("jsonrepair");
  try {
    const mended = asObject(jsonrepair(inner));
    return mended ? { args: mended, repaired: true } : { args: {}, malformed: text };
  } catch {
    return { args: {}, malformed: text };
  }
}

/** Objects, and objects that were put into a JSON string once more. */
function asObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "string" && value.trim().startsWith("{")) return asObject(value);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function withoutFence(text: string): string {
  return /^```(?:json)?\s*\n?([\s\S]*?)\n?```$/i.exec(text)?.[1]?.trim() ?? text;
}

/** From brace to brace, every string ended and every bracket closed. */
function looksWhole(text: string): boolean {
  if (!text.startsWith("{") || !text.endsWith("}")) return false;
  const bare = text.replace(/\\[\s\S]/g, "").replace(/"[^"]*"/g, "");
  return !bare.includes('"') && count(bare, "{") === count(bare, "}") && count(bare, "[") === count(bare, "]");
}

function count(text: string, character: string): number {
  return text.split(character).length - 1;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
