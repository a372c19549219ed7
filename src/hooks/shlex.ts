/** Words of a command line, or why it has none. */
export type Words =
  | { readonly words: readonly string[] }
  | { readonly problem: "No closing quotation" | "No escaped character" };

/** Between words, inside one, inside a quotation, or after a backslash that stood in the state `within`. */
type State = "space" | "word" | '"' | "'" | { readonly within: "word" | '"' };

const blank = (character: string): boolean => " \t\r\n".includes(character);

/**
 * Splits a command line into words exactly as `shlex.split` of Python's standard library: quotation marks and backslashes
 * count, nothing is expanded, `#` begins no comment, an empty quotation is an empty word.
 */
export function shlex(line: string): Words {
  const words: string[] = [];
  let word: string | undefined;
  const add = (text: string): void => {
    word = (word ?? "") + text;
  };
  let state: State = "space";
  for (const character of line) {
    const next: State | undefined =
      typeof state === "object" ? escaped(state, character, add) : inside(state, character, add);
    if (next === "space" && word !== undefined) {
      words.push(word);
      word = undefined;
    }
    state = next;
  }
  if (typeof state === "object") return { problem: "No escaped character" };
  if (state === '"' || state === "'") return { problem: "No closing quotation" };
  if (word !== undefined) words.push(word);
  return { words };
}

function inside(state: Exclude<State, object>, character: string, add: (text: string) => void): State {
  if (state === '"' || state === "'") {
    if (character === state) return "word";
    if (character === "\\" && state === '"') return { within: state };
    add(character);
    return state;
  }
  if (blank(character)) return "space";
  if (character === "\\") return { within: "word" };
  if (character === '"' || character === "'") {
    add("");
    return character;
  }
  add(character);
  return "word";
}

/** Inside double quotation marks a backslash is kept unless it stands before one of them or before another backslash. */
function escaped(state: { readonly within: "word" | '"' }, character: string, add: (text: string) => void): State {
  add(state.within === '"' && character !== "\\" && character !== '"' ? `\\${character}` : character);
  return state.within;
}
