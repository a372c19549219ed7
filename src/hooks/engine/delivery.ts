import type { HookContext, HookPorts } from "../hook-context.ts";
import { spilled } from "../spill.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Answer fields that are texts for the model or the person. */
const texts = ["reminder", "context", "notice", "initialMessage"] as const;

interface Delivery {
  readonly context: HookContext;
  readonly ports: HookPorts;
  /** Names the files. */
  readonly name: string;
}

/** An answer whose long texts are in files of the session, each with a preview in its place. */
export async function shortened(answer: Fields, delivery: Delivery): Promise<Fields> {
  let changed: Record<string, unknown> | undefined;
  for (const field of texts) {
    const value = answer[field];
    const given: readonly unknown[] = Array.isArray(value) ? value : [value];
    const kept = await Promise.all(given.map((text, index) => fitted(text, `${field}-${index}`, delivery)));
    if (kept.every((text, index) => text === given[index])) continue;
    changed ??= { ...answer };
    changed[field] = Array.isArray(value) ? kept : kept[0];
  }
  return changed ?? answer;
}

async function fitted(text: unknown, field: string, { context, ports, name }: Delivery): Promise<unknown> {
  if (typeof text !== "string") return text;
  return spilled(text, { ports, sessionId: context.sessionId, name: `hook-${name}-${field}` });
}
