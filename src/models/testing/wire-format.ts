import type { FullAnswer } from "./script.ts";

/** How one vendor's protocol looks on the wire. */
export interface WireFormat {
  readonly name: "chat" | "responses" | "anthropic" | "gemini";
  /** Whether a request's path is this protocol's. */
  readonly path: RegExp;
  /** The server-sent events of an answer. */
  readonly events: (answer: FullAnswer, model: string) => readonly string[];
  readonly error: (status: number, message: string) => unknown;
}

export const event = (data: unknown, name?: string): string =>
  `${name ? `event: ${name}\n` : ""}data: ${JSON.stringify(data)}\n\n`;
