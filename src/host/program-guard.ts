/** The frames of whoever called `from`. */
function callerStack(from: (...given: readonly never[]) => unknown): string {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 50;
  const holder: { stack?: string } = {};
  Error.captureStackTrace(holder, from);
  Error.stackTraceLimit = limit;
  return holder.stack ?? "";
}

/**
 * Asks before this process is ended by `process.exit`, `abort`, `reallyExit` or a signal to itself; it is given the frames of
 * the caller, and a text refuses, as the message of the error that the caller gets. Returns its undo.
 */
export function guardExit(refusal: (call: string, stack: string) => string | undefined): () => void {
  const own = process as unknown as Record<string, unknown>;
  const undo = ["exit", "abort", "reallyExit", "kill"].map((name) => {
    const before = own[name] as (...given: readonly unknown[]) => unknown;
    const guarded = function (this: unknown, ...given: readonly unknown[]): unknown {
      const isOther = name === "kill" && ![process.pid, -process.pid, 0].includes(Number(given[0]));
      const isQuestion = name === "kill" && given[1] === 0;
      const call = `process.${name}(${given.map(String).join(", ")})`;
      const why = isOther || isQuestion ? undefined : refusal(call, callerStack(guarded));
      if (why !== undefined) throw new Error(why);
      return before.apply(process, [...given]);
    };
    own[name] = guarded;
    return () => {
      if (own[name] === guarded) own[name] = before;
    };
  });
  return () => {
    for (const one of undo) one();
  };
}

/** Hands what is printed by `console` to `take`; where that says false it is printed as ever. Returns its undo. */
export function captureConsole(
  format: (values: readonly unknown[]) => string,
  take: (text: string) => boolean,
): () => void {
  const own = console as unknown as Record<string, (...values: readonly unknown[]) => void>;
  const undo = ["log", "info", "debug", "warn", "error", "trace"].map((name) => {
    const before = own[name];
    const captured = (...values: readonly unknown[]): void => {
      if (!take(format(values))) before?.(...values);
    };
    own[name] = captured;
    return () => {
      if (own[name] === captured && before !== undefined) own[name] = before;
    };
  });
  return () => {
    for (const one of undo) one();
  };
}

type Stream = "stdout" | "stderr";

/**
 * Hands what is written by `process.stdout.write` and `process.stderr.write` to `take`, with the frames of the caller, while
 * `asks` says yes; where `take` says false it is written as ever. Returns its undo.
 */
export function captureStreams(
  asks: () => boolean,
  take: (text: string, stream: Stream, stack: string) => boolean,
): () => void {
  const undo = (["stdout", "stderr"] as const).map((name) => {
    const stream = process[name];
    const before = stream.write as (...given: readonly unknown[]) => boolean;
    const captured = (piece: string | Uint8Array, ...rest: readonly unknown[]): boolean => {
      const isTaken = asks() && take(textOf(piece), name, callerStack(captured as never));
      if (!isTaken) return before.call(stream, piece, ...rest);
      const done = rest.at(-1);
      if (typeof done === "function") process.nextTick(done);
      return true;
    };
    stream.write = captured as typeof stream.write;
    return () => {
      if (stream.write === captured) stream.write = before as typeof stream.write;
    };
  });
  return () => {
    for (const one of undo) one();
  };
}

const textOf = (piece: string | Uint8Array): string =>
  typeof piece === "string" ? piece : Buffer.from(piece).toString("utf8");

type Handler = (error: unknown) => void;

const handlers = new Set<Handler>();
const claims = new Set<(error: unknown) => boolean>();

function uncaught(error: unknown): void {
  for (const claim of claims) if (claim(error)) return;
  for (const handler of handlers) handler(error);
  const others = process.listenerCount("uncaughtException") > 1 || process.listenerCount("unhandledRejection") > 1;
  if (handlers.size > 0 || others) return;
  // Nobody but the claims listens: it ends the process as it would have without them.
  stopListening();
  process.nextTick(() => {
    throw error;
  });
}

function listen(): void {
  if (process.listeners("uncaughtException").includes(uncaught)) return;
  process.on("uncaughtException", uncaught);
  process.on("unhandledRejection", uncaught);
}

function stopListening(): void {
  process.off("uncaughtException", uncaught);
  process.off("unhandledRejection", uncaught);
}

/** Errors that nobody caught: reported, never silent, and the process goes on. */
export function onUncaught(handler: Handler): void {
  handlers.add(handler);
  listen();
}

/** Is asked first; true: the error is dealt with and goes no further. Returns its undo. */
export function claimUncaught(claim: (error: unknown) => boolean): () => void {
  claims.add(claim);
  listen();
  return () => {
    claims.delete(claim);
    if (claims.size + handlers.size === 0) stopListening();
  };
}
