import { fileFacts } from "#host";
import { bounded, chosenProvider, type ProviderSource, reason } from "../provider-choice.ts";
import type { SpeechSettings } from "./settings.ts";

export type Transcription =
  | { readonly text: string; readonly language?: string; readonly provider: string }
  /** Why there is no text, and what to do. */
  | { readonly problem: string };

const transcriptionMs = 300_000;
/** Bytes of a file that services take. */
const mostBytes = 25 << 20;

/** What is said in an audio file, given by its absolute path. Rejects only with the signal's reason. */
export async function transcribe(
  file: string,
  { settings, source, signal }: { settings: SpeechSettings; source: ProviderSource; signal: AbortSignal },
): Promise<Transcription> {
  const facts = await fileFacts(file).catch(reason);
  if (facts === undefined || typeof facts === "string" || facts.kind !== "file")
    return { problem: `${file} cannot be transcribed: ${typeof facts === "string" ? facts : "it is no file"}` };
  if (facts.bytes === 0) return { problem: `${file} cannot be transcribed: it is empty` };
  if (facts.bytes > mostBytes)
    return { problem: `${file} cannot be transcribed: it has ${facts.bytes} bytes, more than ${mostBytes}` };
  const choice = await chosenProvider(source, {
    kind: "transcription",
    purpose: "transcribing speech",
    key: "stt.provider",
    named: settings.transcriptionProvider,
  });
  if ("problem" in choice) return choice;
  const { provider } = choice;
  try {
    const request = { ...settings.listenerOf(provider.name), file, signal };
    const heard: unknown = await bounded(Promise.resolve(provider.transcribe(request)), {
      what: `transcribing with ${provider.name}`,
      ms: transcriptionMs,
      signal,
    });
    const { text, language } = { ...(heard as object) } as Readonly<Record<string, unknown>>;
    if (typeof text !== "string") return { problem: `${provider.name} gave no text for ${file}` };
    return { text, provider: provider.name, ...(typeof language === "string" ? { language } : {}) };
  } catch (error) {
    if (signal.aborted) throw error;
    return { problem: `transcribing ${file} with ${provider.name} failed: ${reason(error)}` };
  }
}
