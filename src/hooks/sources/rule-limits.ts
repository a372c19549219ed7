import type { AnyView } from "#kernel";
import type { Rule } from "../rule.ts";
import type { Fields } from "./fields.ts";
import { kindOf } from "./source-node.ts";

/** Seconds that a rule of settings files may take where it names none. */
const usualSeconds: { readonly [T in Rule["type"]]: number } = {
  command: 600,
  worker: 600,
  http: 600,
  mcp_tool: 600,
  prompt: 30,
  agent: 60,
};
/** Nothing may hold up the end of a session for longer, whatever it names. */
const mostAtSessionEnd = 60;
/** Timers end there. */
const mostSeconds = 2_147_483;
const suspicious = 1000;

/** The time limit of a rule of a settings file. Rules: docs/reference/hook-sources.md. */
export function timeLimitMs(fields: Fields, type: Rule["type"], view: AnyView): number {
  const usual = Math.min(usualSeconds[type], view.limitSeconds ?? Number.POSITIVE_INFINITY);
  return Math.round(secondsOf(fields, usual, view) * 1000);
}

function secondsOf(fields: Fields, usual: number, view: AnyView): number {
  const value = fields.find("timeout")?.value;
  if (value === undefined) return usual;
  const seconds = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  if (typeof seconds !== "number" || Number.isNaN(seconds) || seconds <= 0) {
    const shown = typeof value === "object" || typeof value === "boolean" ? kindOf(value) : JSON.stringify(value);
    fields.warn("timeout", `timeout must be a number of seconds above 0, but is ${shown}; ${usual} is used`);
    return usual;
  }
  if (typeof value === "string") fields.warn("timeout", `timeout is a text; it is read as ${seconds} seconds`);
  if (view.name === "SessionEnd" && seconds > mostAtSessionEnd) {
    fields.warn(
      "timeout",
      `at the end of a session no hook may take more than ${mostAtSessionEnd} seconds; ${seconds} is cut to that`,
    );
    return mostAtSessionEnd;
  }
  if (seconds >= suspicious) {
    const meant = `if milliseconds were meant, write ${seconds / 1000}`;
    fields.warn("timeout", `timeout is in seconds: ${seconds} are ${Math.round(seconds / 60)} minutes; ${meant}`);
  }
  return Math.min(seconds, mostSeconds);
}
