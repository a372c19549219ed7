import { resolve } from "node:path";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { after, type RunningProcess, spawn } from "#host";
import type { ServerPlace } from "./settings.ts";

export interface StdioOptions {
  readonly place: Extract<ServerPlace, { readonly kind: "stdio" }>;
  /** Where the program was started; a relative `cwd` starts here. */
  readonly cwd: string;
  /** The whole environment of the server. */
  readonly env: Readonly<Record<string, string>>;
  /** Reads one line; throws where it is no message. */
  readonly parse: (line: string) => JSONRPCMessage;
  readonly onStderr: (text: string) => void;
}

export interface StdioTransport extends Transport {
  /** How the server ended, undefined while it runs. */
  ending(): string | undefined;
  /** What it does instead of answering, where that is known. */
  silence(): string | undefined;
}

/** Characters of one message; a longer one ends the connection. */
const longestLine = 16 << 20;
/** Characters without a message in between; more ends the connection. */
const mostNoise = 16 << 20;
/** So many explain why a server does not answer. */
const tellingNoise = 64 << 10;
/** Milliseconds between the end of a server's input and the signal. */
const politeMs = 200;

/**
 * Messages over the standard streams of a program, one per line. Lines that are no message are passed over. The program
 * is a tree of its own, ended as a whole.
 */
export function stdioTransport({ place, cwd, env, parse, onStderr }: StdioOptions): StdioTransport {
  let child: RunningProcess | undefined;
  let ending: string | undefined;
  let isOver = false;
  const end = (why: string): void => {
    ending ??= why;
    void transport.close();
  };
  const lines = lineReader({
    line: (text) => {
      const message = messageOf(text, parse);
      if (message === undefined || isOver) return false;
      transport.onmessage?.(message);
      return true;
    },
    tooMuch: (why) => end(why),
  });
  const over = (): void => {
    if (isOver) return;
    isOver = true;
    transport.onclose?.();
  };
  const transport: StdioTransport = {
    ending: () => ending,
    silence: lines.silence,
    async start() {
      child = await spawn(place.command, place.args, {
        cwd: place.cwd === undefined ? cwd : resolve(cwd, place.cwd),
        env,
        interactive: true,
        keepBytes: 2048,
        onOutput: (text, stream) => {
          if (stream === "stderr") onStderr(text);
          else if (!isOver) lines.read(text);
        },
      });
      void child.exit.then(({ code, signal }) => {
        if (!isOver) ending ??= signal === null ? `it ended with status ${code}` : `it was ended by ${signal}`;
        over();
      });
    },
    async send(message) {
      if (child === undefined || isOver) throw new Error(ending ?? "it is not running");
      child.write(`${JSON.stringify(message)}\n`);
    },
    async close() {
      over();
      if (child === undefined) return;
      child.closeInput();
      await Promise.race([child.exit, new Promise<void>((settle) => void after(politeMs, settle, true))]);
      await child.kill();
    },
  };
  return transport;
}

function messageOf(line: string, parse: (line: string) => JSONRPCMessage): JSONRPCMessage | undefined {
  if (!line.startsWith("{")) return undefined;
  try {
    return parse(line);
  } catch {
    return undefined; // programs print all sorts of things; a call that gets no answer is told by its time limit
  }
}

interface LineReading {
  /** True when the line was a message. */
  readonly line: (text: string) => boolean;
  readonly tooMuch: (why: string) => void;
}

const endlessNoise = "it writes without end what is no message";

interface LineReader {
  readonly read: (text: string) => void;
  /** Why no message may have come so far. */
  readonly silence: () => string | undefined;
}

/** Cuts text into lines, within bounds. */
function lineReader({ line, tooMuch }: LineReading): LineReader {
  let pieces: string[] = [];
  let held = 0;
  let noise = 0;
  const take = (text: string): void => {
    noise = line(text.trim()) ? 0 : noise + text.length;
    if (noise > mostNoise) tooMuch(endlessNoise);
  };
  const read = (text: string): void => {
    let from = 0;
    for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", from)) {
      pieces.push(text.slice(from, at));
      from = at + 1;
      const whole = pieces.join("");
      pieces = [];
      held = 0;
      take(whole);
    }
    const rest = from === 0 ? text : text.slice(from);
    pieces.push(rest);
    held += rest.length;
    if (held <= longestLine) return;
    pieces = [];
    held = 0;
    tooMuch("it wrote a message that is too long");
  };
  return { read, silence: () => (noise > tellingNoise ? endlessNoise : undefined) };
}
