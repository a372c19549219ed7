import { createHooks } from "hookable";
import compose from "koa-compose";
import { blueprint, createKernel, type Entry, lifecycle, type Plan } from "talaria/kernel";
import { AsyncSeriesHook } from "tapable";

/** Dispatches `times` times; resolves when the last one has ended. */
type Loop = (times: number) => void | Promise<void>;
type Payload = typeof lifecycle.pre_tool_call.row.example;

const payload: Payload = lifecycle.pre_tool_call.row.example;
const context = { session: "bench" };
type Context = typeof context;

let sink = 0;
const quiet = (given: Payload): undefined => {
  sink += given.toolName.length;
};
const quietAsync = async (given: Payload): Promise<undefined> => {
  sink += given.toolName.length;
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

function judging(count: number, handler: (given: Payload) => undefined | Promise<undefined>): Plan<Context> {
  return kernelPlan(
    Array.from({ length: count }, (_, at) => ({
      ...common(at),
      event: "pre_tool_call" as const,
      run: (given: Payload) => handler(given),
    })),
  );
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && "then" in value;
}

/** The documented way to fire: only what is thenable is awaited. */
function kernel(plan: Plan<Context>): Loop {
  return async (times) => {
    for (let at = 0; at < times; at++) {
      const answer = plan.on.pre_tool_call?.(payload, context);
      if (isThenable(answer)) await answer;
    }
  };
}

function kernelAwaited(plan: Plan<Context>): Loop {
  return async (times) => {
    for (let at = 0; at < times; at++) await plan.on.pre_tool_call?.(payload, context);
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
      plan.on.pre_tool_call?.({ ...payload, sessionId: "s", toolCallId: `c-${at}` }, context);
  };
}

/** Every contender by name; each is measured in a process of its own. */
export const contenders: Readonly<Record<string, () => Loop>> = {
  "empty call": emptyCall,
  "kernel, unheard": unheard,
  ...Object.fromEntries(
    counts.flatMap((count) => [
      [`kernel, sync ${count}`, () => kernel(judging(count, quiet))],
      [`kernel, sync awaited ${count}`, () => kernelAwaited(judging(count, quiet))],
      [`kernel, async ${count}`, () => kernelAwaited(judging(count, quietAsync))],
      [`kernel, wrap ${count}`, () => kernelWrap(count)],
      [`tapable, sync ${count}`, () => tapable(count, false)],
      [`tapable, async ${count}`, () => tapable(count, true)],
      [`hookable, sync ${count}`, () => hookable(count, false)],
      [`hookable, async ${count}`, () => hookable(count, true)],
      [`koa-compose ${count}`, () => koa(count)],
    ]),
  ),
};

export const used = (): number => sink;
