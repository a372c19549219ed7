/** Most pairs that begin with a high byte are of the common Chinese characters. */
export function looksChinese(bytes: Uint8Array): boolean {
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

/** The text of GB18030 bytes; `undefined` when they are not. */
export function decodeChinese(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("gb18030", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** The bytes of a text in GB18030; `undefined` when it holds a character that takes four bytes there. */
export function encodeChinese(text: string): Uint8Array | undefined {
  const table = pairTable();
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

/** The two-byte part of GB18030 by character; made anew at each use, in some ten milliseconds. */
function pairTable(): ReadonlyMap<string, number> {
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
