const blank = "***";

/** Keys of the common makers, known by their first letters. */
const tokenShapes: readonly string[] = [
  "sk-(?:ant-|proj-|or-v1-|svcacct-|admin-)?[A-Za-z0-9_-]{16,}",
  "(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{10,}",
  "whsec_[A-Za-z0-9+/=]{16,}",
  "AIza[0-9A-Za-z_-]{30,}",
  "ya29\\.[0-9A-Za-z_-]{20,}",
  "GOCSPX-[0-9A-Za-z_-]{20,}",
  "gh[pousr]_[A-Za-z0-9]{20,}",
  "github_pat_[A-Za-z0-9_]{20,}",
  "gl(?:pat|ptt|dt|rt|ft|soat)-[A-Za-z0-9_-]{16,}",
  "xox[abeoprs]-[A-Za-z0-9-]{10,}",
  "xapp-[A-Za-z0-9-]{10,}",
  "(?:AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{16}",
  "gsk_[A-Za-z0-9]{20,}",
  "hf_[A-Za-z0-9]{20,}",
  "r8_[A-Za-z0-9]{20,}",
  "pplx-[A-Za-z0-9]{20,}",
  "xai-[A-Za-z0-9]{20,}",
  "nvapi-[A-Za-z0-9_-]{20,}",
  "tvly-[A-Za-z0-9-]{16,}",
  "fc-[a-f0-9]{32}",
  "SG\\.[A-Za-z0-9_-]{16,}\\.[A-Za-z0-9_-]{16,}",
  "npm_[A-Za-z0-9]{30,}",
  "pypi-[A-Za-z0-9_-]{20,}",
  "do[opr]_v1_[a-f0-9]{40,}",
  "shp(?:at|ca|pa|ss)_[a-fA-F0-9]{20,}",
  "lin_api_[A-Za-z0-9]{20,}",
  "ntn_[A-Za-z0-9]{20,}",
  "eyJ[A-Za-z0-9_-]{10,}\\.[A-Za-z0-9_-]{10,}\\.[A-Za-z0-9_-]*",
  "[MNO][A-Za-z0-9_-]{23,27}\\.[A-Za-z0-9_-]{6}\\.[A-Za-z0-9_-]{27,}",
  "\\d{8,10}:[A-Za-z0-9_-]{35}",
];
const tokens = new RegExp(`(?<![A-Za-z0-9_])(?:${tokenShapes.join("|")})(?![A-Za-z0-9])`, "g");

const privateKey =
  /(-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----)[\s\S]*?(-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|$)/g;
const authorization =
  /\b((?:proxy-)?authorization["']?\s*[:=]\s*["']?(?:bearer|basic|token|digest|apikey)?\s*)([^\s"',;]{6,})/gi;
