import { createHooks } from "hookable";
import compose from "koa-compose";
import { blueprint, createKernel, type Entry, lifecycle, type Plan } from "talaria/kernel";
import { AsyncSeriesHook } from "tapable";

/** Dispatches `times` times; resolves when the last one has ended. */
type Loop = (times: number) => void | Promise<void>;
interface Payload {
  readonly sessionId: string;
}

const payload = lifecycle.on_session_end.row.example;
const call = lifecycle.pre_tool_call.row.example;
const context = { session: "bench" };
type Context = typeof context;

let sink = 0;
const quiet = (given: Payload): undefined => {
  sink += given.sessionId.length;
};
const quietAsync = async (given: Payload): Promise<undefined> => {
  sink += given.sessionId.length;
};

const counts = [0, 1, 10] as const;

function kernelPlan(entries: readonly Entry<Context>[]): Plan<Context> {
  const every = (ms: number, tick: () => void) => {
    const timer = setInterval(tick, ms);
    return () => clearInterval(timer);
  };
  const layer = createKernel<Context>(blueprint, { every, report: () => undefined });
  if (entries.length > 0) layer.add({ slot: "hook", name: "bench", parallel: false, entries });
  return layer.plan;
}

const common = (at: number) =>
  ({
    owner: `bench-${at}`,
    rank: [0, at],
    consider: () => undefined,
    limitMs: 60_000,
    onFailure: "continue",
    mode: "enforce",
    rejudge: true,
  }) as const;

type Handler = (given: Payload) => undefined | Promise<undefined>;

function listening(event: "on_session_end" | "pre_tool_call", count: number, handler: Handler): Plan<Context> {
  const run = (given: Payload) => handler(given);
  const entries = Array.from({ length: count }, (_, at) => ({ ...common(at), event, run }));
  // Each handler takes either payload.
  return kernelPlan(entries as readonly Entry<Context>[]);
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && "then" in value;
}

/** A row whose handlers answer nothing, as tapable's do. Fired as documented: only what is thenable is awaited. */
function kernelTell(count: number): Loop {
  const plan = listening("on_session_end", count, quiet);
  return async (times) => {
    for (let at = 0; at < times; at++) {
      const told = plan.on.on_session_end?.(payload, context);
      if (isThenable(told)) await told;
    }
  };
}

function kernelTellAwaited(count: number, handler: Handler): Loop {
  const plan = listening("on_session_end", count, handler);
  return async (times) => {
    for (let at = 0; at < times; at++) await plan.on.on_session_end?.(payload, context);
  };
}

/** A row whose handlers may answer, and have no opinion. */
function kernelAsk(count: number): Loop {
  const plan = listening("pre_tool_call", count, quiet);
  return async (times) => {
    for (let at = 0; at < times; at++) {
      const answer = plan.on.pre_tool_call?.(call, context);
      if (isThenable(answer)) await answer;
    }
  };
}

function kernelAskAwaited(count: number, handler: Handler): Loop {
  const plan = listening("pre_tool_call", count, handler);
  return async (times) => {
    for (let at = 0; at < times; at++) await plan.on.pre_tool_call?.(call, context);
  };
}

function kernelWrap(count: number): Loop {
  const entries = Array.from({ length: count }, (_, at) => ({
    ...common(at),
    event: "tool_execution" as const,
    run: async (_given: unknown, next: () => Promise<unknown>) => (await next()) as string,
  }));
  const plan = kernelPlan(entries);
  const given = lifecycle.tool_execution.row.example;
  const core = async () => "done";
  const changed = async <T>(changed: T) => changed;
  return async (times) => {
    for (let at = 0; at < times; at++) await (plan.on.tool_execution?.(given, core, context, changed) ?? core());
  };
}

function tapable(count: number, asynchronous: boolean): Loop {
  const hook = new AsyncSeriesHook<[Payload]>(["payload"]);
  for (let at = 0; at < count; at++) {
    if (asynchronous) hook.tapPromise(`bench-${at}`, (given) => quietAsync(given));
    else hook.tap(`bench-${at}`, (given) => quiet(given));
  }
  return async (times) => {
    for (let at = 0; at < times; at++) await hook.promise(payload);
  };
}

function hookable(count: number, asynchronous: boolean): Loop {
  const hooks = createHooks<{ call: (given: Payload) => undefined | Promise<undefined> }>();
  for (let at = 0; at < count; at++) hooks.hook("call", (given) => (asynchronous ? quietAsync(given) : quiet(given)));
  return async (times) => {
    for (let at = 0; at < times; at++) await hooks.callHook("call", payload);
  };
}

function koa(count: number): Loop {
  const composed = compose<Payload>(
    Array.from({ length: count }, () => async (_given: Payload, next: () => Promise<unknown>) => {
      await next();
    }),
  );
  const core = async () => undefined;
  return async (times) => {
    for (let at = 0; at < times; at++) await composed(payload, core);
  };
}

function emptyCall(): Loop {
  const empty = (_given: object, _context: Context): void => undefined;
  return (times) => {
    for (let at = 0; at < times; at++) empty({ sessionId: "s", number: at }, context);
  };
}

function unheard(): Loop {
  const plan = kernelPlan([]);
  return (times) => {
    for (let at = 0; at < times; at++)
      plan.on.pre_tool_call?.({ ...call, sessionId: "s", toolCallId: `c-${at}` }, context);
  };
}

/** Every contender by name; each is measured in a process of its own. */
export const contenders: Readonly<Record<string, () => Loop>> = {
  "empty call": emptyCall,
  "kernel, unheard": unheard,
  ...Object.fromEntries(
    counts.flatMap((count) => [
      [`kernel tell, sync ${count}`, () => kernelTell(count)],
      [`kernel tell, sync awaited ${count}`, () => kernelTellAwaited(count, quiet)],
      [`kernel tell, async ${count}`, () => kernelTellAwaited(count, quietAsync)],
      [`kernel ask, sync ${count}`, () => kernelAsk(count)],
      [`kernel ask, async ${count}`, () => kernelAskAwaited(count, quietAsync)],
      [`kernel wrap ${count}`, () => kernelWrap(count)],
      [`tapable, sync ${count}`, () => tapable(count, false)],
      [`tapable, async ${count}`, () => tapable(count, true)],
      [`hookable, sync ${count}`, () => hookable(count, false)],
      [`hookable, async ${count}`, () => hookable(count, true)],
      [`koa-compose ${count}`, () => koa(count)],
    ]),
  ),
};

export const used = (): number => sink;
