import type { Output } from "./process.ts";

export interface BoundedOutput {
  push(chunk: Buffer): void;
  output(): Output;
}

/**
 * Keeps the first and the last half of `keepBytes`; memory never exceeds that, however many or small the chunks.
 * Where something was dropped, the text says so on a line of its own; a character that the cut would split is dropped whole.
 */
export function boundedOutput(keepBytes: number): BoundedOutput {
  const headLimit = Math.ceil(keepBytes / 2);
  const head = growingBytes(headLimit);
  const tail = ringBytes(keepBytes - headLimit);
  let totalBytes = 0;
  return {
    push(chunk) {
      totalBytes += chunk.length;
      const taken = head.push(chunk);
      if (taken < chunk.length) tail.push(chunk.subarray(taken));
    },
    output() {
      const first = head.bytes();
      const last = tail.bytes();
      if (first.length + last.length === totalBytes) {
        const text = last.length === 0 ? first.toString("utf8") : Buffer.concat([first, last]).toString("utf8");
        return { text, totalBytes, droppedBytes: 0 };
      }
      const start = first.subarray(0, wholeEnd(first));
      const end = last.subarray(wholeStart(last));
      const droppedBytes = totalBytes - start.length - end.length;
      const text = `${start.toString("utf8")}\n[... ${droppedBytes} bytes left out ...]\n${end.toString("utf8")}`;
      return { text, totalBytes, droppedBytes };
    },
  };
}

/** Takes bytes up to the limit; `push` says how many it took. */
function growingBytes(limit: number): { push(chunk: Buffer): number; bytes(): Buffer } {
  let buffer = Buffer.alloc(0);
  let used = 0;
  return {
    push(chunk) {
      const count = Math.min(chunk.length, limit - used);
      if (count === 0) return 0;
      if (used + count > buffer.length) {
        const larger = Buffer.allocUnsafe(Math.min(limit, Math.max(used + count, buffer.length * 2, 1024)));
        buffer.copy(larger, 0, 0, used);
        buffer = larger;
      }
      chunk.copy(buffer, used, 0, count);
      used += count;
      return count;
    },
    bytes: () => buffer.subarray(0, used),
  };
}

/** Keeps the last `size` bytes. */
function ringBytes(size: number): { push(chunk: Buffer): void; bytes(): Buffer } {
  let ring: Buffer | undefined;
  let position = 0;
  let filled = 0;
  return {
    push(chunk) {
      if (size === 0) return;
      ring ??= Buffer.allocUnsafe(size);
      const source = chunk.length > size ? chunk.subarray(chunk.length - size) : chunk;
      const untilEnd = Math.min(source.length, size - position);
      source.copy(ring, position, 0, untilEnd);
      source.copy(ring, 0, untilEnd);
      position = (position + source.length) % size;
      filled = Math.min(size, filled + source.length);
    },
    bytes() {
      if (ring === undefined) return Buffer.alloc(0);
      if (filled < size) return ring.subarray(0, filled);
      return Buffer.concat([ring.subarray(position), ring.subarray(0, position)]);
    },
  };
}

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;

function sequenceLength(lead: number): number {
  if (lead >= 0xf0) return 4;
  if (lead >= 0xe0) return 3;
  return lead >= 0xc0 ? 2 : 1;
}

/** Where the last whole character of the bytes ends. */
function wholeEnd(bytes: Buffer): number {
  let start = bytes.length - 1;
  while (start > 0 && bytes.length - start < 4 && isContinuation(bytes[start])) start -= 1;
  const lead = bytes[start];
  if (lead === undefined) return bytes.length;
  return start + sequenceLength(lead) > bytes.length ? start : bytes.length;
}

/** Where the first whole character of the bytes starts. */
function wholeStart(bytes: Buffer): number {
  let start = 0;
  while (start < 3 && isContinuation(bytes[start])) start += 1;
  return start;
}
