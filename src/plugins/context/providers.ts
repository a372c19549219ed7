import type { ContextEngine, ProviderKind, Providers } from "../provider.ts";
import type { ProviderRegistration } from "../registration.ts";
import type { Undo } from "../registry.ts";
import type { ContextParts } from "./parts.ts";

const nothing = (): void => undefined;

/** What a provider of each kind has to have: one of the methods of each row. */
const demanded: { readonly [K in ProviderKind]: readonly (readonly string[])[] } = {
  web: [["search", "extract"]],
  image: [["generate"]],
  video: [["generate"]],
  tts: [["synthesize"]],
  transcription: [["transcribe"]],
  browser: [["open"]],
  memory: [["initialize"], ["toolSchemas"]],
};

/** Names of engines of the program itself. */
const builtIn: { readonly [K in ProviderKind]?: readonly string[] } = {
  tts: ["edge", "elevenlabs", "gemini", "kittentts", "minimax", "mistral", "neutts", "openai", "piper", "xai"],
  transcription: ["groq", "local", "local_command", "mistral", "openai", "xai"],
};

/** Registers a provider; one of the wrong form, or with the name of a built-in engine, is left out with a warning. */
export function registerProvider<K extends ProviderKind>(
  kind: K,
  provider: Providers[K],
  { scope, owner, log }: ContextParts & { readonly bundled?: boolean },
): Undo {
  const problem = providerProblem(kind, provider) ?? takenName(kind, provider.name, owner.key);
  if (problem !== undefined) {
    log("warning", `a provider of kind ${kind} is left out: ${problem}`);
    return nothing;
  }
  return scope.add("provider", { kind, provider } as unknown as ProviderRegistration);
}

function providerProblem(kind: ProviderKind, provider: unknown): string | undefined {
  if (typeof provider !== "object" || provider === null) return "it is no object";
  const values = provider as Readonly<Record<string, unknown>>;
  if (typeof values["name"] !== "string" || values["name"].trim() === "") return "it has no name";
  const lacking = demanded[kind].find((methods) => !methods.some((method) => typeof values[method] === "function"));
  return lacking === undefined ? undefined : `'${values["name"]}' has no method ${lacking.join(" or ")}`;
}

/** The program's own engines are bundled plugins of these names. */
function takenName(kind: ProviderKind, name: string, key: string): string | undefined {
  if (builtIn[kind]?.includes(name.trim().toLowerCase()) !== true) return undefined;
  return /^(?:tts|stt)\//.test(key) ? undefined : `'${name}' is the name of a built-in engine`;
}

/** Registers a context engine; the first one stays. */
export function registerContextEngine(engine: ContextEngine, { scope, registry, log }: ContextParts): Undo {
  const values = engine as unknown as Readonly<Record<string, unknown>> | null | undefined;
  const fits =
    typeof values === "object" &&
    values !== null &&
    typeof values["name"] === "string" &&
    ["shouldCompress", "compress"].every((method) => typeof values[method] === "function");
  if (!fits) {
    log("warning", "a context engine is left out: it has to have name, shouldCompress and compress");
    return nothing;
  }
  const [first] = registry.of("contextEngine");
  if (first !== undefined) {
    log("warning", `the context engine '${engine.name}' is left out: plugin ${first.owner.key} has registered one`);
    return nothing;
  }
  return scope.add("contextEngine", engine);
}
