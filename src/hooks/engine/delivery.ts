import type { HookContext, HookPorts } from "../hook-context.ts";

/** Characters of one text that reach the model or the person; a longer one goes into a file. */
export const longestText = 10_000;
/** Characters of a longer text that are shown beside the path of its file. */
export const previewLength = 2_000;

type Fields = Readonly<Record<string, unknown>>;

/** Answer fields that are texts for the model or the person. */
const texts = ["reminder", "context", "notice", "initialMessage"] as const;

interface Delivery {
  readonly context: HookContext;
  readonly ports: Pick<HookPorts, "spill" | "log">;
  /** Names the file. */
  readonly name: string;
}

/** An answer whose long texts are in files of the session, each with a preview in its place. */
export async function shortened(answer: Fields, delivery: Delivery): Promise<Fields> {
  let changed: Record<string, unknown> | undefined;
  for (const field of texts) {
    const value = answer[field];
    if (typeof value === "string" ? value.length <= longestText : !isLongList(value)) continue;
    changed ??= { ...answer };
    changed[field] = Array.isArray(value)
      ? await Promise.all(value.map((text: string, index) => fitted(text, `${field}-${index}`, delivery)))
      : await fitted(value as string, field, delivery);
  }
  return changed ?? answer;
}

const isLongList = (value: unknown): boolean =>
  Array.isArray(value) && value.some((text) => typeof text === "string" && text.length > longestText);

async function fitted(text: string, field: string, { context, ports, name }: Delivery): Promise<string> {
  if (text.length <= longestText) return text;
  const preview = head(text, previewLength);
  try {
    const path = await ports.spill(context.sessionId, `hook-${name}-${field}`, text);
    return `${preview}\n… (${text.length} characters in all; the whole text is in ${path})`;
  } catch (error) {
    ports.log("warning", `a long text of the hook ${name} could not be put into a file: ${String(error)}`);
    return `${head(text, longestText)}\n… (cut: ${text.length} characters in all)`;
  }
}

/** The first characters; none is split. */
function head(text: string, length: number): string {
  const cut = text.slice(0, length);
  return /[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut;
}
