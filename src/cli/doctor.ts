import { examine } from "#runtime";
import { type CommandContext, type CommandInput, exitStatus } from "./command.ts";
import { switchOption } from "./options.ts";
import { paint } from "./view/paint.ts";

const marks = { ok: ["green", "✓"], warning: ["yellow", "!"], problem: ["red", "✗"] } as const;

/** `talaria doctor`: what was looked at, what is wrong and how to mend it. Status 1 when there is a problem. */
export async function doctor(input: CommandInput, { terminal, home, cwd }: CommandContext): Promise<number> {
  const findings = await examine({ home, cwd });
  const style = paint(terminal.colour);
  if (switchOption(input, "json")) terminal.write(`${JSON.stringify(findings, null, 2)}\n`);
  else {
    for (const { about, state, detail, mend } of findings) {
      const [colour, mark] = marks[state];
      terminal.write(`${style(colour, mark)} ${about}: ${detail}\n${mend === undefined ? "" : `  → ${mend}\n`}`);
    }
  }
  return findings.some(({ state }) => state === "problem") ? exitStatus.error : exitStatus.success;
}
