import { after, ticks } from "#host";
import { type CommandDecision, type EventName, encodeGateway, gatewayNames, type Payload, viewFor } from "#kernel";
import { decided } from "./command-decision.ts";
import { type GatewayHandler, type HandlerLoader, NoHandle } from "./handler.ts";
import { type FoundHook, findHooks } from "./hook-folder.ts";
import { type HookQueue, hookQueue } from "./hook-queue.ts";
import { matching } from "./matching.ts";

export type GatewayEvent = Extract<EventName, `${string}:${string}`>;
type Context = Readonly<Record<string, unknown>>;

export interface GatewayHookPorts {
  /** Folders that hold hooks; the first wins where two have a folder of one name. */
  readonly roots: readonly string[];
  readonly loaders: Readonly<Record<FoundHook["language"], HandlerLoader>>;
  log(level: "info" | "warning" | "error", line: string): void;
  /** Ends what the loaders keep running. */
  close?(): Promise<void>;
}

/** How one handler fared with one event. */
export interface HandlerRun {
  readonly hook: FoundHook;
  readonly event: string;
  readonly milliseconds: number;
  readonly decision?: CommandDecision;
  readonly error?: string;
}

/** The hooks of `hooks/<name>/HOOK.yaml`. Their folder is trusted; nothing that they do reaches the caller as an error. */
export interface GatewayHooks {
  /** In the order in which they are asked. */
  readonly hooks: readonly FoundHook[];
  /** What could not be loaded, and what is odd, as `[hooks] …` lines. They are in the log, too. */
  readonly problems: readonly string[];
  /** Puts an event into the queue of each hook that hears of it, and returns at once. */
  emit<E extends GatewayEvent>(event: E, payload: Payload<E>): void;
  /** Asks about a slash command: the first decision in the order of the hooks, undefined after 5 s or where nobody decides. */
  decide(payload: Payload<"command:*">): Promise<CommandDecision | undefined>;
  /** Fires any name by hand and waits for the handlers, each for `limitMs` at most. */
  run(event: string, context: Context, limitMs: number): Promise<readonly HandlerRun[]>;
  /** When all that was put into the queues is done. */
  settled(): Promise<void>;
  /** Lets go of the handlers; what still runs is not waited for. */
  close(): Promise<void>;
}

interface LoadedHook extends FoundHook {
  readonly handle: GatewayHandler;
  readonly queue: HookQueue;
  /** Answers that came too late and are still being worked on. */
  late: number;
}

const mostWaiting = 1000;
const decisionMs = 5000;

/** Finds and loads the hooks, in the order of their folders. Never rejects: what is wrong is in `problems`. */
export async function gatewayHooks({ roots, loaders, log, close }: GatewayHookPorts): Promise<GatewayHooks> {
  const found = await findHooks(roots);
  const problems: string[] = [];
  const complain = (problem: string): void => {
    problems.push(problem);
    log("warning", problem);
  };
  for (const problem of found.problems) complain(problem);
  const hooks: LoadedHook[] = [];
  for (const hook of found.hooks) {
    try {
      const handle = await loaders[hook.language](hook);
      hooks.push({ ...hook, handle, queue: hookQueue(mostWaiting), late: 0 });
      log("info", `[hooks] Loaded hook '${hook.name}' for events: ${JSON.stringify(hook.events)}`);
    } catch (error) {
      const start = error instanceof NoHandle ? "Skipping" : "Error loading hook";
      complain(`[hooks] ${start} ${hook.name}: ${messageOf(error)}`);
    }
  }
  const fire = firing(log);
  return {
    hooks,
    problems,
    emit(event, payload) {
      const wire = onWire(event, payload);
      if (wire === undefined) return;
      for (const { hook, event: name } of matching(hooks, wire.names)) void fire(hook, name, wire.context);
    },
    async decide(payload) {
      const wire = onWire("command:*", payload);
      const matches = wire === undefined ? [] : matching(hooks, wire.names);
      const runs = matches.map(({ hook, event }) => fire(hook, event, wire?.context ?? {}, decisionMs));
      for (const { decision } of await Promise.all(runs)) if (decision !== undefined) return decision;
      return undefined;
    },
    run: (event, context, limitMs) =>
      Promise.all(matching(hooks, [event]).map(({ hook, event: name }) => fire(hook, name, context, limitMs))),
    settled: async () => void (await Promise.all(hooks.map(({ queue }) => queue.settled()))),
    close: async () => close?.(),
  };
}

/** An event of ours as gateway hooks are told of it. */
function onWire(event: GatewayEvent, payload: object): { names: readonly string[]; context: Context } | undefined {
  const view = viewFor(event, "gateway", payload);
  if (view === undefined) return undefined;
  const question = { event, view, payload };
  return { names: gatewayNames(question), context: encodeGateway(question) };
}

/** One event for one hook, in its turn. Never rejects. */
function firing(log: GatewayHookPorts["log"]) {
  return async (hook: LoadedHook, event: string, context: Context, limitMs?: number): Promise<HandlerRun> => {
    const began = ticks();
    const fail = (error: string): HandlerRun => {
      log("error", `[hooks] Error in handler for '${event}': ${error} (hook ${hook.name})`);
      return { hook, event, milliseconds: ticks() - began, error };
    };
    if (limitMs !== undefined && hook.late > 0) return fail("it is still busy with an earlier one");
    const copy = copied(context);
    const work = hook.queue.add(async () => hook.handle(event, copy));
    if (work === undefined) return fail(`${mostWaiting} events wait for this hook already; this one is dropped`);
    try {
      const returned = await (limitMs === undefined ? work : within(hook, work, limitMs));
      const { decision, remarks } = decided(event, context, returned);
      for (const remark of remarks) log("warning", `[hooks] ${hook.name} on '${event}': ${remark}`);
      return { hook, event, milliseconds: ticks() - began, ...(decision === undefined ? {} : { decision }) };
    } catch (error) {
      return fail(messageOf(error));
    }
  };
}

function within<T>(hook: LoadedHook, work: Promise<T>, limitMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    let isLate = false;
    const tooLate = (): void => {
      isLate = true;
      hook.late += 1;
      reject(new Error(`no answer within ${limitMs / 1000} s`));
    };
    const stop = after(limitMs, tooLate, true);
    const over = (): void => {
      stop();
      if (isLate) hook.late -= 1;
    };
    work.then(resolve, reject).then(over, over);
  });
}

/** A copy that a handler may change. */
function copied(context: Context): Context {
  try {
    return structuredClone(context);
  } catch {
    // Something in it is no data, such as a function: the handler gets what JSON keeps of it.
    return JSON.parse(JSON.stringify(context)) as Context;
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
