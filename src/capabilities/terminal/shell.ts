import { findProgram } from "#host";

/** What a command left behind for the next one. */
export interface ShellState {
  readonly cwd: string;
  /** Every exported variable. */
  readonly exported: ReadonlyMap<string, string>;
}

export interface ShellCommand {
  readonly file: string;
  readonly args: readonly string[];
}

const frameStart = "\u001etalaria-state\0";
const frameEnd = "\u001etalaria-end\n";

// Standard error joins standard output in the order of writing; its old pipe carries the report, once, at the end, and by
// the trap after an `exit` of the command's own.
const report = String.raw`{ set +x; } 2>/dev/null; { printf "\036talaria-state\0%s\0" "$PWD"; export -p; printf "\036talaria-end\n"; } >&9`;
const join =
  'talaria_command=; for talaria_part in "$@"; do talaria_command=$talaria_command$talaria_part; done; shift $#';
// In braces, so that it has been read as a whole when the command's text turns out to be no shell text.
const wrapper = `{ exec 9>&2 2>&1; talaria_status=; ${join}; trap '[ -n "$talaria_status" ] || { ${report}; }' EXIT; eval "$talaria_command"
{ talaria_status=$?; } 2>/dev/null; ${report}; exit $talaria_status; }`;

/** Below the system's limit of 128 KiB for one argument. */
const partBytes = 100_000;

/** A command in a shell whose working directory and exported variables are reported on standard error at its end. */
export function reportingShell(file: string, command: string): ShellCommand {
  return { file, args: ["-c", wrapper, file, ...parts(command)] };
}

/** A command in a shell of its own, of which nothing is reported. */
export function plainShell(file: string, command: string): ShellCommand {
  return Buffer.byteLength(command) <= partBytes
    ? { file, args: ["-c", command] }
    : { file, args: ["-c", `${join}; eval "$talaria_command"`, file, ...parts(command)] };
}

/** `bash`, else `sh`. */
export function shellProgram(): string {
  return findProgram("bash") ?? findProgram("sh") ?? "/bin/sh";
}

function parts(command: string): string[] {
  const result: string[] = [];
  let part = "";
  let bytes = 0;
  for (const character of command) {
    const size = Buffer.byteLength(character);
    if (bytes + size > partBytes) {
      result.push(part);
      part = "";
      bytes = 0;
    }
    part += character;
    bytes += size;
  }
  return [...result, part];
}

/** Reads the report; `undefined` where the shell ended without one. */
export function shellState(report: string): ShellState | undefined {
  const start = report.indexOf(frameStart);
  const end = report.indexOf(frameEnd, start);
  if (start === -1 || end === -1) return undefined;
  const frame = report.slice(start + frameStart.length, end);
  const separator = frame.indexOf("\0");
  if (separator === -1) return undefined;
  return { cwd: frame.slice(0, separator), exported: exportedVariables(frame.slice(separator + 1)) };
}

const declaration = /(?:declare -\w+|export) ([A-Za-z_]\w*)/y;

/** Reads what `export -p` prints in bash and in POSIX shells. */
function exportedVariables(text: string): Map<string, string> {
  const variables = new Map<string, string>();
  let at = 0;
  while (at < text.length) {
    declaration.lastIndex = at;
    const match = declaration.exec(text);
    if (match === null) {
      at = nextLine(text, at);
      continue;
    }
    at = declaration.lastIndex;
    if (text[at] !== "=") continue;
    const word = shellWord(text, at + 1);
    if (!word.value.includes("\ufffd")) variables.set(match[1] as string, word.value);
    at = word.end;
  }
  return variables;
}

function nextLine(text: string, at: number): number {
  const newline = text.indexOf("\n", at);
  return newline === -1 ? text.length : newline + 1;
}

/** A quoted word up to the end of its line. */
function shellWord(text: string, start: number): { readonly value: string; readonly end: number } {
  let value = "";
  let at = start;
  while (at < text.length && text[at] !== "\n") {
    const piece = text.startsWith("$'", at) ? cQuoted(text, at + 2) : quotedPiece(text, at);
    value += piece.value;
    at = piece.end;
  }
  return { value, end: at };
}

function quotedPiece(text: string, at: number): { readonly value: string; readonly end: number } {
  const quote = text[at];
  if (quote === "'") {
    const end = text.indexOf("'", at + 1);
    return end === -1 ? { value: "", end: text.length } : { value: text.slice(at + 1, end), end: end + 1 };
  }
  if (quote === "\\") return { value: text[at + 1] ?? "", end: at + 2 };
  if (quote !== '"') return { value: quote as string, end: at + 1 };
  let value = "";
  let index = at + 1;
  while (index < text.length && text[index] !== '"') {
    if (text[index] === "\\") index += 1;
    value += text[index] ?? "";
    index += 1;
  }
  return { value, end: index + 1 };
}

const letters: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  a: "\x07",
  b: "\b",
  v: "\v",
  f: "\f",
  E: "\x1b",
  e: "\x1b",
};

/** `$'…'`, in which bytes beyond ASCII may stand as octal escapes. */
function cQuoted(text: string, start: number): { readonly value: string; readonly end: number } {
  const bytes: Uint8Array[] = [];
  let at = start;
  while (at < text.length && text[at] !== "'") {
    const piece = /^(?:\\[0-7]{1,3}|\\[\s\S]|[^\\']+)/.exec(text.slice(at, at + 4_096))?.[0] ?? "\\";
    bytes.push(cPiece(piece));
    at += piece.length;
  }
  return { value: Buffer.concat(bytes).toString("utf8"), end: at + 1 };
}

function cPiece(piece: string): Uint8Array {
  if (!piece.startsWith("\\")) return Buffer.from(piece);
  if (/^\\[0-7]/.test(piece)) return Uint8Array.of(Number.parseInt(piece.slice(1), 8) & 0xff);
  const letter = piece.slice(1);
  return Buffer.from(letters[letter] ?? letter);
}
