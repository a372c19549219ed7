type Values = Record<string, string | string[]>;

/** Words that YAML reads as something else than text. */
const words = new Set(["true", "false", "yes", "no", "on", "off", "null", "nan", "inf"]);
const plain = /^[A-Za-z][A-Za-z0-9 .,_/()'+-]*$/;

/**
 * What a `plugin.yaml` of the plainest form says: keys with one text each, or with a list of them. Undefined for everything
 * else, which the YAML library reads; where this gives values they are the library's. A start with a hundred plugins needs it.
 */
export function plainManifest(text: string): Values | undefined {
  const values: Values = {};
  const block = /(?:#.*|([a-z][a-z0-9_]*):(?: (.+)|((?:\n( *)- .+)(?:\n\4- .+)*)))?(?:\n|$)/iy;
  while (block.lastIndex < text.length) {
    const found = block.exec(text);
    if (found === null) return undefined;
    const [, key, word, list] = found;
    if (key === undefined) continue;
    const value = list === undefined ? plainText(word) : plainTexts(list);
    if (value === undefined || words.has(key.toLowerCase()) || Object.hasOwn(values, key)) return undefined;
    values[key] = value;
  }
  return Object.keys(values).length === 0 ? undefined : values;
}

function plainTexts(list: string): string[] | undefined {
  const texts: string[] = [];
  for (const line of list.slice(1).split("\n")) {
    const text = plainText(line.trimStart().slice(2));
    if (text === undefined) return undefined;
    texts.push(text);
  }
  return texts;
}

function plainText(word: string | undefined): string | undefined {
  if (word === undefined) return undefined;
  const quoted = /^"([^"\\]*)"$/.exec(word)?.[1] ?? /^'([^']*)'$/.exec(word)?.[1];
  if (quoted !== undefined) return quoted;
  if (/^\d+\.\d+\.\d+$/.test(word)) return word;
  const isText = plain.test(word) && !word.endsWith(" ") && !words.has(word.toLowerCase());
  return isText ? word : undefined;
}
