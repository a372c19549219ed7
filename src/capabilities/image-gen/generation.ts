import type { ToolOutcome } from "#agent";
import { guardedGet } from "#host";
import type { MadeFile } from "#plugins";
import { type Arguments, textArgument } from "../argument.ts";
import { cacheFile, imageType } from "../cache.ts";
import { answer, failure } from "../outcome.ts";
import { bounded, chosenProvider, type ProviderSource, reason } from "../provider-choice.ts";
import type { ImageGenSettings } from "./settings.ts";

export interface ImageCall {
  readonly settings: ImageGenSettings;
  readonly source: ProviderSource;
  readonly signal: AbortSignal;
}

const generationMs = 300_000;
const maxBytes = 32 << 20;
const ratios = ["landscape", "square", "portrait"];

const failed = (error: string): ToolOutcome => failure(error, { success: false });

export async function generatedImage(args: Arguments, { settings, source, signal }: ImageCall): Promise<ToolOutcome> {
  const prompt = textArgument(args, "prompt")?.trim() ?? "";
  if (prompt === "") return failed("prompt is missing: describe the picture");
  const wanted = textArgument(args, "aspect_ratio")?.trim().toLowerCase() ?? "";
  const aspectRatio = ratios.includes(wanted) ? wanted : "landscape";
  const named = settings.provider;
  const wish = { kind: "image", purpose: "making pictures", key: "image_gen.provider", named } as const;
  const choice = await chosenProvider(source, wish);
  if ("problem" in choice) return failed(choice.problem);
  const { provider } = choice;
  const model = settings.modelOf(provider.name);
  try {
    const request = { prompt, aspectRatio, signal, ...(model === undefined ? {} : { model }) };
    const made: unknown = await bounded(Promise.resolve(provider.generate(request)), {
      what: `making a picture with ${provider.name}`,
      ms: generationMs,
      signal,
    });
    const image = await place(made, settings.home, signal);
    if (image === undefined) return failed(`${provider.name} gave no picture`);
    const facts = { prompt, aspect_ratio: aspectRatio, provider: provider.name, ...(model ? { model } : {}) };
    const tag = /^https?:/.test(image) ? {} : { media_tag: `MEDIA:${image}` };
    return answer({ success: true, image, ...tag, ...facts });
  } catch (error) {
    if (signal.aborted) throw error;
    return failed(`making a picture with ${provider.name} failed: ${reason(error)}`);
  }
}

/** The path of the picture; its address where it could not be fetched; undefined where there is none. */
async function place(made: unknown, home: string, signal: AbortSignal): Promise<string | undefined> {
  if (typeof made !== "object" || made === null) return undefined;
  const { bytes, url, path } = made as Readonly<Record<string, unknown>>;
  if (typeof path === "string" && path !== "") return path;
  if (bytes instanceof Uint8Array) return kept(bytes, home);
  if (typeof url !== "string" || !URL.canParse(url)) return undefined;
  return (await fetched(url, home, signal)) ?? url;
}

async function kept(bytes: Uint8Array, home: string): Promise<string> {
  const mediaType = imageType(bytes);
  if (mediaType === undefined) throw new Error("what it gave is no PNG, JPEG, WebP or GIF");
  const file: MadeFile = { bytes, mediaType };
  return cacheFile(home, { folder: "images", prefix: "img" }, file);
}

/** Pictures of services are gone after an hour: a copy is kept where that works. */
async function fetched(url: string, home: string, signal: AbortSignal): Promise<string | undefined> {
  try {
    const page = await guardedGet(url, { headers: {}, maxBytes, signal });
    return page.kind === "page" && page.status === 200 ? await kept(page.body, home) : undefined;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof Error) return undefined; // the address itself is answer enough
    throw error;
  }
}
