import type { Surface, TurnEvent } from "#agent";

/** `talaria run --json`: each event as one line of JSON, with the time it happened (docs/reference/run-json.md). */
export function jsonView(write: (text: string) => void, now: () => number): Surface {
  return {
    emit(event: TurnEvent) {
      write(`${JSON.stringify({ ...event, at: now() })}\n`);
    },
  };
}
