import type { HookFinding } from "#runtime";
import { type CommandContext, type CommandInput, exitStatus } from "../command.ts";
import { switchOption } from "../options.ts";
import { type Paint, paint } from "../view/paint.ts";
import { line, printJson, withDesk } from "./open-desk.ts";

const marks = { ok: ["green", "✓"], note: ["yellow", "⚠"], problem: ["red", "✗"] } as const;

/** `talaria hooks doctor`: status 1 where something is wrong and was not mended. */
export function doctor(input: CommandInput, context: CommandContext): Promise<number> {
  return withDesk(input, context, async (desk, room) => {
    const findings = await room.examineHooks(desk, { fix: switchOption(input, "fix") });
    const wrong = findings.filter(({ state, fixed }) => state === "problem" && fixed !== true).length;
    if (switchOption(input, "json")) printJson(context, findings);
    else context.terminal.write(`${shown(findings, paint(context.terminal.colour))}${verdict(wrong)}\n`);
    return wrong === 0 ? exitStatus.success : exitStatus.error;
  });
}

const verdict = (wrong: number): string =>
  wrong === 0 ? "All hooks look healthy." : `${wrong} issue(s) found.  Fix before relying on these hooks.`;

function shown(findings: readonly HookFinding[], style: Paint): string {
  const groups = Map.groupBy(findings, (one) => `${line(one.about, 100)}  [${one.where}]`);
  return [...groups]
    .map(([about, own]) => {
      const lines = own.map(({ state, detail, fixed }) => {
        const [colour, mark] = fixed ? marks.ok : marks[state];
        return `  ${style(colour, mark)} ${detail}\n`;
      });
      return `${about}\n${lines.join("")}`;
    })
    .join("");
}
