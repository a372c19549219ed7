/** The lines that hold every word, whatever its case. */
export function matching(lines: readonly string[], words: string): string[] {
  const wanted = words.toLowerCase().split(/\s+/);
  return lines.filter((line) => wanted.every((word) => line.toLowerCase().includes(word)));
}
