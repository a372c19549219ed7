import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Message } from "#kernel";
import { openSqliteStore, type SqliteStore } from "#sessions";

/** Milliseconds to open the store, load what the model sees and store a turn; the median of several runs. */
export interface SessionSizes {
  /** A session of 100 messages. */
  readonly small: number;
  /** 10,000 messages of which the model sees the last 100: the rest has been summed up. */
  readonly large: number;
  /** 10,000 messages that the model sees all. */
  readonly whole: number;
}

/** What a session's length costs in the store alone. */
export async function sessionSizes(runs = 15): Promise<SessionSizes> {
  const folder = await mkdtemp(join(tmpdir(), "talaria-bench-"));
  const file = join(folder, "state.db");
  try {
    const store = await openSqliteStore({ file });
    await fill(store, "small", 100);
    await fill(store, "whole", 10_000);
    await fill(store, "large", 10_000);
    const old = (await store.messages("large")).slice(0, -99).map(({ seq }) => seq);
    await store.compact("large", old, [{ role: "user", content: "What went before.", synthetic: true }]);
    await store.search("warm the index");
    await store.close();
    const times: Record<keyof SessionSizes, number[]> = { small: [], large: [], whole: [] };
    for (let run = 0; run < runs; run++) {
      for (const id of ["small", "large", "whole"] as const) times[id].push(await openAndTurn(file, id));
    }
    return { small: median(times.small), large: median(times.large), whole: median(times.whole) };
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function openAndTurn(file: string, id: string): Promise<number> {
  const start = performance.now();
  const store = await openSqliteStore({ file });
  await store.claim(id, "bench");
  await store.openCalls(id);
  await store.messages(id);
  const stored = await store.append(id, "bench", [{ role: "user", content: "And now?" }]);
  const answer = await store.append(id, "bench", [{ role: "assistant", content: "Now this." }]);
  const time = performance.now() - start;
  // Each run finds the session as long as the one before.
  await store.deactivate(
    id,
    [...stored, ...answer].map(({ seq }) => seq),
  );
  await store.release(id);
  await store.close();
  return time;
}

async function fill(store: SqliteStore, id: string, count: number): Promise<void> {
  await store.create({ id, source: "bench", cwd: "/", model: "m", provider: "p" });
  const turns = Array.from({ length: count / 4 }, (_, turn): readonly Message[] => [
    { role: "user", content: `Question ${turn}: what does this part of the program do?` },
    {
      role: "assistant",
      content: "",
      toolCalls: [{ id: `c${turn}`, name: "terminal", args: { command: `grep -n part${turn} src` } }],
      finishReason: "tool-calls",
    },
    {
      role: "tool",
      toolCallId: `c${turn}`,
      toolName: "terminal",
      content: "src/part.ts:12: export function part()\n".repeat(4),
    },
    { role: "assistant", content: `It does what ${turn} parts of its kind do.`, finishReason: "stop" },
  ]);
  await store.append(id, "t", turns.flat());
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}
