export type LineEnding = "\n" | "\r\n";

/** The ending that most lines have; that of a text without lines is `\n`. */
export function lineEndingOf(text: string): LineEnding {
  const windows = text.split("\r\n").length - 1;
  const all = text.split("\n").length - 1;
  return windows > all - windows ? "\r\n" : "\n";
}

export function withLineEnding(text: string, ending: LineEnding): string {
  const plain = text.replaceAll("\r\n", "\n");
  return ending === "\n" ? plain : plain.replaceAll("\n", "\r\n");
}

/** A text in which every line ends with `\n`, and the way back from a place in it to the place in the original. */
export interface PlainLines {
  readonly text: string;
  readonly original: (offset: number) => number;
}

export function plainLines(text: string): PlainLines {
  if (!text.includes("\r\n")) return { text, original: (offset) => offset };
  const plain = text.replaceAll("\r\n", "\n");
  const removed: number[] = [];
  for (let at = text.indexOf("\r\n"); at !== -1; at = text.indexOf("\r\n", at + 2)) removed.push(at - removed.length);
  return { text: plain, original: (offset) => offset + countBelow(removed, offset) };
}

/** How many of the ascending places lie before `offset`. */
function countBelow(places: readonly number[], offset: number): number {
  let low = 0;
  let high = places.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((places[middle] as number) < offset) low = middle + 1;
    else high = middle;
  }
  return low;
}
