import type { FileStore } from "./chat-ports.ts";

const kept = 1000;

/** The lines that a person typed in earlier chats, oldest first; one JSON string per line, so that pasted lines survive. */
export interface History {
  readonly lines: readonly string[];
  add(line: string): void;
}

export async function openHistory(files: FileStore, path: string): Promise<History> {
  const text = (await files.read(path)) ?? "";
  const lines = text
    .split("\n")
    .map(parsed)
    .filter((line) => line !== undefined)
    .slice(-kept);
  return {
    lines,
    add(line) {
      if (line === lines.at(-1)) return;
      lines.push(line);
      files.append(path, `${JSON.stringify(line)}\n`);
    },
  };
}

function parsed(line: string): string | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "string" ? value : undefined;
  } catch {
    return undefined;
  }
}
