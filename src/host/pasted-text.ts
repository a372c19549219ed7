import { Transform } from "node:stream";
import { StringDecoder } from "node:string_decoder";

const begin = "\x1b[200~";
const finish = "\x1b[201~";

/** What a terminal is told so that it marks what is pasted, and so that it does no more. */
export const pasteMarks = { on: "\x1b[?2004h", off: "\x1b[?2004l" };

/** How line breaks and tabs of a pasted text stand in the one line of the editor, which they would enter or complete. */
export const asLine = (text: string): string =>
  text
    .replaceAll(/\r\n?|\n/g, "␤")
    .replaceAll("\t", "␉")
    .replaceAll(/\p{Cc}/gu, "");

/** The text that such a line stands for. */
export const asText = (line: string): string => line.replaceAll("␤", "\n").replaceAll("␉", "\t");

/**
 * Keys of a terminal with pasted text made harmless: it comes out as if it had been typed in one line, without the
 * marks around it and without the line break at its end, so that only the person enters it.
 */
export function pastedText(): Transform {
  const decoder = new StringDecoder("utf8");
  let held = "";
  let inside = false;
  const take = (): string => {
    let out = "";
    for (;;) {
      const mark = inside ? finish : begin;
      const at = held.indexOf(mark);
      if (at < 0) return out;
      const before = held.slice(0, at);
      out += inside ? asLine(before.replace(/[\r\n]+$/, "")) : before;
      held = held.slice(at + mark.length);
      inside = !inside;
    }
  };
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      held += decoder.write(chunk);
      const out = take();
      // A pasted text waits for its end; of keys only what may be the beginning of a mark does.
      const kept = inside ? held.length : startOfMark(held);
      const ready = held.slice(0, held.length - kept);
      held = held.slice(held.length - kept);
      done(null, out + ready);
    },
  });
}

/** How many characters at the end may begin a mark. The escape key alone never waits. */
function startOfMark(text: string): number {
  for (let length = begin.length - 1; length > 1; length--) if (text.endsWith(begin.slice(0, length))) return length;
  return 0;
}
