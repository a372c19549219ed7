import { appendLine, readTextIfExists } from "#host";

const kept = 1000;

/** The lines that a person typed in earlier chats, oldest first. Lost history is no reason to fail: errors are told to `complain`. */
export interface History {
  readonly lines: readonly string[];
  add(line: string): void;
}

/** One JSON string per line, so that a pasted text with line breaks stays one entry. */
export async function openHistory(path: string, complain: (error: unknown) => void): Promise<History> {
  const lines = await read(path, complain);
  return {
    lines,
    add(line) {
      if (line === lines.at(-1)) return;
      lines.push(line);
      appendLine(path, JSON.stringify(line)).catch(complain);
    },
  };
}

async function read(path: string, complain: (error: unknown) => void): Promise<string[]> {
  try {
    const file = await readTextIfExists(path);
    const entries = (file?.text ?? "").split("\n").flatMap(entry);
    return entries.slice(-kept);
  } catch (error) {
    complain(error);
    return [];
  }
}

/** A line that is no JSON string (cut off by a crash, edited by hand) is left out. */
function entry(line: string): readonly string[] {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "string" ? [value] : [];
  } catch {
    return [];
  }
}
