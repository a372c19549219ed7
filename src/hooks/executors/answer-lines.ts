/** Characters of one line, and of what came without being asked for, that a worker may write before it is given up. */
const longestLine = 8 << 20;
/** A line counts as this many at least: many short ones are as much work as a few long ones. */
const shortestLine = 64;
const mostUnasked = 16 << 20;

export interface WorkerAnswer {
  readonly id: number;
  readonly answer: unknown;
  readonly error: string | undefined;
}

export interface AnswerLines {
  /** Takes a piece of output. Gives the reason where the worker floods and has to be ended. */
  push(text: string): string | undefined;
}

/**
 * Reads a worker's output line by line. `take` says whether anybody waits for the answer; lines that are none, and
 * answers that nobody waits for, are dropped and counted.
 */
export function answerLines(take: (answer: WorkerAnswer) => boolean): AnswerLines {
  let pieces: string[] = [];
  let length = 0;
  let unasked = 0;
  const line = (text: string): void => {
    const answer = text.trimStart().startsWith("{") ? parsed(text) : undefined;
    if (answer !== undefined && take(answer)) unasked = 0;
    else unasked += Math.max(shortestLine, text.length + 1);
  };
  return {
    push(text) {
      let start = 0;
      if (unasked > mostUnasked) return "wrote more than 16 MiB that nobody had asked for";
      for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", start)) {
        line(pieces.join("") + text.slice(start, end));
        pieces = [];
        length = 0;
        start = end + 1;
      }
      if (start < text.length) {
        pieces.push(text.slice(start));
        length += text.length - start;
      }
      if (length > longestLine) return "wrote a line of more than 8 MiB";
      return unasked > mostUnasked ? "wrote more than 16 MiB that nobody had asked for" : undefined;
    },
  };
}

function parsed(text: string): WorkerAnswer | undefined {
  try {
    const given: unknown = JSON.parse(text);
    if (typeof given !== "object" || given === null || !("id" in given) || typeof given.id !== "number")
      return undefined;
    const error = "error" in given && typeof given.error === "string" ? given.error : undefined;
    return { id: given.id, answer: "answer" in given ? given.answer : undefined, error };
  } catch {
    return undefined; // not JSON: a line that somebody printed by mistake
  }
}
