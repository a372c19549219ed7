import { type ChildProcess, spawn as nodeSpawn } from "node:child_process";
import type { Socket } from "node:net";
import { StringDecoder } from "node:string_decoder";
import { endTree, treeVariable } from "./process-tree.ts";
import { endWithUs } from "./spawn.ts";
import { spawnError } from "./spawn-error.ts";

export interface LineChannelOptions {
  readonly cwd: string;
  /** The whole environment of the child. */
  readonly env: Readonly<Record<string, string>>;
  /** One line that the child wrote to the channel, without its end. */
  readonly onLine: (line: string) => void;
  /** What it wrote to its standard streams. */
  readonly onOutput: (text: string, stream: "stdout" | "stderr") => void;
}

/** A child that is spoken to in lines over descriptor 3, apart from its standard streams. Its input is the null device. */
export interface LineChannel {
  readonly pid: number;
  /** Text with its line end. Nothing happens when the child is gone. */
  send(text: string): void;
  /** Bytes that the child has not taken yet. */
  readonly waitingBytes: number;
  readonly exit: Promise<{ readonly code: number | null; readonly signal: string | null }>;
  /** Whether the running child keeps this process alive. */
  keepAlive(does: boolean): void;
  /** Closes the channel; a child that ends by itself upon that is left to it. */
  end(): void;
  /** Ends the child and its descendants; settles when they are gone. */
  kill(): Promise<void>;
}

const graceMs = 500;
let count = 0;

/** Rejects with a `HostError` that names the program. The descriptor's number is given to the child as `{fd}` in its arguments. */
export async function startLineChannel(
  file: string,
  args: readonly string[],
  options: LineChannelOptions,
): Promise<LineChannel> {
  count += 1;
  const mark = `${process.pid}-channel.${count}`;
  const outer = options.env[treeVariable];
  const env = { ...options.env, [treeVariable]: outer === undefined ? `.${mark}.` : `${outer}.${mark}.` };
  const child = nodeSpawn(
    file,
    args.map((text) => text.replaceAll("{fd}", "3")),
    {
      cwd: options.cwd,
      env,
      detached: process.platform !== "win32",
      stdio: ["ignore", "pipe", "pipe", "pipe"],
      windowsHide: true,
    },
  );
  await new Promise<void>((resolve, reject) => {
    child.once("spawn", resolve);
    child.once("error", (error) => reject(spawnError(file, options.cwd, error)));
  });
  return channelOf(child, mark, options);
}

function channelOf(child: ChildProcess, mark: string, options: LineChannelOptions): LineChannel {
  const pid = child.pid as number;
  const channel = child.stdio[3] as unknown as Socket;
  const letGo = endWithUs(pid);
  const streams = [child.stdout, child.stderr, channel] as unknown as readonly Socket[];
  let ending: Promise<void> | undefined;

  for (const name of ["stdout", "stderr"] as const) {
    const decoder = new StringDecoder("utf8");
    child[name]?.on("data", (piece: Buffer) => options.onOutput(decoder.write(piece), name));
  }
  for (const stream of streams) stream.on("error", () => undefined); // the exit tells what became of it
  channel.setEncoding("utf8").on("data", linesOf(options.onLine));
  const exit = new Promise<{ code: number | null; signal: string | null }>((resolve) => {
    // `close` comes when all streams are read, or never where a grandchild holds them.
    child.once("exit", (code, signal) => {
      letGo();
      const done = (): void => {
        for (const stream of streams) stream.destroy();
        resolve({ code, signal });
      };
      const late = setTimeout(done, graceMs / 2);
      child.once("close", () => {
        clearTimeout(late);
        done();
      });
    });
  });
  return {
    pid,
    exit,
    send: (text) => void (channel.writable && channel.write(text)),
    get waitingBytes() {
      return channel.writableLength;
    },
    keepAlive(does) {
      for (const one of [child, ...streams]) does ? one.ref() : one.unref();
    },
    end: () => void channel.end(),
    async kill() {
      const rootEnded = (): boolean => child.exitCode !== null || child.signalCode !== null;
      ending ??= endTree({ root: pid, mark: `.${mark}.`, rootEnded }, graceMs);
      await ending;
      await exit;
    },
  };
}

/** Cuts text into lines. Only the new piece is searched, however long a line is. */
export function linesOf(onLine: (line: string) => void): (piece: string) => void {
  let rest: string[] = [];
  return (piece) => {
    let from = 0;
    for (let at = piece.indexOf("\n"); at >= 0; at = piece.indexOf("\n", from)) {
      const tail = piece.slice(from, at);
      from = at + 1;
      if (rest.length === 0) onLine(tail);
      else {
        rest.push(tail);
        const line = rest.join("");
        rest = [];
        onLine(line);
      }
    }
    if (from < piece.length) rest.push(piece.slice(from));
  };
}
