import type { ToolOutcome, TurnContext } from "#agent";
import type { WebResult } from "#plugins";
import { type Arguments, countArgument, textArgument } from "../argument.ts";
import { answer, failure } from "../outcome.ts";
import { bounded, chosenProvider, type ProviderSource, reason } from "../provider-choice.ts";
import type { WebSettings } from "./settings.ts";

export interface WebCall {
  readonly settings: WebSettings;
  readonly source: ProviderSource;
  readonly signal: AbortSignal;
  readonly context: Pick<TurnContext, "askModel">;
}

const searchMs = 60_000;
const mostDescription = 1_000;

export async function webSearch(args: Arguments, { settings, source, signal }: WebCall): Promise<ToolOutcome> {
  const query = textArgument(args, "query")?.trim() ?? "";
  if (query === "") return failed("query is missing: say what to look for");
  const limit = countArgument(args, "limit", { least: 1, most: 20, fallback: 5 });
  const choice = await chosenProvider(source, {
    kind: "web",
    purpose: "searching the web",
    key: settings.searchBackend ? "web.search_backend" : "web.backend",
    named: settings.searchBackend ?? settings.backend,
    suits: ({ search }) => search !== undefined,
  });
  if ("problem" in choice) return failed(choice.problem);
  const { provider } = choice;
  try {
    const found: unknown = await bounded(Promise.resolve(provider.search?.(query, { limit, signal })), {
      what: `searching with ${provider.name}`,
      ms: searchMs,
      signal,
    });
    if (!Array.isArray(found)) return failed(`${provider.name} gave no list of results`);
    const results = found.flatMap(readResult).slice(0, limit);
    return answer({
      success: true,
      data: { web: results.map((result, index) => ({ ...result, position: index + 1 })) },
    });
  } catch (error) {
    if (signal.aborted) throw error;
    return failed(`searching with ${provider.name} failed: ${reason(error)}`);
  }
}

const failed = (error: string): ToolOutcome => failure(error, { success: false });

const text = (value: unknown): string => (typeof value === "string" ? value.replace(/\s+/g, " ").trim() : "");

/** A result of a provider, as far as it is one. */
function readResult(value: unknown): readonly WebResult[] {
  if (typeof value !== "object" || value === null) return [];
  const { title, url, description } = value as Readonly<Record<string, unknown>>;
  const address = text(url);
  if (address === "") return [];
  return [{ title: text(title) || address, url: address, description: text(description).slice(0, mostDescription) }];
}
