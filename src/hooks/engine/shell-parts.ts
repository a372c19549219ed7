/** What a shell text runs, as far as it can be told without running it. */
export interface ShellParts {
  /** Simple commands, without leading assignments and wrappers; those inside of substitutions too. */
  readonly commands: readonly string[];
  /** It has `$(…)`, backquotes or variables: what runs is only known when it runs. */
  readonly dynamic: boolean;
  /** False where the text ends inside a quote or bracket. */
  readonly sound: boolean;
}

interface Reading {
  readonly text: string;
  at: number;
  readonly commands: string[];
  dynamic: boolean;
  sound: boolean;
}

/** Nested deeper than this, a text counts as one that cannot be read. */
const deepest = 20;

/** Splits at `&&`, `||`, `;`, `|`, `|&`, `&` and line ends. Never throws. */
export function shellParts(text: string, depth = 0): ShellParts {
  const reading: Reading = { text, at: 0, commands: [], dynamic: false, sound: depth <= deepest };
  let start = 0;
  const close = (end: number): void => {
    const command = simple(text.slice(start, end));
    if (command !== "") reading.commands.push(command);
  };
  while (reading.sound && reading.at < text.length) {
    const separator = separatorAt(text, reading.at);
    if (separator > 0) {
      close(reading.at);
      reading.at += separator;
      start = reading.at;
    } else readPiece(reading, depth);
  }
  close(text.length);
  return reading;
}

/** Length of what ends a command here, or 0; the `&` of a redirection ends none. */
function separatorAt(text: string, at: number): number {
  const two = text.slice(at, at + 2);
  if (two === "&&" || two === "||" || two === "|&") return 2;
  const one = text[at] ?? "";
  if (one === "&") return two === "&>" || text[at - 1] === ">" || text[at - 1] === "<" ? 0 : 1;
  return ";|\n(){}".includes(one) && !isWordBrace(text, at) ? 1 : 0;
}

/** Braces group commands only where they stand alone; `{a,b}` is part of a word. */
const isWordBrace = (text: string, at: number): boolean =>
  (text[at] === "{" || text[at] === "}") &&
  !(/^[\s;]?$/.test(text[at - 1] ?? "") && /^[\s;]?$/.test(text[at + 1] ?? ""));

function readPiece(reading: Reading, depth: number): void {
  const { text } = reading;
  const character = text[reading.at] ?? "";
  if (character === "\\") reading.at += 2;
  else if (character === "'") skipTo(reading, "'", 1);
  else if (character === '"') readQuoted(reading, depth);
  else if (character === "`" || character === "$") readDynamic(reading, depth);
  else if ((character === "<" || character === ">") && text[reading.at + 1] === "(") readNested(reading, 2, depth);
  else if (character === "#" && /^\s?$/.test(text[reading.at - 1] ?? "")) skipComment(reading);
  else reading.at++;
}

function skipComment(reading: Reading): void {
  const end = reading.text.indexOf("\n", reading.at);
  reading.at = end < 0 ? reading.text.length : end;
}

function skipTo(reading: Reading, close: string, from: number): string {
  const start = reading.at + from;
  const end = reading.text.indexOf(close, start);
  if (end < 0) reading.sound = false;
  reading.at = end < 0 ? reading.text.length : end + 1;
  return reading.text.slice(start, end < 0 ? undefined : end);
}

function readQuoted(reading: Reading, depth: number): void {
  const { text } = reading;
  reading.at++;
  while (reading.at < text.length && text[reading.at] !== '"') {
    const character = text[reading.at];
    if (character === "\\") reading.at += 2;
    else if (character === "`" || character === "$") readDynamic(reading, depth);
    else reading.at++;
  }
  if (reading.at >= text.length) reading.sound = false;
  reading.at++;
}

function readDynamic(reading: Reading, depth: number): void {
  const { text, at } = reading;
  if (text[at] === "`") {
    reading.dynamic = true;
    take(reading, skipTo(reading, "`", 1), depth);
  } else if (text.startsWith("$(", at)) {
    reading.dynamic = true;
    readNested(reading, 2, depth);
  } else {
    if (/[\w{@*#?!$-]/.test(text[at + 1] ?? "")) reading.dynamic = true;
    // `${…}` is passed over whole: what stands in it ends no command.
    if (text[at + 1] === "{") skipTo(reading, "}", 2);
    else reading.at++;
  }
}

function readNested(reading: Reading, opener: number, depth: number): void {
  const start = reading.at + opener;
  reading.at = start;
  for (let level = 1; reading.at < reading.text.length; ) {
    const character = reading.text[reading.at];
    if (character === "(") level++;
    if (character === ")" && --level === 0) {
      take(reading, reading.text.slice(start, reading.at++), depth);
      return;
    }
    if (character === "\\") reading.at += 2;
    else if (character === "'") skipTo(reading, "'", 1);
    else if (character === '"') skipQuotes(reading);
    else reading.at++;
  }
  reading.sound = false;
}

function skipQuotes(reading: Reading): void {
  reading.at++;
  while (reading.at < reading.text.length && reading.text[reading.at] !== '"')
    reading.at += reading.text[reading.at] === "\\" ? 2 : 1;
  reading.at++;
}

function take(reading: Reading, inner: string, depth: number): void {
  const { commands, sound } = shellParts(inner, depth + 1);
  reading.commands.push(...commands);
  reading.dynamic = true;
  if (!sound) reading.sound = false;
}

const keyword = /^(?:if|then|elif|else|do|while|until|!)\s+/;
const assignment = /^[A-Za-z_]\w*\+?=(?:"(?:[^"\\]|\\.)*"|'[^']*'|\\.|[^\s"'\\])*(?:\s+|$)/;
const bare = /^(?:nohup|command|builtin|noglob)\s+/;
const timed = /^timeout(?:\s+(?:-[ks]\s+\S+|--?[\w-]+(?:=\S+)?))*\s+[\d.]+[smhd]?\s+/;
const time = /^time(?:\s+-p)?\s+/;
const nice = /^nice(?:\s+-n\s*-?\d+|\s+-\d+|\s+--adjustment=-?\d+)?\s+/;
const buffered = /^stdbuf(?:\s+-[ioe]\s*\S+|\s+--\w+=\S+)+\s+/;
const arguments_ = /^xargs\s+(?!-)/;
const wrappers = [keyword, assignment, bare, timed, time, nice, buffered, arguments_];

/** A command without the assignments before it and the programs that only start another. */
function simple(written: string): string {
  let text = written.trim();
  for (let again = true; again; ) {
    again = false;
    for (const wrapper of wrappers) {
      const rest = text.replace(wrapper, "");
      if (rest === text) continue;
      text = rest;
      again = true;
    }
  }
  return text;
}
