import type { ApiMode } from "./api-mode.ts";
import type { Connection } from "./connection.ts";
import { messages } from "./providers/anthropic.ts";
import { azureChat } from "./providers/azure.ts";
import { converse } from "./providers/bedrock.ts";
import { gemini } from "./providers/google.ts";
import { responses } from "./providers/openai.ts";
import {
  chatCompletions,
  chatCompletionsWithReasoning,
  chatCompletionsWithShortIds,
} from "./providers/openai-compatible.ts";
import type { Wire } from "./wire.ts";

/** The wires to try, in order: the second only where the server does not know the path of the first. */
export function wiresFor(connection: Connection): readonly Wire[] {
  switch (connection.provider.protocol) {
    case "anthropic":
      return [messages];
    case "google":
      return [gemini];
    case "bedrock":
      return [converse];
    case "azure":
      return [azureChat];
    case "openai":
      return openai(connection);
    case "chat":
      return chat(connection);
  }
}

const fixed: Readonly<Record<ApiMode, Wire>> = {
  chat_completions: chatCompletions,
  responses,
  anthropic_messages: messages,
};

function openai({ apiMode, baseUrl }: Connection): readonly Wire[] {
  if (apiMode) return [fixed[apiMode]];
  const isOpenAi = URL.canParse(baseUrl) && new URL(baseUrl).host === "api.openai.com";
  return isOpenAi ? [responses, chatCompletions] : [chatCompletions, responses];
}

function chat({ apiMode, provider }: Connection): readonly Wire[] {
  if (apiMode === "responses" || apiMode === "anthropic_messages") return [fixed[apiMode]];
  if (provider.returnsReasoning) return [chatCompletionsWithReasoning];
  return [provider.shortCallIds ? chatCompletionsWithShortIds : chatCompletions];
}
