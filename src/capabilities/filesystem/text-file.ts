import { encodeText, type FileFacts, fileFacts, HostError, readText, type TextEncoding } from "#host";
import { decodeChinese, encodeChinese, looksChinese } from "./chinese.ts";

/** Larger files are not read whole. */
const mostBytes = 64 << 20;

export interface LoadedText {
  readonly text: string;
  readonly encoding: TextEncoding | "gb18030";
  readonly facts: FileFacts;
}

/** Reads a text file, or `undefined` where there is none. Rejects with a `HostError`: `binary`, `not_a_file`, `too_large`, … */
export async function loadText(path: string): Promise<LoadedText | undefined> {
  const facts = await fileFacts(path);
  if (facts === undefined) return undefined;
  const file = await readText(path, { maxBytes: mostBytes });
  if (file.encoding === "latin1") {
    const bytes = Buffer.from(file.text, "latin1");
    const chinese = looksChinese(bytes) ? decodeChinese(bytes) : undefined;
    if (chinese !== undefined) return { text: chinese, encoding: "gb18030", facts };
  }
  return { text: file.text, encoding: file.encoding, facts };
}

/** The bytes of a text in the encoding of its file, with a note where the encoding could not be kept. */
export function textBytes(
  text: string,
  encoding: LoadedText["encoding"],
): { readonly bytes: Uint8Array; readonly note?: string } {
  const bytes = encoding === "gb18030" ? encodeChinese(text) : encodeText(text, encoding);
  const lost = bytes === undefined || (encoding === "latin1" && bytes.length !== text.length);
  if (!lost) return { bytes };
  const note = `the file was ${encoding}, which cannot hold the new text; it is UTF-8 now`;
  return { bytes: Buffer.from(text, "utf8"), note };
}

/** A `HostError` as the text that the model reads; every other error goes on. */
export function refusal(error: unknown): string {
  if (error instanceof Error && error.name === HostError.name) return error.message;
  throw error;
}
