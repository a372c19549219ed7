import type { RuleProblem } from "../rule.ts";

/** Takes down what is wrong in one source. */
export interface Report {
  readonly problems: readonly RuleProblem[];
  warn(line: number | undefined, message: string): void;
  note(line: number | undefined, message: string): void;
  /** `file:line`, the file alone, or the source's name. */
  place(line: number | undefined): string;
}

/** `file` stands in front of lines; a source without one has its name there. */
export function reportOn(source: string, file: string | undefined): Report {
  const problems: RuleProblem[] = [];
  const place = (line: number | undefined): string =>
    line === undefined ? (file ?? source) : `${file ?? source}:${line}`;
  const add = (level: RuleProblem["level"]) => (line: number | undefined, message: string) => {
    problems.push({ source, where: place(line), message, level });
  };
  return { problems, place, warn: add("warning"), note: add("note") };
}
