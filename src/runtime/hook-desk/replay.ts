import { readTextIfExists } from "#host";
import type { EventName } from "#kernel";
import { journalFile, type RecordedEvent } from "../hooks/event-journal.ts";
import type { Desk } from "./desk.ts";

/** One recorded event, and what the hooks of now say to it. */
export interface ReplayedEvent {
  readonly event: string;
  readonly at: number;
  /** The tool or the beginning of the prompt. */
  readonly subject: string;
  readonly recorded: string;
  readonly now: string | null;
  readonly outcome: "same" | "different" | "not comparable";
  readonly reason: string | null;
}

const mostBytes = 64 << 20;

/**
 * Asks the hooks of now about the recorded events of a session. The hooks run; of the agent nothing does. Undefined
 * where nothing was recorded.
 */
export async function replay(desk: Desk, sessionId: string): Promise<readonly ReplayedEvent[] | undefined> {
  const file = await readTextIfExists(journalFile(desk.house.home.path, sessionId), { maxBytes: mostBytes });
  if (file === undefined) return undefined;
  const events = file.text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => JSON.parse(line) as RecordedEvent);
  const context = desk.context(sessionId);
  const replayed: ReplayedEvent[] = [];
  for (const event of events) replayed.push(await replayOne(desk, event, context));
  return replayed;
}

async function replayOne(
  { layer }: Desk,
  given: RecordedEvent,
  context: ReturnType<Desk["context"]>,
): Promise<ReplayedEvent> {
  const facts = { event: given.event, at: given.at, subject: subjectOf(given.payload) };
  const before = decisionOf(given);
  const hidden = given.payload === null ? "what hooks were told was too long to be kept" : given.masked;
  if (given.payload === null || hidden !== false) {
    const reason =
      hidden === true
        ? "secrets were taken out of what hooks were told (trace.payloads: full keeps them)"
        : String(hidden);
    return { ...facts, recorded: before, now: null, outcome: "not comparable", reason };
  }
  const fire = layer.plan.on[given.event as EventName] as ((payload: object, context: object) => unknown) | undefined;
  const answer = await fire?.(given.payload, { ...context, cwd: given.cwd });
  const after = decisionOf(answerOf(answer));
  const reason = answerOf(answer).reason;
  return { ...facts, recorded: before, now: after, outcome: before === after ? "same" : "different", reason };
}

type Decision = Pick<RecordedEvent, "verdict" | "reason" | "halt" | "args">;

function answerOf(answer: unknown): Decision {
  const { verdict, halt, args } = (answer ?? {}) as {
    readonly verdict?: { readonly decision: string; readonly reason?: string };
    readonly halt?: string;
    readonly args?: object;
  };
  return {
    verdict: verdict?.decision ?? null,
    reason: verdict?.reason ?? null,
    halt: halt ?? null,
    args: args ?? null,
  };
}

/** A decision as one text: verdict, rewritten arguments, end of the turn. */
function decisionOf({ verdict, halt, args }: Decision): string {
  const parts = [
    ...(verdict === null ? [] : [verdict]),
    ...(args === null ? [] : [`rewrite ${JSON.stringify(args)}`]),
    ...(halt === null ? [] : ["ends the turn"]),
  ];
  return parts.length === 0 ? "no opinion" : parts.join(", ");
}

function subjectOf(payload: object | null): string {
  const { toolName, args, userMessage } = (payload ?? {}) as {
    readonly toolName?: string;
    readonly args?: Readonly<Record<string, unknown>>;
    readonly userMessage?: unknown;
  };
  const detail = args === undefined ? "" : ` ${Object.values(args).find((value) => typeof value === "string") ?? ""}`;
  const text = toolName === undefined ? (typeof userMessage === "string" ? userMessage : "") : `${toolName}${detail}`;
  return (text.split("\n", 1)[0] ?? "").slice(0, 60);
}
