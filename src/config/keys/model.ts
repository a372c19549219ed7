import { choice, list, mapping, onOff, optionalInteger, optionalNumber, optionalText, text } from "../key.ts";

/** Which model answers, where it is, and what takes over when it does not. */
export const modelKeys = {
  "model.provider": text(
    "auto",
    "The provider of the model; `auto` takes the first one with a key or a local server; `custom` is any OpenAI-compatible address.",
    {
      foreignVariables: ["HERMES_INFERENCE_PROVIDER"],
      aliases: ["provider"],
    },
  ),
  "model.default": optionalText("The model's name as its provider writes it.", {
    variable: "MODEL",
    foreignVariables: ["HERMES_INFERENCE_MODEL"],
    aliases: ["model", "model.model", "model.name"],
  }),
  "model.base_url": optionalText("The address of the interface, where it is not the provider's usual one.", {
    aliases: ["base_url"],
  }),
  "model.api_key": optionalText("The key for the provider; better kept in the home's `.env`.", {
    aliases: ["api_key"],
    secret: true,
  }),
  "model.api_mode": optionalText(
    "The protocol of a custom address: `chat_completions`, `responses` or `anthropic_messages`.",
  ),
  "model.context_length": optionalInteger("Tokens that the model takes in all, where its provider does not say.", {
    min: 1000,
  }),
  "model.max_tokens": optionalInteger("Tokens of one answer at most.", { min: 1 }),
  "model.idle_timeout": optionalInteger(
    "Seconds without a byte from the server after which a call is given up and made again; absent: 120.",
    { min: 1 },
  ),
  "model.temperature": optionalNumber("The sampling temperature; absent: the provider's own.", { min: 0, max: 2 }),
  "model.streaming": onOff(true, "Ask for answers as a stream."),
  "model.default_headers": mapping("Further HTTP headers of each request to the model.", {
    aliases: ["model.extra_headers"],
  }),
  fallback_providers: list(
    "Models that take over in this order when the first fails: `provider/model` or mappings with `provider`, `model`, `base_url`, `api_key`.",
  ),
  fallback_model: mapping(
    "One model that takes over: `provider`, `model`, `base_url`, `api_key`; asked before `fallback_providers`.",
  ),
  providers: mapping("Settings by provider name: `base_url`, `api_key`, `key_env`, `models`."),
  custom_providers: list(
    "Providers of your own: mappings with `name`, `base_url`, `api_key` or `key_env`, `model`, `api_mode`.",
  ),
  credential_pool_strategies: mapping(
    "How several keys of one provider are used: `fill_first`, `round_robin`, `random` or `least_used`.",
  ),
  "prompt_caching.enabled": onOff(true, "Mark the unchanging start of a request for the provider's cache."),
  "prompt_caching.cache_ttl": choice(["5m", "1h"], "5m", "How long Anthropic keeps what is cached."),
} as const;