const bearer = /\b(bearer\s+)([A-Za-z0-9._~+/=-]{12,})/gi;
const keyHeader = /\b((?:x-)?(?:api-key|auth-token|access-token|goog-api-key)["']?\s*:\s*["']?)([^\s"',;]{6,})/gi;
const addressPassword = /\b([a-z][a-z0-9+.-]*:\/\/[^\s:/@"']*):([^\s@/"']+)@/gi;
const queryValue =
  /([?&](?:api[_-]?key|key|token|access[_-]?token|refresh[_-]?token|secret|client[_-]?secret|sig|signature|password|passwd|auth|code)=)([^&\s"'#]{4,})/gi;
const storageKey = /\b((?:AccountKey|SharedAccessKey)=)([A-Za-z0-9+/=]{20,})/g;

const secretWord = "(?:API_?KEY|KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|PAT)";
/** Shell and .env assignments: `OPENAI_API_KEY=…`. A reference to a variable is no secret. */
const assignment = new RegExp(
  `\\b((?:[A-Z0-9]+_)*${secretWord}\\d*\\s?=\\s?)("(?:[^"\\\\\\n]|\\\\.){4,}"|'[^'\\n]{4,}'|(?![A-Za-z_]\\w*(?:\\.[A-Za-z_]|[([]))[^\\s"'$(<{;,&|]{6,})`,
  "g",
);
/** Parts of a name end at a separator: one way to read it, or a long word would be tried in all ways of cutting it. */
const secretField =
  "(?:[A-Za-z0-9]+[_-])*[A-Za-z0-9]*?(?:api[_-]?key|apikey|access[_-]?key|secret[_-]?key|private[_-]?key|client[_-]?secret|secret|auth[_-]?token|access[_-]?token|refresh[_-]?token|bot[_-]?token|token|password|passwd|passphrase)";
/** Fields of JSON and of the like: `"apiKey": "…"`. */
const quotedField = new RegExp(`((["'])${secretField}\\2\\s*:\\s*)(["'])((?:(?!\\3)[^\\\\\\n]|\\\\.){4,})\\3`, "gi");
/** Fields of YAML; without quotes only what holds a digit, so that `token: string` of a program stays. */
const plainField = new RegExp(
  `^(\\s*(?:- )?${secretField}\\s*:\\s*)(["']?)((?=[^\\s"'#]*\\d)[^\\s"'#,{}]{8,})\\2`,
  "gim",
);

const known = new Set<string>();
let knownPattern: RegExp | undefined;

/** Values that are blanked wherever they appear. Those under eight characters are left out: they would blank common words. */
export function registerSecrets(values: Iterable<string | undefined>): void {
  const before = known.size;
  for (const value of values) {
    const trimmed = value?.trim() ?? "";
    if (trimmed.length >= 8) known.add(trimmed);
  }
  if (known.size === before) return;
  const longestFirst = [...known].sort((left, right) => right.length - left.length);
  knownPattern = new RegExp(
    longestFirst.map((value) => value.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, "\\$&")).join("|"),
    "g",
  );
}

/** Whether a name (of a variable, a header, a field) says that its value is secret: `OPENAI_API_KEY`, `authToken`; not `max_tokens`. */
export function isSecretName(name: string): boolean {
  const words = name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "_")
    .replace(/_?\d+$/, "");
  return /(?:^|_)(?:api_?key|access_?key|secret_?key|private_?key|signing_?key|encryption_?key|key_secret|token|secret|password|passwd|passphrase|credentials?|authorization|cookie|pat|dsn)$/.test(
    words,
  );
}

/** Takes secret values out of an environment by their names and registers them. */
export function registerEnvironmentSecrets(environment: Readonly<Record<string, string | undefined>>): void {
  const found = Object.entries(environment).filter(
    ([name, value]) => (isSecretName(name) || /_KEY$/.test(name)) && value !== undefined && !/^[/~.]/.test(value),
  );
  registerSecrets(found.map(([, value]) => value));
}

const withStart = (token: string): string => `${token.slice(0, 4)}${blank}`;

/** Blanks secrets in a text: known values, keys of common makers, bearer tokens, private keys, passwords in addresses, assignments and fields of secret names. */
export function redact(text: string): string {
  if (text.length < 6) return text;
  let clean = knownPattern === undefined ? text : text.replaceAll(knownPattern, blank);
  clean = clean.replaceAll(tokens, withStart);
  if (clean.includes("-----BEGIN")) clean = clean.replaceAll(privateKey, `$1\n${blank}\n$2`);
  if (clean.includes("://")) clean = clean.replaceAll(addressPassword, `$1:${blank}@`);
  if (clean.includes("=")) {
    clean = clean
      .replaceAll(assignment, `$1${blank}`)
      .replaceAll(queryValue, `$1${blank}`)
      .replaceAll(storageKey, `$1${blank}`);
  }
  if (/bearer|authorization/i.test(clean)) {
    clean = clean.replaceAll(bearer, `$1${blank}`).replaceAll(authorization, `$1${blank}`);
  }
  if (clean.includes(":")) {
    clean = clean
      .replaceAll(keyHeader, `$1${blank}`)
      .replaceAll(quotedField, `$1$3${blank}$3`)
      .replaceAll(plainField, `$1$2${blank}$2`);
  }
  return clean;
}

/** A copy with all texts redacted and the values of secret names blanked. Cycles become `[circular]`. */
export function redactValue(value: unknown): unknown {
  return copy(value, new Set());
}

function copy(value: unknown, above: Set<object>): unknown {
  if (typeof value === "string") return redact(value);
  if (typeof value !== "object" || value === null) return value;
  if (above.has(value)) return "[circular]";
  if (
    !Array.isArray(value) &&
    Object.getPrototypeOf(value) !== Object.prototype &&
    Object.getPrototypeOf(value) !== null
  ) {
    return value;
  }
  above.add(value);
  const result = Array.isArray(value)
    ? value.map((item) => copy(item, above))
    : Object.fromEntries(
        Object.entries(value).map(([name, item]) => [
          name,
          isSecretName(name) && typeof item === "string" && item !== "" ? blank : copy(item, above),
        ]),
      );
  above.delete(value);
  return result;
}
