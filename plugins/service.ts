import { http, type PluginContext } from "talaria/plugin";

type Values = Readonly<Record<string, unknown>>;

export const mapping = (value: unknown): Values =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Values) : {};

export const text = (value: unknown): string => (typeof value === "string" ? value.trim() : "");

/** The first text that is not empty. */
export const firstText = (...values: readonly unknown[]): string => values.map(text).find((one) => one !== "") ?? "";

/** Asks a service; an answer that is no success is an error with its name, status and own words. */
export async function asked(
  name: string,
  address: string | URL,
  request: Parameters<typeof http>[1],
): Promise<Response> {
  const response = await http(address, { timeoutMs: 120_000, ...request });
  if (response.ok) return response;
  throw new Error(`${name} answered with status ${response.status}${told(await response.text())}`);
}

/** An answer's JSON object; anything else is an error with the service's name. */
export async function askedJson(
  name: string,
  address: string | URL,
  request: Parameters<typeof http>[1],
): Promise<Values> {
  const response = await asked(name, address, request);
  const body = await response.text();
  try {
    return mapping(JSON.parse(body));
  } catch (cause) {
    throw new Error(`${name} answered with something that is no JSON: ${body.slice(0, 200)}`, { cause });
  }
}

/** What a service says of a failure: its `error.message`, else the beginning of the text. */
function told(body: string): string {
  const found = /"(?:message|detail|error)"\s*:\s*("(?:[^"\\]|\\.)*")/.exec(body)?.[1];
  const words = found === undefined ? body.replaceAll(/<[^>]*>|\s+/g, " ") : String(JSON.parse(found));
  return words.trim() === "" ? "" : `: ${words.trim().slice(0, 300)}`;
}

/** A service that speaks OpenAI's protocol. */
export interface OpenAiService {
  readonly address: string;
  readonly headers: Readonly<Record<string, string>>;
  /** A key is set, or the address is not OpenAI's, which alone insists on one. */
  readonly isUsable: boolean;
}

const openAi = "https://api.openai.com/v1";

/**
 * Where and with which key: `plugins.entries.<key>`, else `<section>.openai` of the settings, else the environment
 * (docs/guide/providers.md).
 */
export function openAiService(
  { config, settings, environment }: PluginContext,
  section: string,
  keys: readonly string[],
): OpenAiService {
  const own = mapping(mapping(settings[section])["openai"]);
  const address = firstText(config["base_url"], own["base_url"], environment["OPENAI_BASE_URL"], openAi);
  const key = firstText(config["api_key"], own["api_key"], ...keys.map((name) => environment[name]));
  return {
    address: address.replace(/\/+$/, ""),
    headers: key === "" ? {} : { authorization: `Bearer ${key}` },
    isUsable: key !== "" || address.replace(/\/+$/, "") !== openAi,
  };
}
