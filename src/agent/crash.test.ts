import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Message } from "../kernel/index.ts";
import type { SessionStore, StoredMessage } from "../sessions/index.ts";
import { house, results, tool, toolbox } from "./agent-fixture.ts";

const writes = [
  "create",
  "update",
  "append",
  "deactivate",
  "compact",
  "callStarted",
  "claim",
  "release",
  "addUsage",
] as const;

/** At which write the process dies: the n-th of all, or the n-th of one kind. */
interface Death {
  readonly at: number;
  readonly kind?: (typeof writes)[number];
  /** The write itself is lost too. */
  readonly before: boolean;
}

/** A store whose process dies at a write: nothing after it ever comes back. */
function dying(store: SessionStore, { at, kind, before }: Death, died: () => void): SessionStore {
  let count = 0;
  const never = new Promise<never>(() => undefined);
  const mortal = Object.fromEntries(
    writes.map((name) => [
      name,
      async (...args: readonly unknown[]) => {
        if (kind === undefined || kind === name || count >= at) count += 1;
        if (count > at) return never;
        const write = () => (store[name] as (...all: readonly unknown[]) => Promise<unknown>)(...args);
        if (count < at || (kind !== undefined && kind !== name)) return write();
        if (!before) await write();
        died();
        return never;
      },
    ]),
  );
  return { ...store, ...mortal } as SessionStore;
}

const dead = { self: async () => ({ pid: 1, start: "x", boot: "y" }), isAlive: async () => false };

const script = [
  {
    text: "First.",
    calls: [
      { name: "work", args: { path: "a" } },
      { name: "work", args: { path: "b" } },
    ],
  },
  {
    calls: [
      { name: "beside", args: { path: "c" } },
      { name: "beside", args: { path: "d" } },
    ],
  },
  { text: "All done." },
];

function tools(ran: string[]) {
  const run = async (args: Readonly<Record<string, unknown>>) => {
    ran.push(String(args["path"]));
    return `result of ${args["path"]}`;
  };
  return toolbox(tool("work", { run }), tool("beside", { run, concurrency: "parallel" }));
}

function pairsAreWhole(messages: readonly Message[]): void {
  let open: string[] = [];
  for (const message of messages) {
    if (message.role === "tool") {
      expect(open).toContain(message.toolCallId);
      open = open.filter((id) => id !== message.toolCallId);
    } else {
      expect(open).toEqual([]);
      open = message.role === "assistant" ? (message.toolCalls ?? []).map(({ id }) => id) : [];
    }
  }
  expect(open).toEqual([]);
}

async function crashAndResume(death: Death) {
  const folder = await mkdtemp(join(tmpdir(), "crash-"));
  const ran: string[] = [];
  let died = false;
  const first = await house({
    folder,
    script,
    parts: [tools(ran)],
    store: (store) => {
      const crash = new Promise<void>((resolve) => {
        crashed = resolve;
      });
      waiting = crash;
      return dying(store, death, () => {
        died = true;
        crashed();
      });
    },
  });
  const session = await first.open();
  await Promise.race([first.turn(session, "Do the work."), waiting]);
  await new Promise((resolve) => setImmediate(resolve));
  const kept = (await first.store.find(session.id)) === undefined ? [] : await first.messages(session.id);
  await first[Symbol.asyncDispose]();
  const ranBefore = [...ran];
  const second = await house({ folder, script: [{ text: "Going on." }], parts: [tools(ran)], processes: dead });
  const found = await second.store.find(session.id);
  const resumed = await second.open(found === undefined ? undefined : session.id);
  const result = await second.turn(resumed, "Go on.");
  const after = await second.messages(resumed.id);
  await second[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
  return { died, kept, after, result, request: second.model.requests[0], ran, ranBefore };
}

let crashed: () => void = () => undefined;
let waiting: Promise<void> = Promise.resolve();

function texts(messages: readonly StoredMessage[]): readonly string[] {
  return messages.map(({ message }) => JSON.stringify(message));
}

describe("a session whose process dies at any write", () => {
  test("goes on without loss, without repetition, and with whole pairs", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 22 }), fc.boolean(), async (at, before) => {
        const { kept, after, result, request, ran, ranBefore } = await crashAndResume({ at, before });
        expect(result).toMatchObject({ outcome: "completed", text: "Going on." });
        // Nothing that was stored is gone or changed, and it comes once.
        expect(texts(after).slice(0, kept.length)).toEqual(texts(kept));
        expect(new Set(after.map(({ seq }) => seq)).size).toBe(after.length);
        pairsAreWhole(request?.messages ?? []);
        // Nothing runs a second time by itself.
        expect(ran).toEqual(ranBefore);
        // What ran and has no result of its own is told as unknown; what has one is not.
        const told = results(after);
        for (const path of new Set(ran)) {
          const own = told.some((line) => line.endsWith(`result of ${path}`));
          const unknown = told.some((line) => line.includes("outcome of this call is unknown"));
          expect(own || unknown).toBe(true);
        }
      }),
      { numRuns: 30 },
    );
  });

  test("a call that ran when it died is told as unknown, and one that had not begun as not run", async () => {
    const { died, after, ran } = await crashAndResume({ at: 1, kind: "callStarted", before: false });
    expect(died).toBe(true);
    expect(ran).toEqual([]);
    const [first, second] = results(after);
    expect(first).toContain("outcome of this call is unknown");
    expect(second).toContain("Not run: the program ended before this call began");
    expect(after.some(({ message }) => String(message.content).includes("The program ended before the turn"))).toBe(
      true,
    );
  });

  test("a turn that was finished leaves no note about its end", async () => {
    const { died, after } = await crashAndResume({ at: 1_000, before: false });
    expect(died).toBe(false);
    expect(after.map(({ message }) => message.role)).toEqual([
      "user",
      "assistant",
      "tool",
      "tool",
      "assistant",
      "tool",
      "tool",
      "assistant",
      "user",
      "assistant",
    ]);
  });
});
