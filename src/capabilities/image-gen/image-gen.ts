import type { Tool, TurnContext } from "#agent";
import type { Middleware } from "#kernel";
import { textArgument } from "../argument.ts";
import type { ProviderSource } from "../provider-choice.ts";
import type { ImageGenSettings } from "./settings.ts";

const parameters = {
  type: "object",
  properties: {
    prompt: {
      type: "string",
      description: "What the picture is to show, in detail: subject, style, light, words in it.",
    },
    aspect_ratio: {
      type: "string",
      enum: ["landscape", "square", "portrait"],
      description: "landscape is 16:9, portrait 9:16, square 1:1. Default landscape.",
    },
  },
  required: ["prompt"],
} as const;

/** Slot `image-gen`: `image_generate`, over what plugins provide. See docs/reference/tools.md. */
export function imageGen(settings: ImageGenSettings, source: ProviderSource): Middleware<TurnContext> {
  const tool: Tool = {
    name: "image_generate",
    toolset: "image_gen",
    description:
      "Makes a picture from a description. `image` of the answer is its file or address; put the answer's media_tag on a line of its own to send the picture to a person in chat.",
    parameters,
    available: () => source.mayHave("image"),
    summary: (args) => textArgument(args, "prompt") ?? "",
    run: async (args, { signal }) =>
      (await import("./generation.ts")).generatedImage(args, { settings, source, signal }),
  };
  return { slot: "image-gen", tools: () => [tool] };
}
