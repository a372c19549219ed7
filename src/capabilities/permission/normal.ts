const escapeSequences = new RegExp(
  String.raw`(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|` +
    String.raw`(?:\u001b[P\]X^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)?|\u001b[ -/]*[0-~]`,
  "g",
);
/** Control characters other than tab and line ends, and the characters that the lexer marks braces with. */
const invisible = /(?![\t\n\r])[\p{Cc}\uE000-\uE00F]/gu;

/**
 * The text that patterns are looked for in: escape sequences of terminals, NULs and other control characters are gone,
 * full-width letters are plain ones. What runs is never this text.
 */
export function normal(command: string): string {
  return command.replace(escapeSequences, "").replace(invisible, "").normalize("NFKC").replace(/\r\n?/g, "\n");
}

const named: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", e: "", a: "", b: "", f: "", v: "" };

/** The escapes of `$'…'`, `echo -e` and `printf`. */
export function decodeEscapes(text: string): string {
  return text.replace(/\\(?:x[0-9a-f]{1,2}|u[0-9a-f]{1,8}|0?[0-7]{1,3}|.)/gis, (written) => {
    const code = /^\\[xu]./i.test(written)
      ? Number.parseInt(written.slice(2), 16)
      : Number.parseInt(/^\\[0-7]/.test(written) ? written.slice(1) : "", 8);
    if (Number.isNaN(code)) return named[written.slice(1)] ?? written.slice(1);
    return code <= 0x10ffff ? String.fromCodePoint(code) : "";
  });
}
