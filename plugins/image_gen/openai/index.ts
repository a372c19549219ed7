import { definePlugin } from "talaria/plugin";
import { askedJson, firstText, mapping, openAiService, text } from "../../service.ts";

const sizes: Readonly<Record<string, string>> = { landscape: "1536x1024", portrait: "1024x1536", square: "1024x1024" };

export default definePlugin((context) => {
  const { address, headers, isUsable } = openAiService(context, "image_gen", ["OPENAI_API_KEY"]);
  const { config, environment } = context;
  context.registerImageGenProvider({
    name: "openai",
    label: "OpenAI",
    setup: "set OPENAI_API_KEY",
    available: () => isUsable,
    async generate({ prompt, aspectRatio, model, signal }) {
      const chosen = firstText(environment["OPENAI_IMAGE_MODEL"], model, config["model"], "gpt-image-1");
      const quality = text(config["quality"]);
      const { data } = await askedJson("OpenAI", `${address}/images/generations`, {
        method: "POST",
        signal,
        timeoutMs: 300_000,
        headers: { ...headers, "content-type": "application/json" },
        body: JSON.stringify({
          model: chosen,
          prompt,
          n: 1,
          size: sizes[aspectRatio] ?? sizes["landscape"],
          ...(quality === "" ? {} : { quality }),
        }),
      });
      const { b64_json: bytes, url } = mapping(Array.isArray(data) ? data[0] : undefined);
      if (text(bytes) !== "") return { bytes: Buffer.from(text(bytes), "base64"), mediaType: "image/png" };
      if (text(url) !== "") return { url: text(url) };
      throw new Error("OpenAI gave no picture");
    },
  });
});
