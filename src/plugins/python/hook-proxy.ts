import { type EventName, encodePython, named, rows } from "#kernel";
import type { HookCallback, HookMoment, MiddlewareCallback } from "../registration.ts";
import { PythonError, type Values } from "./messages.ts";
import { fromModel, toModel } from "./model-answer.ts";
import type { PythonCalls } from "./python-host.ts";

/** The keyword arguments of a Python callback: of a known name in its dialect, else the payload as it is. */
function keywordsOf(name: string): (payload: Values) => Values {
  const row = named("python", name);
  return row === undefined ? (payload) => payload : (payload) => encodePython({ ...row, payload });
}

/** Hooks whose callbacks are given objects with attributes. */
const modes: Readonly<Record<string, string>> = { pre_gateway_dispatch: "dispatch", post_api_request: "answered" };

/** A hook's callback that lives in Python. What it returned is given as it is; the hook group reads it. */
export function hookProxy(host: PythonCalls, name: string, number: number): HookCallback {
  const special = modes[name];
  const mode = special === undefined ? "" : `,"mode":"${special}"`;
  const head = `"f":${number}${mode},"k":`;
  const keywords = keywordsOf(name);
  return (payload, moment) => host.call(head + JSON.stringify(keywords(payload)), moment);
}

/** A request or execution middleware that lives in Python. */
export function middlewareProxy(host: PythonCalls, kind: string, number: number): MiddlewareCallback {
  const event = named("python", kind)?.event;
  if (event !== undefined && rows[event].strategy === "wrap") return executionProxy(host, event, number);
  const keywords = keywordsOf(kind);
  return (payload, _next, moment) =>
    host.call(`"f":${number},"mode":"request","k":${JSON.stringify(keywords(payload))}`, {
      signal: moment.signal,
    });
}

interface Inner {
  readonly result: unknown;
}

function executionProxy(host: PythonCalls, event: EventName, number: number): MiddlewareCallback {
  const keywords = keywordsOf(event);
  const wraps = event === "llm_execution" ? "request" : "args";
  return async (payload, next, moment: HookMoment) => {
    let inner: Inner | undefined;
    const failures: unknown[] = [];
    const call = host.call(`"f":${number},"mode":"execution","k":${JSON.stringify(keywords(payload))}`, {
      signal: moment.signal,
      async next(given) {
        try {
          const result = await (given === undefined ? next() : next({ [wraps]: given } as Values));
          inner = { result };
          return { value: told(event, result) };
        } catch (error) {
          failures.push(error);
          const { name, message } = error instanceof Error ? error : new Error(String(error));
          return { error: { type: name === "Error" ? "RuntimeError" : name, message, token: failures.length - 1 } };
        }
      },
    });
    try {
      return read(event, await call, inner);
    } catch (error) {
      // What came from inside goes on as what it was.
      if (error instanceof PythonError && error.fact.downstream !== undefined) throw failures[error.fact.downstream];
      throw error;
    }
  };
}

type ModelResult = Awaited<ReturnType<typeof fromModel>>;

function told(event: EventName, result: unknown): unknown {
  if (event === "llm_execution") return toModel(result as ModelResult);
  if (typeof result === "string") return result;
  const { content } = result as { readonly content: string | readonly unknown[] };
  if (typeof content === "string") return content;
  return content.map((part) => {
    const one = part as {
      readonly type: string;
      readonly text?: string;
      readonly data?: string;
      readonly mediaType?: string;
    };
    if (one.type === "text") return one;
    const url = /^https?:/.test(one.data ?? "") ? one.data : `data:${one.mediaType};base64,${one.data}`;
    return { type: "image_url", image_url: { url } };
  });
}

function read(event: EventName, returned: unknown, inner: Inner | undefined): unknown {
  const answer = (returned ?? {}) as { readonly same?: boolean; readonly value?: unknown };
  if (answer.same === true && inner !== undefined) return inner.result;
  if (event !== "llm_execution")
    return typeof answer.value === "string" ? answer.value : JSON.stringify(answer.value ?? null);
  return fromModel(answer.value, inner?.result as ModelResult | undefined);
}
