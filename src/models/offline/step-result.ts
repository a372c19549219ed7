import type { ToolMessage } from "#kernel";

/** What a tool message says, as far as the offline model can tell. */
export interface StepResult {
  readonly ok: boolean;
  /** The output, or what went wrong. */
  readonly text: string;
  readonly exitCode: number | undefined;
}

const maxLines = 60;
const maxCharacters = 4_000;

export function resultOf(message: ToolMessage): StepResult {
  const raw =
    typeof message.content === "string"
      ? message.content
      : message.content.map((part) => (part.type === "text" ? part.text : "[image]")).join("\n");
  const value = parsed(raw);
  const exitCode = numberIn(value, "exit_code") ?? numberIn(value, "returncode");
  const error =
    textIn(value, "error") ?? (value?.["status"] === "blocked" ? (textIn(value, "message") ?? "blocked") : undefined);
  const failed = message.isError === true || error !== undefined || (exitCode ?? 0) !== 0;
  const output = value ? (contentOf(value) ?? "") : raw;
  const text = failed ? [error, output].filter(Boolean).join("\n") : output;
  return { ok: !failed, text: shortened(text), exitCode };
}

type Fields = Readonly<Record<string, unknown>>;

function contentOf(value: Fields): string | undefined {
  const matches = value["matches"] ?? value["files"];
  if (Array.isArray(matches)) return matches.length > 0 ? matches.map(lineOf).join("\n") : "";
  const text =
    textIn(value, "output") ?? textIn(value, "content") ?? textIn(value, "stdout") ?? textIn(value, "message");
  return text === undefined ? undefined : withoutLineNumbers(text);
}

function lineOf(match: unknown): string {
  if (typeof match === "string") return match;
  const fields = (match ?? {}) as Fields;
  const place = [fields["path"] ?? fields["file"], fields["line"] ?? fields["line_number"]]
    .filter((part) => part !== undefined)
    .join(":");
  const content = fields["content"] ?? fields["text"];
  return content === undefined ? place : `${place}: ${String(content).trim()}`;
}

/** `read_file` numbers its lines; a person asked for the file. */
function withoutLineNumbers(text: string): string {
  const lines = text.split("\n");
  const numbered = lines.every(
    (line, index) => /^\s*\d+[|\t→]/.test(line) || (line === "" && index === lines.length - 1),
  );
  return numbered ? lines.map((line) => line.replace(/^\s*\d+[|\t→]/, "")).join("\n") : text;
}

function shortened(text: string): string {
  const lines = text.trimEnd().split("\n");
  const kept = lines.slice(0, maxLines).join("\n").slice(0, maxCharacters);
  const cut = kept.length < text.trimEnd().length;
  return cut ? `${kept}\n… (${lines.length} lines in all)` : kept;
}

function parsed(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
  } catch {
    return undefined;
  }
}

function textIn(value: Fields | undefined, name: string): string | undefined {
  const found = value?.[name];
  return typeof found === "string" && found !== "" ? found : undefined;
}

function numberIn(value: Fields | undefined, name: string): number | undefined {
  const found = value?.[name];
  return typeof found === "number" ? found : undefined;
}
