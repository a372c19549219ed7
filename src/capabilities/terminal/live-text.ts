import { displayText } from "./output.ts";

/** Characters that the person who watches is shown. */
const mostCharacters = 200_000;
/** A word that is longer is shown as it comes. */
const longestWord = 4_096;

export interface LiveText {
  push(text: string): void;
  end(): void;
}

/** Hands on what a command prints as it comes, without secrets: the last word is held back until it is whole. */
export function liveText(redact: (text: string) => string, show: (text: string) => void): LiveText {
  let held = "";
  let left = mostCharacters;
  const hand = (all: string) => {
    if (all === "" || left <= 0) return;
    const text = all.slice(0, left);
    left -= text.length;
    show(redact(displayText(text)));
    if (left <= 0) show("\n[more output follows; it is no longer shown here]\n");
  };
  return {
    push(text) {
      if (left <= 0) return;
      const all = held + text;
      const end = all.length - (/\S*$/.exec(all.slice(-longestWord))?.[0].length ?? 0);
      held = all.length - end >= longestWord ? "" : all.slice(end);
      hand(held === "" ? all : all.slice(0, end));
    },
    end() {
      hand(held);
      held = "";
    },
  };
}
