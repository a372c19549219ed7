import type { ContentPart } from "#kernel";
import type { RunningTurn } from "./running-turn.ts";
import { textOf } from "./tokens.ts";
import type { Tool, ToolOutcome } from "./tool.ts";

export type Content = string | readonly ContentPart[];

/** Characters of a result that the transcript keeps where the tool names no limit. */
const defaultLimit = 100_000;
/** Characters that the results of one batch may hold together. */
export const batchBudget = 200_000;

export interface Outcome {
  readonly content: Content;
  readonly status: "ok" | "error" | "blocked" | "cancelled";
  readonly errorType: string | null;
  readonly errorMessage: string | null;
}

function reportedError(text: string): string | undefined {
  if (!text.startsWith("{") || !text.includes('"error"')) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    const error = typeof value === "object" && value !== null && "error" in value ? value.error : undefined;
    if (error === undefined || error === null || error === "" || error === false || error === 0) return undefined;
    return typeof error === "string" ? error : JSON.stringify(error);
  } catch (error) {
    // A result need not be JSON.
    return error instanceof SyntaxError ? undefined : String(error);
  }
}

function isPart(value: unknown): boolean {
  return (
    typeof value === "object" && value !== null && "type" in value && (value.type === "text" || value.type === "image")
  );
}

/** Wrappers in other languages may return anything. */
function isOutcome(value: unknown): value is ToolOutcome {
  if (typeof value === "string") return true;
  if (typeof value !== "object" || value === null || !("content" in value)) return false;
  return typeof value.content === "string" || (Array.isArray(value.content) && value.content.every(isPart));
}

/** What a tool returned, with the failure it reports by custom: a JSON object with a truthy `error`. */
export function outcomeOf(returned: unknown): Outcome {
  if (!isOutcome(returned))
    return outcomeOf(returned === undefined || returned === null ? "" : JSON.stringify(returned));
  const content = typeof returned === "string" ? returned : returned.content;
  const text = textOf(content);
  const failed = typeof returned !== "string" && returned.isError === true;
  const error = reportedError(text) ?? (failed ? text : undefined);
  if (error === undefined) return { content, status: "ok", errorType: null, errorMessage: null };
  return { content, status: "error", errorType: "tool_error", errorMessage: error };
}

export function failedOutcome(status: "error" | "blocked" | "cancelled", type: string, text: string): Outcome {
  return { content: JSON.stringify({ error: text }), status, errorType: type, errorMessage: text };
}

async function spilled(turn: RunningTurn, name: string, text: string, limit: number): Promise<string> {
  const head = text.slice(0, Math.max(0, limit));
  try {
    const path = await turn.ports.spill(turn.memory.id, name, text);
    return `${head}\n\n[Result cut: ${head.length} of ${text.length} characters. All of it is in ${path}; read the part you need.]`;
  } catch (error) {
    turn.ports.log("warning", `a long result could not be written to a file: ${String(error)}`);
    return `${head}\n\n[Result cut: ${head.length} of ${text.length} characters; the rest could not be kept.]`;
  }
}

/** The result as far as it goes into the transcript; what is too long goes to a file, its head stays. */
export async function limited(
  turn: RunningTurn,
  { tool, callId }: { readonly tool: Tool; readonly callId: string },
  content: Content,
  budget: { remaining: number },
): Promise<Content> {
  const limit = Math.max(2_000, Math.min(tool.resultLimit ?? defaultLimit, budget.remaining));
  // Taken before anything is awaited: results that end together share one budget.
  budget.remaining -= Math.min(limit, textOf(content).length);
  if (typeof content === "string")
    return content.length <= limit ? content : spilled(turn, `${tool.name}-${callId}.txt`, content, limit);
  let left = limit;
  const parts: ContentPart[] = [];
  for (const [index, part] of content.entries()) {
    if (part.type !== "text" || part.text.length <= left) parts.push(part);
    else
      parts.push({ type: "text", text: await spilled(turn, `${tool.name}-${callId}-${index}.txt`, part.text, left) });
    if (part.type === "text") left = Math.max(0, left - part.text.length);
  }
  return parts;
}
