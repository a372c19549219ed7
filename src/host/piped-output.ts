import { closeSync, readSync } from "node:fs";
import { Socket } from "node:net";
import { StringDecoder } from "node:string_decoder";
import { boundedOutput } from "./bounded-output.ts";
import type { NamedPipe } from "./pipes.ts";
import type { Exit, ProcessOptions } from "./process.ts";

const defaultKeepBytes = 1 << 20;

export function releasePipe(pipe: NamedPipe, isOver: boolean): void {
  closeSync(pipe.reader);
  pipe.release(isOver);
}

/** One stream of a process, from a pipe that nobody reads until it is drained or followed. */
export interface PipedOutput {
  /** Reads from now on whatever comes. */
  follow(): void;
  /** Reads what is there. False where somebody may still write. */
  drain(): boolean;
  /** Settles when all writers are gone. */
  over(): Promise<void>;
  close(): Exit["stdout"];
}

const scratch = Buffer.allocUnsafe(64 << 10);

export function pipedOutput(pipe: NamedPipe, options: ProcessOptions, stream: "stdout" | "stderr"): PipedOutput {
  const kept = boundedOutput(options.keepBytes ?? defaultKeepBytes);
  const { onOutput } = options;
  const decoder = onOutput === undefined ? undefined : new StringDecoder("utf8");
  const over = Promise.withResolvers<void>();
  let isOver = false;
  let isClosed = false;
  let followed: Socket | undefined;
  const emit = (text: string | undefined): void => {
    if (text !== undefined && text !== "") onOutput?.(text, stream);
  };
  const push = (chunk: Buffer): void => {
    if (isClosed) return;
    kept.push(chunk);
    emit(decoder?.write(chunk));
  };
  const finish = (): void => {
    isOver = true;
    over.resolve();
  };
  return {
    follow() {
      if (followed !== undefined || isClosed) return;
      followed = new Socket({ fd: pipe.reader, readable: true, writable: false });
      followed.on("data", push);
      followed.once("end", finish);
      followed.once("error", finish); // a read error is the end of that stream; the exit tells the rest
      followed.once("close", () => pipe.release(isOver));
    },
    drain() {
      if (followed !== undefined || isOver) return isOver;
      try {
        for (let bytes = readSync(pipe.reader, scratch); ; bytes = readSync(pipe.reader, scratch)) {
          if (bytes === 0) break;
          push(scratch.subarray(0, bytes));
        }
        finish();
      } catch {
        this.follow(); // EAGAIN: somebody holds the other end; any other error the stream finds too
      }
      return isOver;
    },
    over: () => over.promise,
    close() {
      emit(decoder?.end());
      isClosed = true;
      // A stream is still read, so that a grandchild left in the background is not ended by a broken pipe.
      if (followed === undefined) releasePipe(pipe, isOver);
      else followed.unref();
      return kept.output();
    },
  };
}
