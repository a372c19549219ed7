import type { FullAnswer } from "./script.ts";

/** How one vendor's protocol looks on the wire. */
export interface WireFormat {
  readonly name: "chat" | "responses" | "anthropic" | "gemini" | "bedrock";
  /** Whether a request's path is this protocol's. */
  readonly path: RegExp;
  /** `text/event-stream` where absent. */
  readonly contentType?: string;
  /** An answer as the protocol's events. */
  readonly events: (answer: FullAnswer, model: string) => readonly (string | Buffer)[];
  readonly error: (status: number, message: string) => unknown;
}

export const event = (data: unknown, name?: string): string =>
  `${name ? `event: ${name}\n` : ""}data: ${JSON.stringify(data)}\n\n`;
