import type { Tool, TurnContext } from "#agent";
import type { Middleware } from "#kernel";
import { textArgument } from "../argument.ts";
import type { ProviderSource } from "../provider-choice.ts";
import type { SpeechSettings } from "./settings.ts";

/** Platforms that show an Ogg file as a voice message. */
const voicePlatforms = new Set(["telegram", "matrix", "feishu", "whatsapp", "signal"]);

/** Slot `speech`: `text_to_speech`, over what plugins provide. See docs/reference/tools.md. */
export function speech(settings: SpeechSettings, source: ProviderSource): Middleware<TurnContext> {
  const tool: Tool = {
    name: "text_to_speech",
    toolset: "tts",
    description:
      "Speaks a text into an audio file. Put the answer's media_tag on a line of its own to send it to a person in chat. Voice and provider are the person's choice.",
    parameters: {
      type: "object",
      properties: {
        text: { type: "string", description: "What is to be said. Long texts are spoken in pieces and joined." },
        output_path: {
          type: "string",
          description: `Where the audio file is to be. Absent: a new file in ${settings.home}/cache/audio.`,
        },
      },
      required: ["text"],
    },
    available: () => source.mayHave("tts"),
    summary: (args) => textArgument(args, "text") ?? "",
    run: async (args, { signal, context }) => {
      const { spoken } = await import("./spoken.ts");
      const isVoice = voicePlatforms.has(context.platform);
      return spoken(args, { settings, source, signal, cwd: context.cwd, isVoice });
    },
  };
  return { slot: "speech", tools: () => [tool] };
}
