/** Head and tail of a text that is too long, in the proportion 7 : 2, with a note of what is missing. */
export function bounded(text: string, most: number, path: string): string {
  if (text.length <= most) return text;
  const head = Math.floor(most * 0.7);
  const tail = Math.floor(most * 0.2);
  const missing = text.length - head - tail;
  return `${text.slice(0, head)}\n\n[… ${missing} of ${text.length} characters of ${path} are left out here; read the file where you need them …]\n\n${text.slice(-tail)}`;
}

const threats: readonly (readonly [string, RegExp])[] = [
  ["hidden characters", /[\u200b\u2060\u202a-\u202e\u2066-\u2069]|[\u{e0000}-\u{e007f}]/u],
  [
    "orders to drop instructions",
    /\b(?:ignore|disregard|forget)\s+(?:all\s+|any\s+|the\s+|your\s+)*(?:previous|prior|above|earlier|system)\s+(?:instructions|rules|prompts?|guidelines)/i,
  ],
  [
    "orders to deceive the person",
    /\bdo\s+not\s+(?:tell|inform|mention\s+(?:this\s+)?to)\s+the\s+(?:user|person|human)\b/i,
  ],
  ["a claim to replace the system prompt", /\bsystem\s+prompt\s+override\b|\bnew\s+system\s+prompt\s*:/i],
  ["hidden orders in a comment", /<!--[^>]{0,500}\b(?:ignore|override|secretly|hidden instruction)/i],
  ["an order to send secrets away", /\b(?:curl|wget)\b[^\n]{0,200}\$\{?\w*(?:KEY|TOKEN|SECRET|PASSWORD)/],
  ["an order to read secrets", /\bcat\s+[^\n]{0,100}(?:\.ssh\/id_|\.netrc|\.pgpass|credentials\b)/i],
];

/** What in a file looks like an attempt to take the agent over; undefined for honest ones. A simple look, no proof. */
export const threatIn = (text: string): string | undefined => threats.find(([, sign]) => sign.test(text))?.[0];

/** Paths that a text includes: `@path` where a word begins, outside of code. */
export function includesOf(text: string): readonly string[] {
  const prose = text.replace(/^(```|~~~)[\s\S]*?(?:^\1|$(?![\s\S]))/gm, "").replace(/`[^`\n]*`/g, "");
  const found = [...prose.matchAll(/(?:^|[\s(])@((?:~\/|\.{1,2}\/|\/)?[\w.][\w./-]*)/g)].map(([, path = ""]) =>
    path.replace(/\.+$/, ""),
  );
  return [...new Set(found)].filter((path) => /[./]/.test(path)).slice(0, 50);
}
