import { randomBytes } from "node:crypto";

const two = (value: number): string => String(value).padStart(2, "0");

/** `20261130_185044_ab12cd`: local date and time, then six random hexadecimal digits. Sorts by age. */
export function sessionId(at: Date = new Date()): string {
  const day = `${at.getFullYear()}${two(at.getMonth() + 1)}${two(at.getDate())}`;
  const time = `${two(at.getHours())}${two(at.getMinutes())}${two(at.getSeconds())}`;
  return `${day}_${time}_${randomBytes(3).toString("hex")}`;
}

let lastMs = 0;
let sequence = 0;

/** A UUID of version 7; those of one process sort in the order in which they were made. */
export function uuid(): string {
  const at = Math.max(Date.now(), lastMs);
  sequence = at === lastMs ? sequence + 1 : 0;
  lastMs = sequence > 0xfff ? at + 1 : at;
  if (sequence > 0xfff) sequence = 0;
  const time = lastMs.toString(16).padStart(12, "0");
  const random = randomBytes(8);
  random[0] = ((random[0] ?? 0) & 0x3f) | 0x80;
  const tail = random.toString("hex");
  const counter = sequence.toString(16).padStart(3, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-7${counter}-${tail.slice(0, 4)}-${tail.slice(4)}`;
}
