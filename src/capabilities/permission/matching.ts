import { analysis, type Script } from "./analysis.ts";
import { dangerous } from "./dangerous.ts";
import type { Place } from "./expand.ts";
import { hardline } from "./hardline.ts";
import type { Pattern } from "./pattern.ts";

/** What a command's text says about it. */
export interface Findings {
  readonly hardline: Pattern | undefined;
  /** In table order: of each simple command the first that matches, and those that only several together show. */
  readonly dangerous: readonly Pattern[];
  /** It hands sudo a password on standard input. */
  readonly sudoPassword: boolean;
  /** Too long or too deep to be looked through; the rest says nothing. */
  readonly excessive: boolean;
}

const sudoStdin =
  /^sudo (?:-[ughpCrtTUDR] \S+ |-(?![ughpCrtTUDR] )\S+ |\w+=\S* )*?(?:-[a-zA-Z]*S[a-zA-Z]*|--stdin)(?= |$)/m;

export function findings(command: string, place: Place): Findings {
  const { scripts, excessive } = analysis(command, place);
  if (excessive) return { hardline: undefined, dangerous: [], sudoPassword: false, excessive };
  return {
    excessive,
    hardline: hardline.find((row) => scripts.some((script) => applies(row, script) && row.matches.test(script.text))),
    dangerous: relevant(scripts),
    sudoPassword: scripts.some(({ text }) => sudoStdin.test(text)),
  };
}

const applies = (row: Pattern, script: Script): boolean => !(row.here === true && script.elsewhere);

function relevant(scripts: readonly Script[]): readonly Pattern[] {
  const found = new Set(scripts.flatMap(({ text }) => leading(text)));
  return dangerous.filter((row) => found.has(row));
}

function leading(text: string): readonly Pattern[] {
  const matching = dangerous.filter((row) => row.matches.test(text));
  if (matching.length === 0) return [];
  const perLine = text.split("\n").map((line) => matching.filter((row) => row.matches.test(line)));
  const single = new Set(perLine.flat());
  return [...perLine.flatMap((rows) => rows.slice(0, 1)), ...matching.filter((row) => !single.has(row))];
}
