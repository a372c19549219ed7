import { dirname } from "node:path";
import { appendText, ensureDirectory, fileFacts, mendLineFile } from "#host";
import type { StoredMessage } from "./store.ts";
import {
  type ClaudeTools,
  type LineContext,
  type LinePlace,
  linePlace,
  type TranscriptFacts,
  transcriptLines,
} from "./transcript-line.ts";

export interface TranscriptSource {
  /** Talaria's version, as the lines name it. */
  readonly version: string;
  readonly tools: ClaudeTools;
  readonly facts: (sessionId: string) => TranscriptFacts | Promise<TranscriptFacts>;
  /** All messages of the session after a number, page by page: what a killed process or a full disk left out. */
  readonly stored: (sessionId: string, afterSeq: number) => Promise<readonly StoredMessage[]>;
}

/** How far a file goes. */
interface End {
  readonly bytes: number;
  readonly lastUuid: string | null;
  readonly last: LinePlace;
}

const START: LinePlace = { seq: 0, block: -1 };

/** A file that lacks so many messages or more is brought up to date only for somebody who reads it. */
const muchMissing = 300;

/**
 * Brings one session's file up to date with messages that are stored; false where much is missing and nobody asks for the
 * file. Rejects with a `HostError` or `SessionError` and can be called again.
 */
export type TranscriptFile = (messages: readonly StoredMessage[], isAsked: boolean) => Promise<boolean>;

export function transcriptFile(sessionId: string, path: string, source: TranscriptSource): TranscriptFile {
  /** Arguments of calls whose results have not come yet. */
  const calls = new Map<string, Readonly<Record<string, unknown>>>();
  let end: End | undefined;

  const append = async (from: End, messages: readonly StoredMessage[], context: LineContext): Promise<End> => {
    let { lastUuid, last } = from;
    let text = "";
    for (const stored of messages) {
      remember(calls, stored);
      for (const line of transcriptLines(stored, context)) {
        const place = linePlace(line.uuid) ?? START;
        if (!isAfter(place, last)) continue;
        text += `${JSON.stringify({ parentUuid: lastUuid, ...line })}\n`;
        lastUuid = line.uuid;
        last = place;
      }
      forget(calls, stored);
    }
    if (text !== "" || from.bytes === 0) await appendText(path, text);
    return { bytes: from.bytes + Buffer.byteLength(text), lastUuid, last };
  };

  const catchUp = async (from: End, context: LineContext, isAsked: boolean): Promise<End | undefined> => {
    let reached = from;
    // The last message may have been cut between two of its lines.
    for (let after = Math.max(0, from.last.seq - 1); ; ) {
      const page = await source.stored(sessionId, after);
      if (page.length === 0) return reached;
      if (!isAsked && page.length >= muchMissing) return undefined;
      reached = await append(reached, page, context);
      after = page.at(-1)?.seq ?? after;
    }
  };

  return async (messages, isAsked) => {
    const facts = await source.facts(sessionId);
    const argsOf = (callId: string) => calls.get(callId) ?? {};
    const context = { sessionId, version: source.version, facts, tools: source.tools, argsOf };
    const size = (await fileFacts(path))?.bytes;
    const known = end !== undefined && size === end.bytes ? end : undefined;
    end = undefined;
    const from = known ?? (await catchUp(await mend(path, size !== undefined, messages), context, isAsked));
    if (from === undefined) return false;
    end = await append(from, messages, context);
    return true;
  };
}

/** Looks at the end of the file as another process or a crash left it. */
async function mend(path: string, isThere: boolean, messages: readonly StoredMessage[]): Promise<End> {
  if (!isThere) await ensureDirectory(dirname(path), 0o700);
  const mended = await mendLineFile(path, (line) => parsed(line) !== undefined);
  if (mended?.lastLine === undefined) return { bytes: mended?.bytes ?? 0, lastUuid: null, last: START };
  const uuid = uuidOf(mended.lastLine);
  const place = uuid === undefined ? undefined : linePlace(uuid);
  // After a line of someone else's nobody knows what the file holds: go on with what is new.
  const before = { seq: (messages[0]?.seq ?? Number.MAX_SAFE_INTEGER) - 1, block: Number.MAX_SAFE_INTEGER };
  return { bytes: mended.bytes, lastUuid: uuid ?? null, last: place ?? before };
}

function isAfter(place: LinePlace, last: LinePlace): boolean {
  return place.seq > last.seq || (place.seq === last.seq && place.block > last.block);
}

function remember(calls: Map<string, Readonly<Record<string, unknown>>>, { message }: StoredMessage): void {
  if (message.role !== "assistant") return;
  for (const call of message.toolCalls ?? []) calls.set(call.id, call.args);
}

function forget(calls: Map<string, Readonly<Record<string, unknown>>>, { message }: StoredMessage): void {
  if (message.role === "tool") calls.delete(message.toolCallId);
}

function uuidOf(line: string): string | undefined {
  const read = parsed(line);
  return typeof read === "object" && read !== null && "uuid" in read && typeof read.uuid === "string"
    ? read.uuid
    : undefined;
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
