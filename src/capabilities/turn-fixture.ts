import { mkdtemp, readFile, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Tool, ToolOutcome, TurnContext } from "#agent";
import type { Middleware } from "#kernel";

/** A turn in a folder of its own, for tests of capabilities with real files and processes. */
export interface TurnFixture {
  readonly folder: string;
  readonly context: TurnContext;
  /** What tools showed while they ran. */
  readonly progress: string[];
  /** Runs a tool and reads its JSON answer. */
  call(name: string, args: Readonly<Record<string, unknown>>, signal?: AbortSignal): Promise<Answer>;
  tool(name: string): Tool;
  close(): Promise<void>;
}

// biome-ignore lint/suspicious/noExplicitAny: answers of tools are JSON of any shape
type Answer = Record<string, any>;

type Handlers = Partial<Record<string, (payload: never, context: TurnContext) => unknown>>;

export async function turnFixture(
  make: (folder: string) => readonly Middleware<TurnContext>[],
  handlers: Handlers = {},
): Promise<TurnFixture> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "talaria-capability-")));
  const middlewares = make(folder);
  const states = new Map<string, unknown>();
  const progress: string[] = [];
  const context = {
    sessionId: "s-1",
    taskId: "t-1",
    cwd: folder,
    signal: new AbortController().signal,
    plan: { on: handlers },
    state: (slot: string, create: () => unknown) => {
      if (!states.has(slot)) states.set(slot, create());
      return states.get(slot);
    },
  } as unknown as TurnContext;
  const tools = middlewares.flatMap((middleware) => (middleware.tools?.(context) ?? []) as readonly Tool[]);
  const tool = (name: string) => {
    const found = tools.find((candidate) => candidate.name === name);
    if (found === undefined) throw new Error(`no tool ${name}`);
    return found;
  };
  return {
    folder,
    context,
    progress,
    tool,
    async call(name, args, signal = context.signal) {
      const outcome = await tool(name).run(args, {
        callId: "c-1",
        context,
        signal,
        progress: (chunk) => progress.push(chunk),
      });
      return JSON.parse(textOf(outcome)) as Answer;
    },
    async close() {
      for (const middleware of middlewares) {
        const end = middleware.on?.on_session_finalize;
        await end?.({ sessionId: "s-1", platform: "cli", reason: "shutdown" }, context);
      }
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function textOf(outcome: ToolOutcome): string {
  if (typeof outcome === "string") return outcome;
  if (typeof outcome.content !== "string") throw new Error("the answer is no text");
  return outcome.content;
}

/** Whether a process runs; one that is dead and only not yet waited for does not. */
export async function isAlive(pid: number): Promise<boolean> {
  const facts = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => undefined); // no such process
  return facts !== undefined && !/\) [ZX] /.test(facts);
}
