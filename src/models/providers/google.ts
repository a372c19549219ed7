import type { Wire } from "../wire.ts";

/** Google's Gemini, with thought signatures. */
export const gemini: Wire = {
  apiMode: "gemini",
  returnsReasoning: true,
  imagesInToolResults: false,
  async open(connection, fetch) {
    const { createGoogle } = await import("@ai-sdk/google");
    const provider = createGoogle({
      baseURL: connection.baseUrl,
      apiKey: connection.apiKey ?? "",
      ...(connection.headers && { headers: { ...connection.headers } }),
      fetch,
    });
    return provider.languageModel(connection.model);
  },
};
