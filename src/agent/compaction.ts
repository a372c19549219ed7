import type { MaybePromise } from "#kernel";
import type { StoredMessage } from "#sessions";
import { compactionCut } from "./compaction-cut.ts";
import { engineReplacement, hasContent, type Replacement } from "./compaction-engine.ts";
import type { Compacted, Compaction } from "./compaction-job.ts";
import type { CompactionEngine } from "./context-engine.ts";
import { AgentError, errorText, isAgentError } from "./error.ts";
import { raced } from "./interrupt.ts";
import { paired } from "./pairing.ts";
import { helperFor, sideQuestion } from "./side-call.ts";
import { spend } from "./spending.ts";
import { summaryInstructions, summaryMessage, summaryQuestion } from "./summary.ts";

function raceOf<T>(value: MaybePromise<T> | undefined, signal: AbortSignal): Promise<T | undefined> {
  return raced(Promise.resolve(value), signal);
}

async function refusedBy(job: Compaction, count: number): Promise<string | undefined> {
  const { memory, context, trigger } = job;
  const payload = {
    sessionId: memory.id,
    trigger,
    customInstructions: job.instructions ?? null,
    messageCount: count,
  };
  const answer = await raceOf(context.plan.on.pre_compact?.(payload, context), context.signal);
  const verdict = answer?.verdict;
  return verdict?.decision === "deny" ? (verdict.reason ?? "a hook refused it") : undefined;
}

async function summarise(job: Compaction, middle: readonly StoredMessage[]): Promise<string | undefined> {
  const { memory, context, ports, surface } = job;
  // Characters that fit into six tenths of the window at four characters to a token.
  const limit = Math.floor(memory.route.current.contextWindow * 0.6 * 4);
  const question = { system: summaryInstructions, text: summaryQuestion(middle, limit, job.instructions) };
  try {
    const helper = await helperFor(memory, ports, "compression");
    const text = await sideQuestion(helper, question, context.signal, (usage) => spend(memory, ports, usage));
    if (text.trim() !== "") return text.trim();
    surface.emit({
      type: "notice",
      level: "warning",
      text: "The summary of the earlier conversation came back empty.",
    });
  } catch (error) {
    if (context.signal.aborted || isAgentError(error, "interrupted")) throw error;
    const text = `The earlier conversation could not be summarised: ${errorText(error)}`;
    surface.emit({ type: "notice", level: "warning", text });
  }
  return undefined;
}

async function tellAfter(job: Compaction, summary: string): Promise<void> {
  const { memory, context, surface, trigger } = job;
  const payload = {
    sessionId: memory.id,
    trigger,
    compactSummary: summary,
    messageCount: memory.history.messages.length,
  };
  const answer = await raceOf(context.plan.on.post_compact?.(payload, context), context.signal);
  for (const text of answer?.notice ?? []) surface.emit({ type: "notice", level: "info", text });
}

function cutOf(job: Compaction): readonly StoredMessage[] {
  const { memory, settings, trigger } = job;
  const room = memory.route.current.contextWindow * settings.threshold;
  // Reminders may be stored between the results of one answer: the cut must not fall there.
  return compactionCut(paired(memory.history.messages), {
    protectFirst: settings.protectFirst,
    protectLast: trigger === "manual" ? Math.min(settings.protectLast, 4) : settings.protectLast,
    tailTokens: Math.floor(room * settings.targetRatio),
  });
}

/** What is to stand for the older part; undefined where no summary could be made and room is not urgent. */
async function replacementFor(
  job: Compaction,
  middle: readonly StoredMessage[],
  engine: CompactionEngine | undefined,
): Promise<Replacement | undefined> {
  const made = engine === undefined ? undefined : await engineReplacement(job, engine);
  if (made !== undefined) return made;
  if (middle.length === 0) return { old: [], messages: [], summary: "" };
  const summary = await summarise(job, middle);
  if (summary === undefined && !job.forced) return undefined;
  return { old: middle, messages: [summaryMessage(middle, summary)], summary: summary ?? "" };
}

/** The place of the new text, or of the person's last words in it. */
async function replaced({ memory }: Compaction, { old, messages }: Replacement): Promise<number> {
  const seqs = old.map(({ seq }) => seq);
  if (messages.length > 0) {
    const stored = await memory.history.replace(seqs, messages);
    return (stored.findLast(({ message }) => message.role === "user") ?? stored[0])?.seq ?? 0;
  }
  await memory.history.deactivate(seqs);
  return memory.history.messages.findLast(({ message }) => message.role === "user")?.seq ?? 0;
}

/**
 * Puts a summary in the place of the older part, or what the context engine makes of it. `nothing`: there is no older
 * part; `failed`: no summary could be made, and room is not urgent. Rejects with `compaction_refused` when a hook forbids it.
 */
export async function compact(job: Compaction): Promise<Compacted | "nothing" | "failed"> {
  const { memory, context, surface, ports } = job;
  const before = memory.history.messages.length;
  const engine = ports.contextEngine?.();
  const middle = cutOf(job);
  if (engine === undefined ? middle.length === 0 : !(await hasContent(job, engine))) return "nothing";
  const refusal = await refusedBy(job, before);
  if (refusal !== undefined)
    throw new AgentError("compaction_refused", `The conversation was not summarised: ${refusal}`);
  const span = context.trace.start("compaction", job.trigger, { attributes: { messages: middle.length } });
  try {
    const replacement = await replacementFor(job, middle, engine);
    if (replacement === undefined || replacement.old.length + replacement.messages.length === 0) {
      span.end(replacement === undefined ? "error" : "ok");
      return replacement === undefined ? "failed" : "nothing";
    }
    const summarySeq = await replaced(job, replacement);
    const after = memory.history.messages.length;
    surface.emit({ type: "compaction", before, after });
    memory.startSource = "compact";
    await tellAfter(job, replacement.summary);
    span.set({ before, after });
    span.end("ok");
    return { before, after, seqs: new Set(replacement.old.map(({ seq }) => seq)), summarySeq };
  } catch (error) {
    span.end(context.signal.aborted ? "cancelled" : "error");
    throw error;
  }
}
