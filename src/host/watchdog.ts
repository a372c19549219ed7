import { every } from "./clock.ts";

/** A piece of code that may stand still: what it is called, and the folder its files lie in. */
export interface Watched {
  readonly name: string;
  readonly folder: string;
}

export interface Watchdog {
  /** Adds one, or takes the place of that of the same name. */
  watch(watched: Watched): void;
  /** Code of this name is entered, on behalf of a session if it is known; the answer is given back to `left`. */
  entered(name: string, session: string | undefined): number;
  left(before: number): void;
  stop(): void;
}

export interface WatchdogOptions {
  /** Milliseconds of standing still. */
  readonly limitMs: number;
  /** A JSON file whose mapping gets `{ name: { place, at } }`. */
  readonly heldFile: string;
  /** What is said before the end; `{name}`, `{place}`, `{seconds}` and `{session}` are filled in. */
  readonly message: string;
}

interface Orders extends WatchdogOptions {
  /** Heartbeat, the number of the code inside of which the thread is, the number of the last one entered. */
  readonly marks: SharedArrayBuffer;
  readonly tickMs: number;
}

const tickMs = 250;

/**
 * A thread that ends this process by SIGKILL when the main thread stands still for `limitMs` in watched code. Only the
 * other thread acts, since nothing can be asked of the one that stands still. Undefined while a debugger is attached.
 */
export function watchdog(options: WatchdogOptions): Watchdog | undefined {
  if (process.getBuiltinModule("node:inspector").url() !== undefined) return undefined;
  const buffer = new SharedArrayBuffer(12);
  const marks = new Int32Array(buffer);
  const numbers = new Map<string, number>();
  const workerData: Orders = { ...options, marks: buffer, tickMs };
  const { Worker } = process.getBuiltinModule("node:worker_threads");
  const worker = new Worker(`(${thread.toString()})(require, ${ending.toString()})`, { eval: true, workerData });
  worker.unref();
  worker.on("error", () => undefined); // without it nobody watches; the program works as ever
  const stopBeating = every(tickMs, () => {
    Atomics.add(marks, 0, 1);
  });
  let told: string | undefined;
  return {
    watch({ name, folder }) {
      const number = numbers.get(name) ?? numbers.size + 1;
      numbers.set(name, number);
      worker.postMessage({ watched: { name, folder, number } });
    },
    entered(name, session) {
      const before = Atomics.load(marks, 1);
      const number = numbers.get(name) ?? 0;
      Atomics.store(marks, 1, number);
      if (number > 0) Atomics.store(marks, 2, number);
      if (session !== undefined && session !== told) {
        told = session;
        worker.postMessage({ session });
      }
      return before;
    },
    left(before) {
      Atomics.store(marks, 1, before);
    },
    stop() {
      stopBeating();
      void worker.terminate();
    },
  };
}

/** The thread's code; it stands alone, since it is handed over as text. */
function thread(load: NodeJS.Require, makeEnd: typeof ending): void {
  const { parentPort, workerData } = load("node:worker_threads") as typeof import("node:worker_threads");
  const { Session } = load("node:inspector") as typeof import("node:inspector");
  const { fileURLToPath } = load("node:url") as typeof import("node:url");
  type Known = { readonly name: string; readonly folder: string; readonly number: number };
  const orders = workerData as Orders;
  const end = makeEnd(load, orders);
  const marks = new Int32Array(orders.marks);
  const limitTicks = Math.max(2, Math.ceil(orders.limitMs / orders.tickMs));
  let known: readonly Known[] = [];
  let session = "";
  let beat = -1;
  let still = 0;
  parentPort?.on("message", (given: { readonly watched?: Known; readonly session?: string }) => {
    const { watched } = given;
    // A folder inside another is found before it.
    if (watched !== undefined)
      known = [...known.filter(({ name }) => name !== watched.name), watched].sort(
        (one, other) => other.folder.length - one.folder.length,
      );
    session = given.session ?? session;
  });
  // Counted in ticks of its own, so that a suspended process is not taken for one that stands still.
  setInterval(() => {
    const now = Atomics.load(marks, 0);
    still = now === beat ? still + 1 : 0;
    beat = now;
    if (still >= limitTicks && (still - limitTicks) % 20 === 0) look();
  }, orders.tickMs);

  const numbered = (mark: number): Known | undefined =>
    known.find(({ number }) => number === Atomics.load(marks, mark));
  function look(): void {
    const inside = numbered(1);
    const looking = new Session();
    let isDone = false;
    const decide = (found: Known | undefined, place: string): void => {
      if (isDone) return;
      isDone = true;
      if (found !== undefined) end(found.name, place, session);
      looking.disconnect();
    };
    // Native code is not interrupted: it is then the plugin that it was called from, or else the last one.
    setTimeout(() => decide(inside ?? numbered(2), ""), 1500);
    try {
      looking.connectToMainThread();
      const scripts = new Map<string, string>();
      looking.on("Debugger.scriptParsed", ({ params }) => scripts.set(params.scriptId, params.url));
      looking.on("Debugger.paused", ({ params }) => {
        for (const { location, url: address } of params.callFrames) {
          const from = scripts.get(location.scriptId) ?? address;
          const file = from.startsWith("file:") ? fileURLToPath(from) : from;
          const found = known.find(({ folder }) => file.startsWith(`${folder}/`));
          if (found !== undefined) decide(found, `${file}:${location.lineNumber + 1}`);
        }
        decide(inside, "");
      });
      looking.post("Debugger.enable");
      looking.post("Debugger.pause");
    } catch {
      decide(inside ?? numbered(2), ""); // there is no inspector in this Node: the marks alone tell
    }
  }
}

/** The last deeds of the process: the plugin is written down, the person is told. It too is handed over as text. */
function ending(load: NodeJS.Require, orders: Orders): (name: string, place: string, session: string) => void {
  const { readFileSync, writeFileSync, writeSync } = load("node:fs") as typeof import("node:fs");
  const { isatty } = load("node:tty") as typeof import("node:tty");
  const held = (): object => {
    try {
      const value: unknown = JSON.parse(readFileSync(orders.heldFile, "utf8"));
      return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
    } catch {
      return {}; // not there, or broken: begun anew
    }
  };
  const say = (text: string): void => {
    try {
      writeSync(2, text);
    } catch {
      // Nobody reads any more, and the end does not wait for that.
    }
  };
  return (name, place, session) => {
    const rows = (): string => JSON.stringify({ ...held(), [name]: { place, at: Date.now() } }, null, 2);
    try {
      writeFileSync(orders.heldFile, `${rows()}\n`, { mode: 0o600 });
    } catch (error) {
      say(`talaria: ${orders.heldFile} could not be written: ${String(error)}\n`);
    }
    // Pasting, mouse, alternate screen and the hidden cursor are put back as they were.
    if (isatty(2)) say("\x1b[?2004l\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?1049l\x1b[?25h\x1b[0m\r\n");
    const words: Record<string, string> = {
      name,
      place: place === "" ? "" : ` at ${place}`,
      seconds: String(Math.round(orders.limitMs / 100) / 10),
      session: session === "" ? "last" : session,
    };
    say(orders.message.replace(/\{(\w+)\}/g, (whole, word: string) => words[word] ?? whole));
    process.kill(process.pid, "SIGKILL");
  };
}
