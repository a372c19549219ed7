import { plainCallId, type Wire } from "../wire.ts";

/** Anthropic's Messages, with cache marks and signed thinking. */
export const messages: Wire = {
  apiMode: "anthropic_messages",
  returnsReasoning: true,
  imagesInToolResults: true,
  needsOutputLimit: true,
  callId: plainCallId,
  // Five minutes is what Anthropic does without being told.
  cacheMark: (ttl) => ({ anthropic: { cacheControl: { type: "ephemeral", ...(ttl === "1h" && { ttl }) } } }),
  async open(connection, fetch) {
    const { createAnthropic } = await import("@ai-sdk/anthropic");
    const credential = isToken(connection.apiKey)
      ? { authToken: connection.apiKey }
      : { apiKey: connection.apiKey ?? "" };
    const provider = createAnthropic({
      baseURL: connection.baseUrl,
      ...credential,
      ...(connection.headers && { headers: { ...connection.headers } }),
      fetch,
    });
    return provider.languageModel(connection.model);
  },
};

/** Tokens of a login go into the Authorization header, keys into `x-api-key`. */
function isToken(key: string | undefined): key is string {
  return key?.startsWith("sk-ant-oat") ?? false;
}
