import { join } from "node:path";
import { after, remove } from "#host";
import type { StoredMessage } from "./store.ts";
import { type TranscriptFile, type TranscriptSource, transcriptFile } from "./transcript-file.ts";

export interface TranscriptOptions extends TranscriptSource {
  /** Absolute; made when the first line is written. */
  readonly folder: string;
  /** Told once per session when its file cannot be written; the messages are in the store. */
  readonly warn: (message: string) => void;
}

/** JSONL files in Claude's form, one per session, for hooks that read a transcript. They are copies: the store is the truth. */
export interface Transcripts {
  /** Absolute; the file is there after the first `flush`. */
  path(sessionId: string): string;
  /**
   * Takes messages that have just been stored; they are written soon, in the background, in order. A file that lacks the
   * most of a long session waits for the first `flush`.
   */
  add(sessionId: string, stored: readonly StoredMessage[]): void;
  /** Settles when all that was added is in the file, and makes the file where there is none. Never rejects. */
  flush(sessionId: string): Promise<void>;
  /** Settles when all that was added to any session is in its file. Never rejects. */
  settled(): Promise<void>;
  /** Deletes the files. */
  remove(sessionIds: readonly string[]): Promise<void>;
}

/** What is added within so many milliseconds is written at once. */
const togetherMs = 100;

interface Writer {
  readonly file: TranscriptFile;
  queue: Promise<void>;
  waiting: StoredMessage[];
  /** A write of what waits is to come; calling it off. */
  callOff: (() => void) | undefined;
  opened: boolean;
  /** Much is missing, and nobody has asked for the file so far. */
  putOff: boolean;
  warned: boolean;
}

export function transcripts(options: TranscriptOptions): Transcripts {
  const writers = new Map<string, Writer>();
  const path = (sessionId: string) => join(options.folder, `${sessionId.replaceAll(/[^\w.-]/g, "_")}.jsonl`);

  const writer = (sessionId: string): Writer => {
    const known = writers.get(sessionId);
    if (known !== undefined) return known;
    const file = transcriptFile(sessionId, path(sessionId), options);
    const made: Writer = {
      file,
      queue: Promise.resolve(),
      waiting: [],
      callOff: undefined,
      opened: false,
      putOff: false,
      warned: false,
    };
    writers.set(sessionId, made);
    return made;
  };

  const work = async (sessionId: string, each: Writer, isAsked: boolean): Promise<void> => {
    if (each.opened && each.waiting.length === 0) return;
    const batch = each.waiting;
    each.waiting = [];
    if (each.putOff && !isAsked) return;
    try {
      each.opened = await each.file(batch, isAsked);
      each.putOff = !each.opened;
    } catch (error) {
      // What was lost here is taken from the store when the file can be written again.
      each.opened = false;
      if (!each.warned) options.warn(`The transcript ${path(sessionId)} is not up to date: ${String(error)}`);
      each.warned = true;
    }
  };

  const write = (sessionId: string, isAsked: boolean): Promise<void> => {
    const each = writer(sessionId);
    each.callOff?.();
    each.callOff = undefined;
    each.queue = each.queue.then(() => work(sessionId, each, isAsked));
    return each.queue;
  };

  return {
    path,
    flush: (sessionId) => write(sessionId, true),
    add: (sessionId, stored) => {
      const each = writer(sessionId);
      for (const one of stored) each.waiting.push(one);
      each.callOff ??= after(togetherMs, () => void write(sessionId, false));
    },
    settled: async () => {
      for (const [sessionId, { callOff, queue }] of writers)
        await (callOff === undefined ? queue : write(sessionId, false));
    },
    remove: async (sessionIds) => {
      for (const sessionId of sessionIds) {
        const each = writers.get(sessionId);
        each?.callOff?.();
        await each?.queue;
        writers.delete(sessionId);
        await remove(path(sessionId));
      }
    },
  };
}
