import type { Tool, TurnContext } from "#agent";
import type { Middleware } from "#kernel";
import { textArgument } from "../argument.ts";
import type { VisionSettings } from "./settings.ts";

/** Slot `vision`: `vision_analyze`. See docs/reference/tools.md. */
export function vision(settings: VisionSettings): Middleware<TurnContext> {
  const tool: Tool = {
    name: "vision_analyze",
    toolset: "vision",
    readOnly: true,
    concurrency: "parallel",
    description: "Looks at a picture, given by its address or file, to answer a question about it.",
    parameters: {
      type: "object",
      properties: {
        image_url: { type: "string", description: "An http or https address, a file's path, or a data: address." },
        question: { type: "string", description: "What you want to know about the picture." },
      },
      required: ["image_url", "question"],
    },
    summary: (args) => (textArgument(args, "image_url") ?? "").slice(0, 200),
    run: async (args, { context, signal }) => {
      const { lookedAt } = await import("./picture.ts");
      return lookedAt(args, { settings, context, signal });
    },
  };
  return { slot: "vision", tools: () => [tool] };
}
