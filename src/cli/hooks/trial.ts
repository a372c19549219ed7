import type { Trial } from "#runtime";
import { type CommandContext, type CommandInput, exitStatus } from "../command.ts";
import { switchOption } from "../options.ts";
import { shownExplanation } from "./explained.ts";
import { line, occasionOf, printJson, wantedOf, withDesk } from "./open-desk.ts";

/** `talaria hooks test <event>`: what the hooks of an event say to a made-up one. A refusal is no error. */
export async function test(input: CommandInput, context: CommandContext): Promise<number> {
  const wanted = await wantedOf(input, context);
  return withDesk(input, context, async (desk, room) => {
    const word = input.arguments[0] ?? "";
    const trials = await room.tryRules(desk, occasionOf(room, word), wanted);
    if (switchOption(input, "json")) printJson(context, trials);
    else if (trials.length === 0) context.terminal.write(`No hooks configured for event: ${word}\n`);
    else context.terminal.write(`Testing ${trials.length} hook(s) for ${word}\n\n${trials.map(shown).join("\n\n")}\n`);
    return exitStatus.success;
  });
}

function shown(trial: Trial): string {
  const head = `  → ${line(trial.deed, 200)}`;
  const ended = trial.exitCode === null ? "" : `exit=${trial.exitCode}  `;
  const lines = [`    ${ended}elapsed=${trial.seconds.toFixed(2)}s`];
  if (trial.stdout.trim() !== "") lines.push(`    stdout: ${line(trial.stdout)}`);
  if (trial.stderr.trim() !== "") lines.push(`    stderr: ${line(trial.stderr)}`);
  if (trial.failure !== null) lines.push(`    ✗ failed: ${trial.failure}`);
  else if (trial.answer === null) lines.push("    parsed: <none — the hook has no opinion>");
  else lines.push(`    parsed: ${JSON.stringify(trial.answer)}`);
  for (const remark of trial.remarks) lines.push(`    note: ${remark}`);
  return [head, ...lines].join("\n");
}

/** `talaria hooks explain <event>`: which hooks would be asked, which not and why; with --run, what they say. */
export async function explain(input: CommandInput, context: CommandContext): Promise<number> {
  const wanted = await wantedOf(input, context);
  return withDesk(input, context, async (desk, room) => {
    const occasion = occasionOf(room, input.arguments[0] ?? "");
    const explanation = await room.explain(desk, occasion, {
      ...wanted,
      run: switchOption(input, "run"),
    });
    if (switchOption(input, "json")) printJson(context, explanation);
    else context.terminal.write(`${shownExplanation(explanation, switchOption(input, "run"))}\n`);
    return exitStatus.success;
  });
}
