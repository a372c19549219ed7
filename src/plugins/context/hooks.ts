import { nearest } from "#config";
import { type EventName, eventNames, named, rows } from "#kernel";
import type { HookRegistration, MiddlewareRegistration } from "../registration.ts";
import { described, invalid, nameOf } from "./checks.ts";

/** The four kinds of middleware that plugins of Hermes know. */
const middlewareKinds = ["tool_request", "tool_execution", "llm_request", "llm_execution"] as const;

/** Names of later versions of Hermes that have no moment here. */
const notApplicable = new Set(["pre_verify", "kanban_task_claimed", "kanban_task_completed", "kanban_task_blocked"]);

/** The event that a hook's name stands for, undefined where nothing fires it. */
export function hookEvent(name: string): EventName | undefined {
  const event = eventNames.find((one) => one === name) ?? named("python", name)?.event;
  return event !== undefined && rows[event].strategy !== "wrap" ? event : undefined;
}

/** The event of a kind of middleware: one of the four, or a row that stands around an act. */
export function middlewareEvent(kind: string): EventName | undefined {
  if (middlewareKinds.some((one) => one === kind)) return kind as EventName;
  const event = eventNames.find((one) => one === kind);
  return event !== undefined && rows[event].strategy === "wrap" ? event : undefined;
}

export interface Checked<T> {
  readonly value: T;
  readonly remark?: { readonly level: "info" | "warning"; readonly text: string };
}

/** Unknown names are kept: whoever fires them by hand reaches them. */
export function checkedHook(name: unknown, callback: unknown, options: unknown): Checked<HookRegistration> {
  if (typeof name !== "string" || name === "")
    throw invalid(`registerHook: the name of a hook has to be a text, and is ${described(name)}`);
  if (typeof callback !== "function")
    throw invalid(`registerHook: the callback of '${name}' has to be a function, and is ${described(callback)}`);
  const value: HookRegistration = {
    name,
    callback: callback as HookRegistration["callback"],
    callbackName: nameOf(callback),
    ...limits("registerHook", options),
  };
  if (hookEvent(name) !== undefined) return { value };
  if (notApplicable.has(name))
    return { value, remark: { level: "info", text: `the hook '${name}' does not apply here: nothing fires it` } };
  if (middlewareEvent(name) !== undefined) {
    const text = `'${name}' is a kind of middleware: register it by registerMiddleware; as a hook nothing fires it`;
    return { value, remark: { level: "warning", text } };
  }
  return { value, remark: { level: "warning", text: `there is no hook '${name}': nothing fires it; ${near(name)}` } };
}

export function checkedMiddleware(kind: unknown, callback: unknown, options: unknown): Checked<MiddlewareRegistration> {
  if (typeof kind !== "string" || kind === "")
    throw invalid(`registerMiddleware: the kind has to be a text, and is ${described(kind)}`);
  if (typeof callback !== "function")
    throw invalid(`registerMiddleware: the callback of '${kind}' has to be a function, and is ${described(callback)}`);
  const { timeoutSeconds } = limits("registerMiddleware", options);
  const value: MiddlewareRegistration = {
    kind,
    callback: callback as MiddlewareRegistration["callback"],
    callbackName: nameOf(callback),
    ...(timeoutSeconds === undefined ? {} : { timeoutSeconds }),
  };
  if (middlewareEvent(kind) !== undefined) return { value };
  const text = `there is no middleware of kind '${kind}': it never runs; the kinds are ${middlewareKinds.join(", ")}`;
  return { value, remark: { level: "warning", text } };
}

const hookNames = eventNames.filter((name) => rows[name].strategy !== "wrap");

/** The names that were probably meant, nearest first. */
function near(name: string): string {
  const left = new Set<string>(hookNames);
  const found: string[] = [];
  for (let next = nearest(name, left); next !== undefined && found.length < 3; next = nearest(name, left)) {
    found.push(next);
    left.delete(next);
  }
  return found.length > 0 ? `near it are ${found.join(", ")}` : "docs/reference/events.md lists the names";
}

type Limits = Pick<HookRegistration, "onFailure" | "timeoutSeconds">;

function limits(method: string, options: unknown): Limits {
  if (options === undefined || options === null) return {};
  if (typeof options !== "object") throw invalid(`${method}: options have to be an object`);
  const { onFailure, timeoutSeconds } = options as Readonly<Record<string, unknown>>;
  if (onFailure !== undefined && onFailure !== "continue" && onFailure !== "block")
    throw invalid(`${method}: onFailure is "continue" or "block", and was ${described(onFailure)}`);
  if (timeoutSeconds !== undefined && !(typeof timeoutSeconds === "number" && timeoutSeconds > 0))
    throw invalid(`${method}: timeoutSeconds is a number above 0, and was ${described(timeoutSeconds)}`);
  return {
    ...(onFailure === undefined ? {} : { onFailure }),
    ...(timeoutSeconds === undefined ? {} : { timeoutSeconds }),
  };
}
