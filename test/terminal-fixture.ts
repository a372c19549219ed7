import { spawn as spawnPty } from "@lydell/node-pty";
import { onTestFinished } from "vitest";
import { cleanEnvironment, program, type RunOptions } from "./program-fixture.ts";

export interface Screen {
  /** All that was written so far, escape sequences taken out. */
  text(): string;
  raw(): string;
  type(keys: string): void;
  resize(columns: number): void;
  /** Waits until the text after the last match holds what is named; fails with the screen after 30 s. */
  sees(wanted: string | RegExp): Promise<void>;
  readonly done: Promise<number>;
}

/** The built program in a pseudo-terminal. */
export function terminal(words: readonly string[], options: RunOptions & { readonly columns?: number }): Screen {
  const child = spawnPty(process.execPath, [program, ...words], {
    cols: options.columns ?? 80,
    rows: 24,
    cwd: options.cwd ?? options.home,
    env: cleanEnvironment(options.home, options.env),
  });
  let raw = "";
  let seen = 0;
  let ended = false;
  child.onData((data) => {
    raw += data;
  });
  const done = new Promise<number>((resolve) =>
    child.onExit(({ exitCode }) => {
      ended = true;
      resolve(exitCode);
    }),
  );
  onTestFinished(() => {
    if (!ended) child.kill("SIGKILL");
  });
  const text = () => plain(raw);
  return {
    text,
    raw: () => raw,
    type: (keys) => child.write(keys),
    resize: (columns) => child.resize(columns, 24),
    done,
    async sees(wanted) {
      const until = Date.now() + 30_000;
      for (;;) {
        const end = endOf(wanted, text().slice(seen));
        if (end !== undefined) {
          seen += end;
          return;
        }
        if (ended || Date.now() > until) throw new Error(`the terminal never showed ${wanted}; it shows:\n${text()}`);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
  };
}

/** Where the first match ends. */
function endOf(wanted: string | RegExp, text: string): number | undefined {
  const match = typeof wanted === "string" ? text.indexOf(wanted) : text.search(wanted);
  if (match < 0) return undefined;
  return match + (typeof wanted === "string" ? wanted.length : (wanted.exec(text)?.[0].length ?? 0));
}

/** What a person would read: no escape sequences, lines that were drawn over dropped, nor the last one while it still moves. */
function plain(raw: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out
  const text = raw.replace(/\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07]*\x07/g, "");
  return text
    .replace(/\r\n/g, "\n")
    .replace(/[^\n]*\r(?!\n)/g, "")
    .replace(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] [^\n]*$/, "");
}
