/** How a text file's bytes are read and written. Without a mark and not UTF-8, Chinese (`gb18030`) is told from `latin1` by its bytes. */
export type Encoding = "utf-8" | "utf-8-bom" | "utf-16le" | "utf-16be" | "gb18030" | "latin1";

export interface DecodedText {
  readonly text: string;
  readonly encoding: Encoding;
}

const marks: readonly (readonly [Encoding, readonly number[]])[] = [
  ["utf-8-bom", [0xef, 0xbb, 0xbf]],
  ["utf-16le", [0xff, 0xfe]],
  ["utf-16be", [0xfe, 0xff]],
];

/** Decodes a text file; `undefined` when the bytes are no text. */
export function decode(bytes: Uint8Array): DecodedText | undefined {
  for (const [encoding, mark] of marks) {
    if (mark.every((byte, index) => bytes[index] === byte)) return decodeAs(encoding, bytes.subarray(mark.length));
  }
  if (bytes.subarray(0, 8_192).includes(0)) return undefined;
  const utf8 = decodeAs("utf-8", bytes);
  if (utf8 !== undefined) return utf8;
  if (looksBinary(bytes)) return undefined;
  return (looksChinese(bytes) ? decodeAs("gb18030", bytes) : undefined) ?? decodeAs("latin1", bytes);
}

function decodeAs(encoding: Encoding, bytes: Uint8Array): DecodedText | undefined {
  if (encoding === "latin1") return { text: Buffer.from(bytes).toString("latin1"), encoding };
  const label = encoding === "utf-8-bom" ? "utf-8" : encoding;
  try {
    return { text: new TextDecoder(label, { fatal: true, ignoreBOM: true }).decode(bytes), encoding };
  } catch {
    return undefined;
  }
}

function looksBinary(bytes: Uint8Array): boolean {
  const sample = bytes.subarray(0, 8_192);
  let controls = 0;
  for (const byte of sample) if (byte < 9 || (byte > 13 && byte < 32 && byte !== 27)) controls += 1;
  return controls > sample.length * 0.02;
}

/** Most pairs that begin with a high byte are of the common Chinese characters. */
function looksChinese(bytes: Uint8Array): boolean {
  let pairs = 0;
  let common = 0;
  for (let index = 0; index < bytes.length; index += 1) {
    const first = bytes[index] as number;
    if (first < 0x81) continue;
    const second = bytes[index + 1] ?? 0;
    pairs += 1;
    if (first >= 0xa1 && first <= 0xf7 && second >= 0xa1 && second <= 0xfe) common += 1;
    index += 1;
  }
  return pairs > 0 && common >= pairs * 0.8;
}

/** The bytes of a text; `undefined` when the encoding cannot hold one of its characters. */
export function encode(text: string, encoding: Encoding): Uint8Array | undefined {
  switch (encoding) {
    case "utf-8":
      return Buffer.from(text, "utf8");
    case "utf-8-bom":
      return Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(text, "utf8")]);
    case "utf-16le":
      return Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, "utf16le")]);
    case "utf-16be":
      return Buffer.concat([Buffer.from([0xfe, 0xff]), Buffer.from(text, "utf16le").swap16()]);
    case "latin1":
      return [...text].every((character) => (character.codePointAt(0) as number) < 256)
        ? Buffer.from(text, "latin1")
        : undefined;
    case "gb18030":
      return encodeChinese(text);
  }
}

function encodeChinese(text: string): Uint8Array | undefined {
  const table = chineseTable();
  const bytes: number[] = [];
  for (const character of text) {
    const code = character.codePointAt(0) as number;
    const pair = code < 0x80 ? code : table.get(character);
    if (pair === undefined) return undefined;
    if (pair > 0xff) bytes.push(pair >> 8);
    bytes.push(pair & 0xff);
  }
  return Uint8Array.from(bytes);
}

/** The two-byte part of GB18030 by character; made anew at each use, in about ten milliseconds. */
function chineseTable(): ReadonlyMap<string, number> {
  const decoder = new TextDecoder("gb18030");
  const table = new Map<string, number>();
  for (let first = 0x81; first <= 0xfe; first += 1) {
    for (let second = 0x40; second <= 0xfe; second += 1) {
      if (second === 0x7f) continue;
      const character = decoder.decode(Uint8Array.of(first, second));
      if ([...character].length === 1 && character !== "\ufffd") table.set(character, (first << 8) | second);
    }
  }
  return table;
}
