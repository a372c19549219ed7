import type { ToolOutcome, TurnContext } from "#agent";
import { guardedGet, readBytes, resolvePath } from "#host";
import { type Arguments, textArgument } from "../argument.ts";
import { imageType } from "../cache.ts";
import { answer, failure } from "../outcome.ts";
import type { VisionSettings } from "./settings.ts";

const maxBytes = 20 << 20;
const fetchMs = 60_000;

const asideSystem = "Look at the picture and answer the question about it, for a reader who cannot see it.";

const failed = (error: string): ToolOutcome => failure(error, { success: false });

export async function lookedAt(
  args: Arguments,
  {
    settings,
    context,
    signal,
  }: { settings: VisionSettings; context: Pick<TurnContext, "cwd" | "askModel">; signal: AbortSignal },
): Promise<ToolOutcome> {
  const place = textArgument(args, "image_url")?.trim() ?? "";
  const question = textArgument(args, "question")?.trim() || "Describe the picture.";
  if (place === "") return failed("image_url is missing: give the address or path of a picture");
  try {
    const bytes = await pictureAt(place, { settings, cwd: context.cwd, signal });
    if (typeof bytes === "string") return failed(bytes);
    const mediaType = imageType(bytes);
    if (mediaType === undefined) return failed(`${shown(place)} is no PNG, JPEG, WebP or GIF`);
    const image = { type: "image", data: Buffer.from(bytes).toString("base64"), mediaType } as const;
    if (settings.asksAside) {
      const asked = [{ type: "text", text: question }, image] as const;
      const analysis = await context.askModel(asideSystem, asked, signal, "vision");
      return { content: answer({ success: true, image_url: shown(place), analysis }) };
    }
    const text = answer({ success: true, image_url: shown(place), question, note: "The picture is attached." });
    return { content: [{ type: "text", text }, image] };
  } catch (error) {
    if (signal.aborted) throw error;
    return failed(`${shown(place)} cannot be looked at: ${error instanceof Error ? error.message : String(error)}`);
  }
}

const shown = (place: string): string => (place.length > 300 ? `${place.slice(0, 300)}…` : place);

/** The picture, or why it is not fetched. */
async function pictureAt(
  place: string,
  { settings, cwd, signal }: { settings: VisionSettings; cwd: string; signal: AbortSignal },
): Promise<Uint8Array | string> {
  const inline = /^data:[^,]*;base64,(.*)$/is.exec(place);
  if (inline !== null) return Buffer.from(inline[1] ?? "", "base64");
  if (/^file:\/\//i.test(place)) return readBytes(decodeURIComponent(new URL(place).pathname), { maxBytes });
  if (!/^https?:/i.test(place)) return readBytes(resolvePath(place, cwd), { maxBytes });
  const page = await guardedGet(place, {
    headers: { accept: "image/*" },
    maxBytes,
    noLoopback: true,
    allowHosts: settings.allowPrivate ? ["*"] : [],
    signal: AbortSignal.any([signal, AbortSignal.timeout(fetchMs)]),
  });
  if (page.kind === "refused")
    return `${place} is not fetched: ${page.reason}. Where that is meant, set security.allow_private_urls: true`;
  return page.status === 200 ? page.body : `${place} answered with status ${page.status}`;
}
