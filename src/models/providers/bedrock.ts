import type { Connection } from "../connection.ts";
import { plainCallId, type Wire } from "../wire.ts";

/** Amazon Bedrock's Converse, by bearer key or by signed requests with the access keys of the environment. */
export const converse: Wire = {
  apiMode: "bedrock_converse",
  returnsReasoning: true,
  imagesInToolResults: true,
  callId: plainCallId,
  cacheMark: () => ({ bedrock: { cachePoint: { type: "default" } } }),
  async open(connection, fetch) {
    const { createAmazonBedrock } = await import("@ai-sdk/amazon-bedrock");
    const environment = connection.environment ?? {};
    const provider = createAmazonBedrock({
      region: environment["AWS_REGION"] ?? environment["AWS_DEFAULT_REGION"] ?? "us-east-1",
      ...(connection.baseUrl && { baseURL: connection.baseUrl }),
      ...credentials(connection),
      ...(connection.headers && { headers: { ...connection.headers } }),
      fetch,
    });
    return provider.languageModel(connection.model);
  },
};

function credentials({ apiKey, environment = {} }: Connection) {
  if (apiKey !== undefined) return { apiKey };
  const accessKeyId = environment["AWS_ACCESS_KEY_ID"];
  const secretAccessKey = environment["AWS_SECRET_ACCESS_KEY"];
  const sessionToken = environment["AWS_SESSION_TOKEN"];
  if (accessKeyId === undefined || secretAccessKey === undefined) return {};
  return { accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) };
}
