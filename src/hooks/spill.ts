import type { HookPorts } from "./hook-context.ts";

/** Characters of one text of a hook that reach the model or the person as they are. */
const limitCharacters = 10_000;
const previewCharacters = 2_000;

/** Up to `count` characters; one of two halves counts once and is never split. */
function firstCharacters(text: string, count: number): string {
  let end = 0;
  for (let seen = 0; seen < count && end < text.length; seen += 1) end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  return text.slice(0, end);
}

/**
 * The text itself up to 10,000 characters; a longer one goes into a file of the session, and its path and its first
 * 2,000 characters stand in its place. Where the file cannot be written, the preview says so.
 */
export async function spilled(
  text: string,
  place: { readonly ports: HookPorts; readonly sessionId: string; readonly name: string },
): Promise<string> {
  if (text.length <= limitCharacters || firstCharacters(text, limitCharacters).length === text.length) return text;
  const preview = firstCharacters(text, previewCharacters);
  const { ports, sessionId, name } = place;
  try {
    const path = await ports.spill(sessionId, name, text);
    return `${preview}\n\n[The whole text is in ${path}; these are its first ${previewCharacters} characters.]`;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    ports.log("warning", `a text of ${name} could not be kept whole: ${why}`);
    return `${preview}\n\n[The rest of the text could not be kept: ${why}]`;
  }
}
