import { definePlugin } from "talaria/plugin";
import { asked, firstText, openAiService } from "../../service.ts";

export default definePlugin((context) => {
  const { address, headers, isUsable } = openAiService(context, "tts", ["VOICE_TOOLS_OPENAI_KEY", "OPENAI_API_KEY"]);
  const { config } = context;
  context.registerTtsProvider({
    name: "openai",
    label: "OpenAI",
    setup: "set OPENAI_API_KEY",
    longestText: 4096,
    available: () => isUsable,
    async synthesize({ text, voice, model, speed, signal }) {
      const response = await asked("OpenAI", `${address}/audio/speech`, {
        method: "POST",
        signal,
        headers: { ...headers, "content-type": "application/json" },
        body: JSON.stringify({
          model: firstText(model, config["model"], "gpt-4o-mini-tts"),
          voice: firstText(voice, config["voice"], "alloy"),
          input: text,
          response_format: "mp3",
          ...(speed === undefined ? {} : { speed }),
        }),
      });
      return { bytes: new Uint8Array(await response.arrayBuffer()), mediaType: "audio/mpeg" };
    },
  });
});
