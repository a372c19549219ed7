/** What a form's blanks were filled with. */
export type Filled = Readonly<Record<string, string>>;

const quotes: readonly (readonly [string, string])[] = [
  ["```", "```"],
  ["`", "`"],
  ['"', '"'],
  ["“", "”"],
  ["「", "」"],
  ["『", "』"],
  ["‘", "’"],
  ["'", "'"],
];

/** A text whose quoted parts stand aside, so that no word inside them is taken for grammar. */
export interface Masked {
  readonly text: string;
  readonly values: readonly string[];
  /** The quoted parts with their marks. */
  readonly quoted: readonly string[];
}

const holder = (index: number) => `\uE000${index}\uE001`;
const holders = /\uE000(\d+)\uE001/g;

export function mask(text: string): Masked {
  const values: string[] = [];
  const marked: string[] = [];
  let result = "";
  let index = 0;
  while (index < text.length) {
    const quoted = quotedAt(text, index);
    if (quoted) {
      result += holder(values.length);
      values.push(quoted.value);
      marked.push(text.slice(index, quoted.end));
      index = quoted.end;
    } else {
      result += text[index];
      index += 1;
    }
  }
  return { text: result, values, quoted: marked };
}

function quotedAt(text: string, index: number): { readonly value: string; readonly end: number } | undefined {
  const pair = quotes.find(([open]) => text.startsWith(open, index));
  if (!pair) return undefined;
  const [open, close] = pair;
  // An apostrophe inside a word is none.
  if (open === "'" && /\w/.test(text[index - 1] ?? "")) return undefined;
  const end = text.indexOf(close, index + open.length);
  if (end < 0) return undefined;
  const inner = text.slice(index + open.length, end);
  return { value: open === "```" ? inner.replace(/^\w*\n/, "").replace(/\n$/, "") : inner, end: end + close.length };
}

/** Puts the quoted parts back; a text that is one quoted part alone comes without its marks. */
export function unmask(text: string, values: readonly string[]): string {
  return text.trim().replace(holders, (_, index: string) => values[Number(index)] ?? "");
}

export function isQuoted(text: string): boolean {
  return /^\uE000\d+\uE001$/.test(text.trim());
}

const blanks: Readonly<Record<string, string>> = {
  path: "(?<path>\\uE000\\d+\\uE001|[^\\s,;:，；：。！？“”\\uE000]+?)",
  glob: "(?<glob>[^\\s,\\uE000]*\\*[^\\s,\\uE000]*)",
  pattern: "(?<pattern>\\uE000\\d+\\uE001|\\S(?:.*?\\S)?)",
  // Neither reaches over an empty line: what stands behind one was added by others.
  text: "(?<text>(?:(?!\\n\\s*\\n)[\\s\\S])+?)",
  command: "(?<command>(?:(?!\\n\\s*\\n)[\\s\\S])+?)",
};

const compiled = new Map<string, RegExp>();

/** The blanks of a form that a masked text fits, or nothing. */
export function fill(form: string, text: string): Filled | undefined {
  const expression = compiled.get(form) ?? compile(form);
  compiled.set(form, expression);
  const match = expression.exec(text);
  return match
    ? Object.fromEntries(Object.entries(match.groups ?? {}).filter(([, value]) => value !== undefined))
    : undefined;
}

function compile(form: string): RegExp {
  const words = form.split(" ").map(wordPattern);
  return new RegExp(`^${words.join("")}[\\s.!?。！？]*$`, "iu");
}

/** Latin words need a blank or an end behind them, so that `a.txt` is not the article; Chinese ones and what is filled in stand close. */
function wordPattern(word: string): string {
  const optional = word.startsWith("[");
  const bare = optional ? word.slice(1, -1) : word;
  const blank = blanks[/^\{(\w+)\}$/.exec(bare)?.[1] ?? ""];
  if (blank) return `${blank}\\s*`;
  const choices = bare
    .split("|")
    .map((choice) => choice.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))
    .sort((a, b) => b.length - a.length);
  const latin = choices
    .filter((choice) => /^[\w']+$/.test(choice))
    .map((choice) => `\\b${choice}(?![\\w/\\\\-]|\\.\\w)`);
  const others = choices.filter((choice) => !/^[\w']+$/.test(choice));
  const pattern = `(?:${[...latin, ...others].join("|")})\\s*`;
  return optional ? `(?:${pattern})?` : pattern;
}
