import type { Message } from "#kernel";
import { SessionError } from "./error.ts";
import { markdownHead, markdownMessage } from "./markdown.ts";
import type { SessionRecord, SessionStore, StoredMessage } from "./store.ts";

export type ExportFormat = "json" | "jsonl" | "markdown";

export interface ExportOptions {
  readonly format: ExportFormat;
  /** Masks what is secret in a text that stands under a key. */
  readonly redact: (text: string, key: string) => string;
}

/** One message of an export; docs/reference/sessions.md, "Export". */
type ExportedMessage = Message & {
  readonly seq: number;
  readonly turnId: string;
  readonly at: string;
  readonly active: boolean;
};

const PAGE = 500;

/** A session as text, piece by piece, with all its messages in the order in which they were stored. Throws `not_found` before the first piece. */
export async function* exportSession(
  store: Pick<SessionStore, "find" | "messages">,
  sessionId: string,
  options: ExportOptions,
): AsyncGenerator<string, void, undefined> {
  const session = await store.find(sessionId);
  if (session === undefined) throw new SessionError("not_found", `There is no session ${sessionId} to export.`);
  const write = writers[options.format];
  yield write.head(redacted(session, options));
  let first = true;
  for (let afterSeq = 0; ; ) {
    const page = await store.messages(sessionId, { inactive: true, afterSeq, limit: PAGE });
    const last = page.at(-1);
    if (last === undefined) break;
    const pieces: string[] = [];
    for (const stored of page) {
      pieces.push(write.message(redacted(exported(stored), options), first));
      first = false;
    }
    yield pieces.join("");
    afterSeq = last.seq;
  }
  yield write.foot;
}

interface Writer {
  readonly head: (session: SessionRecord) => string;
  readonly message: (message: ExportedMessage, first: boolean) => string;
  readonly foot: string;
}

const writers: Readonly<Record<ExportFormat, Writer>> = {
  json: {
    head: (session) => `{"session":${JSON.stringify(dated(session))},"messages":[`,
    message: (message, first) => `${first ? "" : ","}\n${JSON.stringify(message)}`,
    foot: "\n]}\n",
  },
  jsonl: {
    head: (session) => `${JSON.stringify({ type: "session", ...dated(session) })}\n`,
    message: (message) => `${JSON.stringify({ type: "message", ...message })}\n`,
    foot: "",
  },
  markdown: { head: markdownHead, message: markdownMessage, foot: "" },
};

function exported({ seq, turnId, at, active, message }: StoredMessage): ExportedMessage {
  return { seq, turnId, at: new Date(at).toISOString(), active, ...message };
}

function dated(session: SessionRecord): object {
  const date = (at: number | undefined) => (at === undefined ? undefined : new Date(at).toISOString());
  const { startedAt, lastActiveAt, endedAt } = session;
  return { ...session, startedAt: date(startedAt), lastActiveAt: date(lastActiveAt), endedAt: date(endedAt) };
}

/** The value with every text in it redacted, however deep it lies. */
function redacted<T>(value: T, { redact }: ExportOptions): T {
  const walk = (each: unknown, key: string): unknown => {
    if (typeof each === "string") return redact(each, key);
    if (Array.isArray(each)) return each.map((item) => walk(item, key));
    if (typeof each !== "object" || each === null) return each;
    return Object.fromEntries(Object.entries(each).map(([name, inner]) => [name, walk(inner, name)]));
  };
  return walk(value, "") as T;
}
