/** Limits of what the model is shown of a command's output. */
export interface OutputLimits {
  /** UTF-8 bytes of the whole. */
  readonly bytes: number;
  readonly lines: number;
  /** Characters of one line. */
  readonly lineCharacters: number;
}

// Control sequences of ECMA-48: CSI, the string kinds (OSC, DCS, PM, APC, SOS) up to their end, and two-character escapes.
const escapes =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are the subject
  /\u001b\[[0-?]*[ -/]*[@-~]|\u001b[\]PX^_][^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)?|\u009b[0-?]*[ -/]*[@-~]|\u001b[ -/]*[0-~]|\u001b/g;

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are the subject
const controls = /[\u0001-\u0008\u000b\u000c\u000e-\u001a\u001c-\u001f\u007f]/g;

/** Text as a person would have seen it: no escape sequences, no control characters but tab and newline, NUL made visible. */
export function plainText(text: string): string {
  let plain = text.includes("\u001b") || text.includes("\u009b") ? text.replace(escapes, "") : text;
  plain = plain.replaceAll("\b \b", "").replace(controls, "").replaceAll("\0", "␀");
  return plain.includes("\r") ? overwrite(plain) : plain;
}

/** Live output: escape sequences and control characters are taken out, carriage returns stay. */
export function displayText(text: string): string {
  return text.replace(escapes, "").replace(controls, "").replaceAll("\0", "␀");
}

/** Carriage returns: before a newline they vanish, a line redrawn many times keeps its last state, a lone one breaks the line. */
function overwrite(text: string): string {
  const lines = text.replace(/\r+\n/g, "\n").split("\n");
  return lines.map((line) => (line.includes("\r") ? lastState(line) : line)).join("\n");
}

function lastState(line: string): string {
  const states = line.split("\r").filter((state) => state !== "");
  return states.length > 3 ? (states.at(-1) as string) : states.join("\n");
}

/** Says what binary output is instead of showing it; `undefined` for text. */
export function binaryNotice(text: string, totalBytes: number): string | undefined {
  const sample = text.slice(0, 8_192);
  if (sample.length < 16) return undefined;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are the subject
  const strange = sample.match(/[\u0001-\u0006\u000e-\u001a\u001c-\u001f\ufffd]/g)?.length ?? 0;
  const zeros = sample.split("\0").length - 1;
  if (strange < sample.length * 0.1 && zeros < sample.length * 0.3) return undefined;
  return `[binary output: ${totalBytes} bytes, not shown; write it to a file, or pipe it through xxd, base64 or file]`;
}

/**
 * Cuts text to the limits. `droppedBytes` were lost from its middle before; they count as left out. Head and tail stay, in equal parts; a line of our own says what is missing.
 */
export function limited(
  text: string,
  limits: OutputLimits,
  droppedBytes = 0,
): { readonly text: string; readonly cut: boolean } {
  const lines = text.split("\n").map((line) => shortLine(line, limits.lineCharacters));
  const cutLines = lines.some(({ cut }) => cut);
  const byLines = middleCut(
    lines.map(({ text: line }) => line),
    limits,
    droppedBytes,
  );
  return { text: byLines.text, cut: byLines.cut || cutLines };
}

function shortLine(line: string, most: number): { readonly text: string; readonly cut: boolean } {
  if (line.length <= most) return { text: line, cut: false };
  return { text: `${whole(line.slice(0, most))} … [${line.length - most} more characters on this line]`, cut: true };
}

/** No half of a surrogate pair at the end. */
function whole(text: string): string {
  return /[\ud800-\udbff]$/.test(text) ? text.slice(0, -1) : text;
}

function middleCut(
  lines: readonly string[],
  limits: OutputLimits,
  droppedBytes: number,
): { readonly text: string; readonly cut: boolean } {
  const sizes = lines.map((line) => Buffer.byteLength(line) + 1);
  const total = sizes.reduce((sum, size) => sum + size, 0) - 1;
  if (lines.length <= limits.lines && total <= limits.bytes) return { text: lines.join("\n"), cut: false };
  const head = fitting(sizes, limits.bytes / 2, Math.floor(limits.lines / 2));
  const tail = fitting(sizes.slice(head).reverse(), limits.bytes / 2, Math.floor(limits.lines / 2));
  const missing = sizes.slice(head, lines.length - tail);
  const bytes = missing.reduce((sum, size) => sum + size, 0);
  const what = droppedBytes === 0 ? `${missing.length} lines, ${bytes} bytes` : `${bytes + droppedBytes} bytes`;
  const notice = `… [${what} left out here] …`;
  return { text: [...lines.slice(0, head), notice, ...lines.slice(lines.length - tail)].join("\n"), cut: true };
}

/** How many leading sizes fit. */
function fitting(sizes: readonly number[], bytes: number, count: number): number {
  let sum = 0;
  let fit = 0;
  while (fit < sizes.length && fit < count) {
    sum += sizes[fit] as number;
    if (sum > bytes) break;
    fit += 1;
  }
  return fit;
}
