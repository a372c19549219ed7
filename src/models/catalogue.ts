import type { ApiMode } from "./api-mode.ts";

/** Which provider package speaks the wire protocol. */
export type Protocol = "chat" | "openai" | "anthropic" | "google" | "bedrock" | "azure";

export interface Provider {
  readonly name: string;
  readonly title: string;
  readonly protocol: Protocol;
  /** Other names that people write. */
  readonly aliases?: readonly string[];
  /** With the version segment; empty where the person must give it. */
  readonly baseUrl: string;
  /** Environment variables that may hold the key, best first. Several keys may stand in one, separated by commas. */
  readonly keys: readonly string[];
  /** Environment variables that replace the base URL. */
  readonly urls?: readonly string[];
  /** Works without a key. */
  readonly local?: true;
  /** Port on the loopback address where it usually listens. */
  readonly port?: number;
  /** Used when the person names no model; absent: the first that the server lists. */
  readonly model?: string;
  /** Takes back reasoning as `reasoning_content`; the others answer that with an error or ignore it. */
  readonly returnsReasoning?: true;
  /** A key from the config; it goes before those of the environment. */
  readonly apiKey?: string;
  /** The protocol that the config fixes for it. */
  readonly apiMode?: ApiMode;
  /** Tool call ids must be nine letters or digits. */
  readonly shortCallIds?: true;
}

