import { definePlugin } from "talaria/plugin";
import { firstText } from "../../service.ts";
import { programOnPath, speech } from "./speech.ts";

const setup = "install espeak-ng (Debian: apt install espeak-ng; macOS: brew install espeak-ng)";

export default definePlugin((context) => {
  const { config, environment } = context;
  const program = async (): Promise<string | undefined> => {
    const named = firstText(config["program"]);
    if (named !== "") return named;
    return (await programOnPath("espeak-ng", environment)) ?? (await programOnPath("espeak", environment));
  };
  context.registerTtsProvider({
    name: "espeak",
    label: "eSpeak NG",
    setup,
    longestText: 20_000,
    available: async () => (await program()) !== undefined,
    async synthesize(request) {
      const found = await program();
      if (found === undefined) throw new Error(`neither espeak-ng nor espeak is on the PATH: ${setup}`);
      const voice = firstText(request.voice, config["voice"]);
      return { bytes: await speech(found, { ...request, voice }), mediaType: "audio/wav" };
    },
  });
});
