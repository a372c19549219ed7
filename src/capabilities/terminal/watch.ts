/** Lines told of before a watch falls silent; what matches so often is no rare signal. */
const mostMatches = 8;

export interface Watch {
  push(chunk: string): void;
  /** It fell silent because it matched too often. */
  silenced(): boolean;
}

/** Looks for the patterns, as plain text, in each whole line of a stream and tells of the lines that hold one. */
export function watch(patterns: readonly string[], tell: (pattern: string, line: string) => void): Watch {
  let partial = "";
  let matches = 0;
  return {
    push(chunk) {
      if (matches >= mostMatches) return;
      const lines = (partial + chunk).split("\n");
      partial = (lines.pop() ?? "").slice(-8_192);
      for (const line of lines) {
        const pattern = patterns.find((candidate) => line.includes(candidate));
        if (pattern === undefined) continue;
        matches += 1;
        tell(pattern, line);
        if (matches >= mostMatches) return;
      }
    },
    silenced: () => matches >= mostMatches,
  };
}
