import type { Wire } from "../wire.ts";

/** Azure OpenAI. The model's name is that of the deployment; the base URL is the resource's `…/openai`. */
export const azureChat: Wire = {
  apiMode: "chat_completions",
  returnsReasoning: false,
  imagesInToolResults: false,
  async open(connection, fetch) {
    const { createAzure } = await import("@ai-sdk/azure");
    const version =
      connection.environment?.["AZURE_OPENAI_API_VERSION"] ?? connection.environment?.["OPENAI_API_VERSION"];
    const provider = createAzure({
      baseURL: connection.baseUrl,
      apiKey: connection.apiKey ?? "",
      ...(version && { apiVersion: version, useDeploymentBasedUrls: /^\d{4}-/.test(version) }),
      ...(connection.headers && { headers: { ...connection.headers } }),
      fetch,
    });
    return provider.chat(connection.model);
  },
};
