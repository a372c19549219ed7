import { dirname, extname } from "node:path";
import type { ToolOutcome } from "#agent";
import { ensureDirectory, resolvePath, writeAtomic } from "#host";
import type { MadeFile, TtsProvider } from "#plugins";
import { type Arguments, textArgument } from "../argument.ts";
import { cachePath, extensionOf, fileMark } from "../cache.ts";
import { answer, failure } from "../outcome.ts";
import { bounded, chosenProvider, type ProviderSource, reason } from "../provider-choice.ts";
import { joinedAudio } from "./joined-audio.ts";
import { pieces } from "./pieces.ts";
import type { SpeechSettings } from "./settings.ts";

export interface SpeechCall {
  readonly settings: SpeechSettings;
  readonly source: ProviderSource;
  readonly signal: AbortSignal;
  readonly cwd: string;
  /** The platform shows an Ogg file as a voice message. */
  readonly isVoice: boolean;
}

const pieceMs = 120_000;
const defaultLongest = 4_000;
const mostCharacters = 100_000;
const audioEndings = ["mp3", "wav", "ogg", "opus", "flac", "aac", "m4a"];

const failed = (error: string): ToolOutcome => failure(error, { success: false });

export async function spoken(args: Arguments, call: SpeechCall): Promise<ToolOutcome> {
  const { settings, source, signal } = call;
  const text = textArgument(args, "text")?.trim() ?? "";
  if (text === "") return failed("text is missing: give what is to be said");
  if (text.length > mostCharacters) return failed(`text has ${text.length} characters, more than ${mostCharacters}`);
  const target = textArgument(args, "output_path")?.trim() || undefined;
  const wrong = target === undefined ? undefined : wrongTarget(target);
  if (wrong !== undefined) return failed(wrong);
  const named = settings.speechProvider;
  const choice = await chosenProvider(source, { kind: "tts", purpose: "speaking", key: "tts.provider", named });
  if ("problem" in choice) return failed(choice.problem);
  const { provider } = choice;
  try {
    const parts = pieces(text, Math.max(1, provider.longestText ?? defaultLongest));
    const audio: MadeFile[] = [];
    for (const part of parts) audio.push(await synthesized(provider, part, call));
    return await written(joinedAudio(audio), { target, provider: provider.name, chunks: parts.length }, call);
  } catch (error) {
    if (signal.aborted) throw error;
    return failed(`speaking with ${provider.name} failed: ${reason(error)}`);
  }
}

/** Nothing but audio files is ever written, so that no other file can be replaced. */
function wrongTarget(path: string): string | undefined {
  const ending = extname(path).slice(1).toLowerCase();
  if (path.split(/[\\/]/).includes("..")) return `output_path ${path} must not hold ..`;
  return audioEndings.includes(ending)
    ? undefined
    : `output_path ${path} must end in ${audioEndings.map((each) => `.${each}`).join(", ")}`;
}

async function synthesized(provider: TtsProvider, text: string, { settings, signal }: SpeechCall): Promise<MadeFile> {
  const request = { ...settings.voiceOf(provider.name), text, signal };
  const made: unknown = await bounded(Promise.resolve(provider.synthesize(request)), {
    what: `speaking with ${provider.name}`,
    ms: pieceMs,
    signal,
  });
  const { bytes, mediaType } = { ...(made as object) } as Readonly<Record<string, unknown>>;
  if (!(bytes instanceof Uint8Array) || bytes.length === 0) throw new Error("it gave no audio");
  return { bytes, mediaType: typeof mediaType === "string" ? mediaType : "audio/mpeg" };
}

interface Facts {
  readonly target: string | undefined;
  readonly provider: string;
  readonly chunks: number;
}

async function written(audio: readonly MadeFile[], facts: Facts, call: SpeechCall): Promise<ToolOutcome> {
  const ending = extensionOf(audio[0]?.mediaType ?? "");
  const base = await basePath(facts.target, call);
  const paths: string[] = [];
  for (const [index, { bytes }] of audio.entries()) {
    const path = `${base}${audio.length > 1 ? `.${index + 1}` : ""}.${ending}`;
    await writeAtomic(path, bytes);
    paths.push(path);
  }
  const isVoice = call.isVoice && ending === "ogg";
  const media = paths.map((path) => `MEDIA:${path}`).join("\n");
  return answer({
    success: true,
    file_path: paths[0],
    ...(paths.length > 1 ? { file_paths: paths } : {}),
    media_tag: isVoice ? `[[audio_as_voice]]\n${media}` : media,
    provider: facts.provider,
    voice_compatible: isVoice,
    ...(facts.chunks > 1 ? { chunk_count: facts.chunks } : {}),
  });
}

/** Without its ending: that is what the provider really made. */
async function basePath(target: string | undefined, { settings, cwd }: SpeechCall): Promise<string> {
  if (target === undefined) return cachePath(settings.home, "audio", `tts_${fileMark()}`);
  const path = resolvePath(target, cwd);
  await ensureDirectory(dirname(path));
  return path.slice(0, -extname(path).length);
}
