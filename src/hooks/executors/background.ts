import type { Exit } from "#host";
import type { Execution } from "../executor.ts";
import type { HookPorts } from "../hook-context.ts";
import type { CommandRule } from "../rule.ts";

const textOf = (value: unknown): readonly string[] => (typeof value === "string" && value.trim() !== "" ? [value] : []);

const recordOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};

/** The texts of a background hook's answer that are for the model; its decisions come too late and are dropped. */
function backgroundTexts(stdout: string): readonly string[] {
  for (const text of [stdout, stdout.slice(stdout.indexOf("\n") + 1)]) {
    const given = parsed(text.trim());
    if (given === undefined) continue;
    const specific = recordOf(given["hookSpecificOutput"] ?? given["hook_specific_output"]);
    const context = specific["additionalContext"] ?? given["context"];
    return [...textOf(context), ...textOf(given["systemMessage"])];
  }
  return [];
}

function parsed(text: string): Readonly<Record<string, unknown>> | undefined {
  if (!text.startsWith("{")) return undefined;
  try {
    return recordOf(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** What a background command said when it ended: to the model with its next request, or at once where it wakes. */
export function deliver({ rule, context }: Execution<CommandRule>, exit: Exit, ports: HookPorts): void {
  const owner = `${rule.source.name} (${rule.where})`;
  if (exit.aborted || exit.timedOut) {
    ports.log("warning", `background hook ${owner} was ended before it had finished; its output is dropped`);
    return;
  }
  if (rule.asyncRewake && exit.code === 2) {
    const text = exit.stderr.text.trim() || exit.stdout.text.trim();
    if (text !== "") ports.deliver(context, text, true);
    return;
  }
  if (exit.code !== 0)
    ports.log("warning", `background hook ${owner} ended with ${exit.signal ?? `exit code ${exit.code}`}`);
  for (const text of backgroundTexts(exit.stdout.text)) ports.deliver(context, text, false);
}
