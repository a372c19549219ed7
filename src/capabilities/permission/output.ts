/** What a filter makes of its input, where it only writes it in another form; undefined for any other program. */
export function decoded(text: string, words: readonly string[]): string | undefined {
  const [program = "", ...options] = words;
  switch (program.split("/").at(-1)) {
    case "base64":
      return options.some((word) => /^(?:-[a-z]*[dD]|--decode)/.test(word)) ? fromBase64(text) : undefined;
    case "openssl":
      return options.includes("base64") && options.includes("-d") ? fromBase64(text) : undefined;
    case "xxd":
      return options.some((word) => /^-[a-z]*r/.test(word)) ? fromHex(text) : undefined;
    case "rev":
      return text
        .split("\n")
        .map((line) => [...line].reverse().join(""))
        .join("\n");
    case "tac":
      return text.split("\n").reverse().join("\n");
    case "cat":
    case "tee":
    case "tail":
    case "head":
      return text;
    default:
      return undefined;
  }
}

function fromBase64(text: string): string | undefined {
  const digits = text.replace(/[\s=]/g, "");
  return /^[A-Za-z0-9+/]+$/.test(digits) && digits.length % 4 !== 1 ? atob(digits) : undefined;
}

function fromHex(text: string): string | undefined {
  const digits = text.replace(/\s/g, "");
  if (!/^(?:[0-9a-f]{2})+$/i.test(digits)) return undefined;
  return digits.replace(/../g, (pair) => String.fromCharCode(Number.parseInt(pair, 16)));
}
