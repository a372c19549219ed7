import type { Usage } from "#kernel";
import type { SessionRecord } from "../store.ts";
import type { SqlRow, SqlValue } from "./database.ts";

export type SessionChange = Partial<
  Pick<SessionRecord, "title" | "model" | "provider" | "systemPrompt" | "cwd" | "endedAt" | "endReason">
>;

export function sessionRecord(row: SqlRow): SessionRecord {
  return {
    id: text(row["id"]) ?? "",
    source: text(row["source"]) ?? "",
    cwd: text(row["cwd"]) ?? "",
    model: text(row["model"]) ?? "",
    provider: text(row["billing_provider"]) ?? "",
    parentSessionId: text(row["parent_session_id"]),
    title: text(row["title"]),
    systemPrompt: text(row["system_prompt"]),
    startedAt: milliseconds(row["started_at"]) ?? 0,
    lastActiveAt: milliseconds(row["last_activity_at"]) || (milliseconds(row["started_at"]) ?? 0),
    endedAt: milliseconds(row["ended_at"]),
    endReason: text(row["end_reason"]),
    messageCount: Number(row["message_count"]),
    usage: usage(row),
  };
}

function usage(row: SqlRow): Usage {
  const cost = row["estimated_cost_usd"];
  return {
    inputTokens: Number(row["input_tokens"]),
    outputTokens: Number(row["output_tokens"]),
    cacheReadTokens: Number(row["cache_read_tokens"]),
    cacheWriteTokens: Number(row["cache_write_tokens"]),
    reasoningTokens: Number(row["reasoning_tokens"]),
    ...(typeof cost === "number" && { costUsd: cost }),
  };
}

const columns: { readonly [K in keyof SessionChange]-?: string } = {
  title: "title",
  model: "model",
  provider: "billing_provider",
  systemPrompt: "system_prompt",
  cwd: "cwd",
  endedAt: "ended_at",
  endReason: "end_reason",
};

/** Assignments for an UPDATE; a key that is there with `undefined` clears its column. */
export function assignments(change: SessionChange): { readonly text: string; readonly values: readonly SqlValue[] } {
  const keys = (Object.keys(columns) as (keyof SessionChange)[]).filter((key) => key in change);
  return {
    text: keys.map((key) => `${columns[key]} = ?`).join(", "),
    values: keys.map((key) => {
      const value = change[key];
      if (value === undefined) return null;
      return typeof value === "number" ? value / 1000 : value;
    }),
  };
}

function text(value: SqlValue | undefined): string | undefined {
  return value === null || value === undefined ? undefined : String(value);
}

function milliseconds(value: SqlValue | undefined): number | undefined {
  return value === null || value === undefined ? undefined : Math.round(Number(value) * 1000);
}
