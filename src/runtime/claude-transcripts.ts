import { dirname, join } from "node:path";
import { exists, now, readStart } from "#host";
import { seenCall, toolResponse } from "#kernel";
import { type SessionStore, type TranscriptFacts, type Transcripts, transcripts } from "#sessions";
import type { House } from "./house.ts";

/** Transcripts in Claude's form, for hooks that read one, with tools as those hooks know them. */
export function claudeTranscripts({ home, log }: House, store: SessionStore, version: string): Transcripts {
  return transcripts({
    folder: folderOf(home.path),
    version,
    tools: {
      call: (toolName, args, cwd) => seenCall(toolName, args, undefined, { cwd }),
      response: (toolName, args, result) => toolResponse({ toolName, args, result }),
    },
    facts: (id) => facts(store, id),
    stored: (id, afterSeq) => store.messages(id, { inactive: true, afterSeq, limit: 500 }),
    warn: (message) => log.warning(message),
  });
}

/** Where the transcript of a session lies. */
export const transcriptFile = (home: string, sessionId: string): string =>
  join(folderOf(home), `${sessionId.replaceAll(/[^\w.-]/g, "_")}.jsonl`);

const folderOf = (home: string): string => join(home, "transcripts");

async function facts(store: SessionStore, id: string): Promise<TranscriptFacts> {
  const record = await store.find(id);
  const cwd = record?.cwd ?? "/";
  const branch = await branchOf(cwd);
  const parent = record?.source === "subagent" ? record.parentSessionId : undefined;
  return {
    cwd,
    ...(branch === undefined ? {} : { gitBranch: branch }),
    ...(parent === undefined ? {} : { sidechain: { parentSessionId: parent, agentId: id } }),
  };
}

/** How long what was read of a repository counts as true: a session writes many lines in one breath. */
const branchMs = 1_000;
let latest:
  | { readonly folder: string; readonly until: number; readonly branch: Promise<string | undefined> }
  | undefined;

function branchOf(folder: string): Promise<string | undefined> {
  if (latest?.folder !== folder || latest.until < now())
    latest = { folder, until: now() + branchMs, branch: gitBranch(folder) };
  return latest.branch;
}

/** The branch of the nearest repository above a folder, read from its HEAD; undefined outside one or on a detached head. */
async function gitBranch(folder: string): Promise<string | undefined> {
  for (let at = folder; ; at = dirname(at)) {
    const head = join(at, ".git", "HEAD");
    if (await exists(head))
      return /^ref: refs\/heads\/(.+)/.exec((await readStart(head, 1000))?.toString("utf8") ?? "")?.[1]?.trim();
    if (dirname(at) === at) return undefined;
  }
}
