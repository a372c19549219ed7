import type { Wire } from "../wire.ts";

/** OpenAI's Responses, without storage at OpenAI: reasoning comes encrypted and goes back so. */
export const responses: Wire = {
  apiMode: "responses",
  returnsReasoning: true,
  imagesInToolResults: true,
  options: () => ({ openai: { store: false } }),
  async open(connection, fetch) {
    const { createOpenAI } = await import("@ai-sdk/openai");
    const provider = createOpenAI({
      baseURL: connection.baseUrl,
      apiKey: connection.apiKey ?? "",
      ...(connection.headers && { headers: { ...connection.headers } }),
      fetch,
    });
    return provider.responses(connection.model);
  },
};
