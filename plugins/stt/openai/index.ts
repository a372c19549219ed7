import { openAsBlob } from "node:fs";
import { basename } from "node:path";
import { definePlugin } from "talaria/plugin";
import { askedJson, firstText, openAiService, text } from "../../service.ts";

export default definePlugin((context) => {
  const { address, headers, isUsable } = openAiService(context, "stt", ["VOICE_TOOLS_OPENAI_KEY", "OPENAI_API_KEY"]);
  const { config } = context;
  context.registerTranscriptionProvider({
    name: "openai",
    label: "OpenAI",
    setup: "set OPENAI_API_KEY",
    available: () => isUsable,
    async transcribe({ file, model, language, signal }) {
      const form = new FormData();
      form.append("file", await openAsBlob(file), basename(file));
      form.append("model", firstText(model, config["model"], "whisper-1"));
      form.append("response_format", "json");
      const spoken = firstText(language, config["language"]);
      if (spoken !== "") form.append("language", spoken);
      const answer = await askedJson("OpenAI", `${address}/audio/transcriptions`, {
        method: "POST",
        signal,
        timeoutMs: 300_000,
        headers,
        body: form,
      });
      if (typeof answer["text"] !== "string") throw new Error("OpenAI gave no text");
      const heard = text(answer["language"]);
      return { text: text(answer["text"]), ...(heard === "" ? {} : { language: heard }) };
    },
  });
});
