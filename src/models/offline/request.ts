import { type Filled, fill, isQuoted, type Masked, mask, unmask } from "./form.ts";
import { grammar, joiners, politeness, programs, type StepKind, softJoiners } from "./grammar.ts";

export interface Step {
  readonly kind: StepKind;
  readonly path: string;
  readonly text: string;
}

const knownFiles =
  /^(makefile|dockerfile|readme|license|licence|changelog|procfile|gemfile|rakefile|justfile|jenkinsfile|\.|\.\.|src|test|tests|docs|lib|bin|dist)$/i;

/** The steps of a request in plain words, or nothing where any part is not understood. */
export function understand(request: string): readonly Step[] | undefined {
  const masked = mask(request.trim());
  const hard = masked.text.split(joiners).filter((part) => part.trim() !== "");
  const steps = hard.map((part) => stepsOf(part, masked));
  const whole = steps.every((each) => each !== undefined) ? steps.flat() : stepsWhole(masked);
  return whole && whole.length > 0 ? resolved(whole) : undefined;
}

function stepsWhole(masked: Masked): readonly Step[] | undefined {
  const step = stepOf(masked.text, masked);
  return step && [step];
}

/** Parts at a comma or an "and" only where all parts make sense; otherwise it belongs to the text. */
function stepsOf(part: string, masked: Masked): readonly Step[] | undefined {
  const pieces = part.split(softJoiners).filter((piece) => piece.trim() !== "");
  if (pieces.length > 1) {
    const steps = pieces.map((piece) => stepOf(piece, masked));
    if (steps.every((step) => step !== undefined)) return steps;
  }
  const step = stepOf(part, masked);
  return step && [step];
}

function stepOf(part: string, masked: Masked): Step | undefined {
  const text = part.trim().replace(politeness, "");
  if (isQuoted(text) && /\S/.test(unmask(text, masked.values))) return step("run", { command: text }, masked);
  for (const [kind, forms] of grammar) {
    for (const form of forms) {
      const filled = fill(form, text);
      const found = filled && isSensible(kind, filled) ? step(kind, filled, masked) : undefined;
      if (found) return found;
    }
  }
  const command = text.replace(/[。！？]+$/, "");
  return programs.test(command) ? step("run", { command }, masked) : undefined;
}

function step(kind: StepKind, filled: Filled, masked: Masked): Step {
  const { values } = masked;
  const path = unmask(filled["path"] ?? "", values).replace(/(?<=\w)[.!?]+$/, "");
  const raw = filled["text"] ?? filled["command"] ?? filled["pattern"] ?? filled["glob"] ?? "";
  return { kind, path, text: kind === "run" ? commandOf(raw, masked) : unmask(raw, values) };
}

/** In an unquoted command the quotation marks belong to the command. */
function commandOf(raw: string, { values, quoted }: Masked): string {
  return isQuoted(raw) ? unmask(raw, values) : unmask(raw, quoted);
}

export function shellQuoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** "read about it" is no file, and "run the tests" no command. */
function isSensible(kind: StepKind, filled: Filled): boolean {
  const path = filled["path"];
  if (path !== undefined && !isQuoted(path) && !looksLikePath(path, kind)) return false;
  if (kind === "search" && path === undefined && !isSearchable(filled["pattern"] ?? "")) return false;
  const command = filled["command"];
  if (command === undefined || isQuoted(command)) return true;
  return (
    !/^(the|my|your|our|all|some|a|an|it|this|that|these|those|away|out of)\b/i.test(command.trim()) &&
    !/[\u4e00-\u9fff]$/.test(command)
  );
}

/** "find out who I am" looks for no text. */
function isSearchable(pattern: string): boolean {
  return (
    isQuoted(pattern) ||
    (!/^(out|me|a|an|some|somebody|someone|something|your|my)\b/i.test(pattern) && pattern.split(/\s+/).length <= 4)
  );
}

function looksLikePath(path: string, kind: StepKind): boolean {
  if (/[./~\\]/.test(path) || knownFiles.test(path)) return true;
  const takesFolders = kind === "search" || kind === "find-files" || kind === "make-folder" || kind === "delete-folder";
  return takesFolders && /^[\w\u4e00-\u9fff-]+$/.test(path) && !/^(it|here|this|that|the)$/i.test(path);
}

/** "show it" means the file that was written or read before. */
function resolved(steps: readonly Step[]): readonly Step[] | undefined {
  const result: Step[] = [];
  for (const each of steps) {
    if (each.kind !== "show-again") {
      result.push(each);
      continue;
    }
    const before = result.findLast((earlier) => earlier.path !== "" && fileKinds.has(earlier.kind));
    if (before) result.push({ kind: "read", path: before.path, text: "" });
    else if (result.length === 0) return undefined;
  }
  return result;
}

const fileKinds: ReadonlySet<StepKind> = new Set(["read", "write", "write-empty", "append", "count-lines"]);
