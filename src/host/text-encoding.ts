export type TextEncoding = "utf-8" | "utf-8-bom" | "utf-16le" | "utf-16be" | "latin1";
export type LineEnding = "lf" | "crlf" | "mixed" | "none";

export interface TextFile {
  /** Without the byte order mark; line ends as they are in the file. */
  readonly text: string;
  readonly encoding: TextEncoding;
  readonly lineEnding: LineEnding;
  readonly bytes: number;
}

const sampleBytes = 8192;

const magics: readonly (readonly [string, string])[] = [
  ["89504e47", "a PNG image"],
  ["ffd8ff", "a JPEG image"],
  ["47494638", "a GIF image"],
  ["25504446", "a PDF document"],
  ["504b0304", "a ZIP archive (or an office document)"],
  ["1f8b", "a gzip archive"],
  ["425a68", "a bzip2 archive"],
  ["fd377a585a", "an xz archive"],
  ["28b52ffd", "a zstd archive"],
  ["377abcaf", "a 7z archive"],
  ["7f454c46", "an ELF program"],
  ["cffaedfe", "a Mach-O program"],
  ["cafebabe", "a Java class or Mach-O program"],
  ["53514c69746520666f726d6174", "an SQLite database"],
  ["0061736d", "a WebAssembly module"],
  ["4f676753", "an Ogg file"],
  ["494433", "an MP3 file"],
];

/** Decodes a text file of an unknown encoding, or gives the reason why it is none. */
export function decodeText(bytes: Buffer): TextFile | { readonly binary: string } {
  const marked = decodeMarked(bytes);
  if (marked !== undefined) return marked;
  const start = bytes.subarray(0, 16).toString("hex");
  const magic = magics.find(([prefix]) => start.startsWith(prefix));
  if (magic !== undefined) return { binary: `it is ${magic[1]}` };
  const wide = wideByteOrder(bytes.subarray(0, sampleBytes));
  if (wide !== undefined) return textFile(decodeWide(bytes, wide), wide, bytes.length);
  const nul = bytes.subarray(0, sampleBytes).indexOf(0);
  if (nul >= 0) return { binary: `it is binary: byte ${nul} is NUL` };
  const text = strictUtf8(bytes);
  if (text !== undefined) return textFile(text, "utf-8", bytes.length);
  const share = controlShare(bytes.subarray(0, sampleBytes));
  if (share > 0.05) return { binary: `it is binary: ${Math.round(share * 100)} % of it are control bytes` };
  return textFile(bytes.toString("latin1"), "latin1", bytes.length);
}

/** The bytes of a text in the encoding that it was read in. Characters that Latin-1 lacks turn the whole into UTF-8. */
export function encodeText(text: string, encoding: TextEncoding): Buffer {
  switch (encoding) {
    case "utf-8":
      return Buffer.from(text, "utf8");
    case "utf-8-bom":
      return Buffer.from(`\ufeff${text}`, "utf8");
    case "utf-16le":
      return Buffer.from(`\ufeff${text}`, "utf16le");
    case "utf-16be":
      return Buffer.from(`\ufeff${text}`, "utf16le").swap16();
    case "latin1":
      return fitsLatin1(text) ? Buffer.from(text, "latin1") : Buffer.from(text, "utf8");
  }
}

function fitsLatin1(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) if (text.charCodeAt(index) > 0xff) return false;
  return true;
}

function textFile(text: string, encoding: TextEncoding, bytes: number): TextFile {
  return { text, encoding, lineEnding: lineEndingOf(text), bytes };
}

function lineEndingOf(text: string): LineEnding {
  let crlf = 0;
  let lf = 0;
  for (let index = text.indexOf("\n"); index >= 0; index = text.indexOf("\n", index + 1)) {
    if (text[index - 1] === "\r") crlf += 1;
    else lf += 1;
  }
  if (crlf > 0) return lf > 0 ? "mixed" : "crlf";
  return lf > 0 ? "lf" : "none";
}

function decodeMarked(bytes: Buffer): TextFile | undefined {
  const [first, second, third] = bytes;
  if (first === 0xef && second === 0xbb && third === 0xbf) {
    const text = strictUtf8(bytes.subarray(3));
    return text === undefined ? undefined : textFile(text, "utf-8-bom", bytes.length);
  }
  if (first === 0xff && second === 0xfe) {
    return textFile(decodeWide(bytes.subarray(2), "utf-16le"), "utf-16le", bytes.length);
  }
  if (first === 0xfe && second === 0xff) {
    return textFile(decodeWide(bytes.subarray(2), "utf-16be"), "utf-16be", bytes.length);
  }
  return undefined;
}

function decodeWide(bytes: Buffer, order: "utf-16le" | "utf-16be"): string {
  const even = bytes.subarray(0, bytes.length & ~1);
  return order === "utf-16le" ? even.toString("utf16le") : Buffer.from(even).swap16().toString("utf16le");
}

function strictUtf8(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined; // not UTF-8: the caller tries the next encoding
  }
}

/** UTF-16 without a mark: mostly ASCII text has a NUL in nearly every second byte and hardly any in the others. */
function wideByteOrder(sample: Buffer): "utf-16le" | "utf-16be" | undefined {
  if (sample.length < 4 || sample.length % 2 !== 0) return undefined;
  const zeros = [0, 0];
  for (let index = 0; index < sample.length; index += 1) {
    if (sample[index] === 0) zeros[index % 2] = (zeros[index % 2] ?? 0) + 1;
  }
  const pairs = sample.length / 2;
  const [even = 0, odd = 0] = zeros;
  if (odd > pairs * 0.7 && even < pairs * 0.05) return "utf-16le";
  return even > pairs * 0.7 && odd < pairs * 0.05 ? "utf-16be" : undefined;
}

function controlShare(sample: Buffer): number {
  let control = 0;
  for (const byte of sample) {
    if (byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d && byte !== 0x0c && byte !== 0x1b) control += 1;
  }
  return sample.length === 0 ? 0 : control / sample.length;
}
