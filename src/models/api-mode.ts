export const apiModes = ["chat_completions", "responses", "anthropic_messages"] as const;
/** A wire protocol that the person may fix for an address of their own. */
export type ApiMode = (typeof apiModes)[number];

/** The protocol that a word means, Hermes's `codex_responses` included. */
export function apiModeOf(word: string | undefined): ApiMode | undefined {
  return word === "codex_responses" ? "responses" : apiModes.find((mode) => mode === word);
}
