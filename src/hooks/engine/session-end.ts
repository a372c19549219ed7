import { after } from "#host";
import type { HookContext } from "../hook-context.ts";
import type { CompiledRule } from "./compiled-rule.ts";

/** Milliseconds that all rules of a session's end have together, at the least and at the most. */
const least = 1_500;
const most = 60_000;
const environmentName = "CLAUDE_CODE_SESSIONEND_HOOKS_TIMEOUT_MS";

/** The time for all rules of a session's end: 1.5 s, raised by the longest limit that one names, or set by the environment. */
export function sessionEndLimit(
  rules: readonly CompiledRule[],
  environment: Readonly<Record<string, string | undefined>>,
): number {
  const given = Number(environment[environmentName]);
  if (Number.isFinite(given) && given > 0) return given;
  return Math.min(most, Math.max(least, ...rules.map(({ rule }) => rule.timeoutMs)));
}

/** A signal that aborts when the common time of this session's end is over, and its release. */
export function sessionEndSignal(
  context: HookContext,
  limitMs: number,
  now: () => number,
): { readonly signal: AbortSignal; readonly release: () => void } {
  const { startedAt } = context.state("hooks-session-end", () => ({ startedAt: now() }));
  const controller = new AbortController();
  const left = Math.max(0, startedAt + limitMs - now());
  const release = after(left, () => controller.abort(new Error(`the ${limitMs} ms for the end of a session are over`)));
  return { signal: controller.signal, release };
}