/** Every provider that has a name. Their order is that of detection: the first whose key or address is in the environment is used. */
export const catalogue: readonly Provider[] = [
  {
    name: "anthropic",
    title: "Anthropic",
    protocol: "anthropic",
    aliases: ["claude"],
    baseUrl: "https://api.anthropic.com/v1",
    keys: ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"],
    urls: ["ANTHROPIC_BASE_URL"],
    model: "claude-sonnet-5-5",
  },
  {
    name: "openai",
    title: "OpenAI",
    protocol: "openai",
    aliases: ["gpt"],
    baseUrl: "https://api.openai.com/v1",
    keys: ["OPENAI_API_KEY"],
    urls: ["OPENAI_BASE_URL", "OPENAI_API_BASE"],
    model: "gpt-5.5",
  },
  {
    name: "google",
    title: "Google Gemini",
    protocol: "google",
    aliases: ["gemini", "google-ai-studio"],
    baseUrl: "https://generativelanguage.googleapis.com/v1beta",
    keys: ["GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY"],
    urls: ["GEMINI_BASE_URL", "GOOGLE_GEMINI_BASE_URL"],
    model: "gemini-3.8-flash",
  },
  {
    name: "openrouter",
    title: "OpenRouter",
    protocol: "chat",
    baseUrl: "https://openrouter.ai/api/v1",
    keys: ["OPENROUTER_API_KEY"],
    urls: ["OPENROUTER_BASE_URL"],
    model: "anthropic/claude-sonnet-5.5",
  },
  {
    name: "deepseek",
    title: "DeepSeek",
    protocol: "chat",
    baseUrl: "https://api.deepseek.com/v1",
    keys: ["DEEPSEEK_API_KEY"],
    urls: ["DEEPSEEK_BASE_URL"],
    model: "deepseek-chat",
    returnsReasoning: true,
  },
  {
    name: "groq",
    title: "Groq",
    protocol: "chat",
    baseUrl: "https://api.groq.com/openai/v1",
    keys: ["GROQ_API_KEY"],
    urls: ["GROQ_BASE_URL"],
    model: "openai/gpt-oss-120b",
  },
  {
    name: "mistral",
    title: "Mistral",
    protocol: "chat",
    baseUrl: "https://api.mistral.ai/v1",
    keys: ["MISTRAL_API_KEY"],
    urls: ["MISTRAL_BASE_URL"],
    model: "mistral-large-latest",
    shortCallIds: true,
  },
  {
    name: "xai",
    title: "xAI",
    protocol: "chat",
    aliases: ["grok", "x-ai"],
    baseUrl: "https://api.x.ai/v1",
    keys: ["XAI_API_KEY"],
    urls: ["XAI_BASE_URL"],
    model: "grok-4",
  },
  {
    name: "together",
    title: "Together AI",
    protocol: "chat",
    aliases: ["togetherai"],
    baseUrl: "https://api.together.xyz/v1",
    keys: ["TOGETHER_API_KEY"],
    urls: ["TOGETHER_BASE_URL"],
  },
  {
    name: "fireworks",
    title: "Fireworks AI",
    protocol: "chat",
    baseUrl: "https://api.fireworks.ai/inference/v1",
    keys: ["FIREWORKS_API_KEY"],
    urls: ["FIREWORKS_BASE_URL"],
  },
  {
    name: "nvidia",
    title: "NVIDIA NIM",
    protocol: "chat",
    aliases: ["nim"],
    baseUrl: "https://integrate.api.nvidia.com/v1",
    keys: ["NVIDIA_API_KEY"],
    urls: ["NVIDIA_BASE_URL"],
  },
  {
    name: "cerebras",
    title: "Cerebras",
    protocol: "chat",
    baseUrl: "https://api.cerebras.ai/v1",
    keys: ["CEREBRAS_API_KEY"],
    urls: ["CEREBRAS_BASE_URL"],
  },
  {
    name: "moonshot",
    title: "Moonshot AI",
    protocol: "chat",
    aliases: ["kimi", "moonshotai"],
    baseUrl: "https://api.moonshot.ai/v1",
    keys: ["MOONSHOT_API_KEY", "KIMI_API_KEY"],
    urls: ["MOONSHOT_BASE_URL", "KIMI_BASE_URL"],
    returnsReasoning: true,
  },
  {
    name: "zai",
    title: "Z.AI (GLM)",
    protocol: "chat",
    aliases: ["glm", "zhipu", "z-ai"],
    baseUrl: "https://api.z.ai/api/paas/v4",
    keys: ["ZAI_API_KEY", "GLM_API_KEY", "ZHIPUAI_API_KEY"],
    urls: ["ZAI_BASE_URL", "GLM_BASE_URL"],
  },
  {
    name: "dashscope",
    title: "Alibaba Model Studio (Qwen)",
    protocol: "chat",
    aliases: ["qwen", "alibaba"],
    baseUrl: "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
    keys: ["DASHSCOPE_API_KEY"],
    urls: ["DASHSCOPE_BASE_URL"],
    model: "qwen-plus",
  },
  {
    name: "minimax",
    title: "MiniMax",
    protocol: "chat",
    baseUrl: "https://api.minimax.io/v1",
    keys: ["MINIMAX_API_KEY"],
    urls: ["MINIMAX_BASE_URL"],
  },
  {
    name: "huggingface",
    title: "Hugging Face",
    protocol: "chat",
    aliases: ["hf"],
    baseUrl: "https://router.huggingface.co/v1",
    keys: ["HF_TOKEN", "HUGGINGFACE_API_KEY"],
  },
  {
    name: "azure",
    title: "Azure OpenAI",
    protocol: "azure",
    aliases: ["azure-openai"],
    baseUrl: "",
    keys: ["AZURE_OPENAI_API_KEY", "AZURE_API_KEY"],
    urls: ["AZURE_OPENAI_BASE_URL", "AZURE_OPENAI_ENDPOINT"],
  },
  {
    name: "bedrock",
    title: "Amazon Bedrock",
    protocol: "bedrock",
    aliases: ["aws", "amazon-bedrock"],
    baseUrl: "",
    keys: ["AWS_BEARER_TOKEN_BEDROCK"],
    urls: ["BEDROCK_BASE_URL", "AWS_ENDPOINT_URL_BEDROCK_RUNTIME"],
    model: "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
  },
  {
    name: "ollama",
    title: "Ollama",
    protocol: "chat",
    baseUrl: "http://127.0.0.1:11434/v1",
    keys: ["OLLAMA_API_KEY"],
    urls: ["OLLAMA_BASE_URL", "OLLAMA_HOST"],
    local: true,
    port: 11434,
  },
  {
    name: "lmstudio",
    title: "LM Studio",
    protocol: "chat",
    aliases: ["lm-studio"],
    baseUrl: "http://127.0.0.1:1234/v1",
    keys: ["LMSTUDIO_API_KEY"],
    urls: ["LMSTUDIO_BASE_URL"],
    local: true,
    port: 1234,
  },
  {
    name: "llamacpp",
    title: "llama.cpp",
    protocol: "chat",
    aliases: ["llama.cpp", "llama-cpp"],
    baseUrl: "http://127.0.0.1:8080/v1",
    keys: ["LLAMACPP_API_KEY"],
    urls: ["LLAMACPP_BASE_URL"],
    local: true,
    port: 8080,
  },
  {
    name: "vllm",
    title: "vLLM",
    protocol: "chat",
    baseUrl: "http://127.0.0.1:8000/v1",
    keys: ["VLLM_API_KEY"],
    urls: ["VLLM_BASE_URL"],
    local: true,
    port: 8000,
  },
  {
    name: "custom",
    title: "Any OpenAI-compatible address",
    protocol: "chat",
    aliases: ["openai-compatible", "local"],
    baseUrl: "",
    keys: [],
    local: true,
  },
];

const byName = new Map(
  catalogue.flatMap((provider) => [provider.name, ...(provider.aliases ?? [])].map((name) => [name, provider])),
);

/** The provider of that name or alias, in any case. Providers of the person's own go before those of the catalogue. */
export function findProvider(name: string, own: readonly Provider[] = []): Provider | undefined {
  const wanted = name.trim().toLowerCase();
  const found = byName.get(wanted);
  return own.find((provider) => provider.name.toLowerCase() === (found?.name ?? wanted)) ?? found;
}

/** The provider whose own host an address names, so that `base_url: https://openrouter.ai/api/v1` alone is enough. */
export function providerAt(baseUrl: string): Provider | undefined {
  const host = hostOf(baseUrl);
  return host ? catalogue.find((provider) => !provider.local && hostOf(provider.baseUrl) === host) : undefined;
}

function hostOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).host : undefined;
}
