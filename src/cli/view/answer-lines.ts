import type { TurnEvent } from "#agent";
import { localClock } from "#host";
import type { DisplaySettings } from "#runtime";
import { tame } from "./pen.ts";
import { toolTitle } from "./tool-title.ts";
import type { Handlers, ViewParts } from "./view-parts.ts";

export interface AnswerParts extends ViewParts {
  /** The answer goes to a program: it gets that alone, whole and as it was delivered. */
  readonly apart: boolean;
  /** What the model asked for, by call; a blocked call never starts. */
  readonly titles: Map<string, string>;
}

type Ended = Extract<TurnEvent, { type: "turn-end" }>;

/** What the model thinks and says, and how its turn ends. */
export function answerLines(parts: AnswerParts): Handlers<"reasoning" | "text" | "reset" | "message" | "turn-end"> {
  const { style, display, apart, titles, text, thought, line, endLine } = parts;
  /** Text of the model call that is under way. */
  let streamed = "";
  /** The answer that is on the screen; what is delivered may be another, or come from no model call. */
  let shown = "";
  /** What the model thought, where it is shown at once. */
  let thoughts = "";
  const faint = (words: string): void => {
    if (words !== "") line(style("dim", tame(words.trimEnd())));
  };
  return {
    reasoning: (event) => {
      if (!display.showReasoning) return;
      if (display.streaming) thought(event.text);
      else thoughts += event.text;
    },
    text: (event) => {
      if (!apart && display.streaming) text(event.text);
      streamed += event.text;
    },
    reset: (event) => {
      streamed = "";
      thoughts = "";
      faint(`… ${event.reason}; starting the answer again`);
    },
    message: (event) => {
      faint(thoughts);
      if (!apart && !display.streaming) text(event.text);
      endLine();
      streamed = "";
      thoughts = "";
      shown = event.toolCalls.length === 0 ? event.text : "";
      if (apart && event.toolCalls.length > 0) faint(event.text);
      for (const call of event.toolCalls) titles.set(call.id, toolTitle(call.name, call.args));
    },
    "turn-end": (event) => {
      if (apart) faint(streamed);
      ending(event, parts, shown);
      streamed = "";
      thoughts = "";
      shown = "";
      endLine();
      faint(footer(event, display, parts.now()));
      if (display.bell && parts.terminal.outputIsTerminal) parts.terminal.write("\x07");
    },
  };
}

function ending(event: Ended, { style, apart, text, line }: AnswerParts, shown: string): void {
  if (event.outcome === "failed" || event.outcome === "refused") line(style("red", tame(event.text)));
  else if (event.outcome === "deferred") line(style("yellow", tame(event.text)));
  else if (event.outcome === "interrupted") line(style("yellow", "interrupted"));
  else if (apart || event.text !== shown) text(event.text);
}

/** The last line of a turn: when it ended and what it took. */
function footer({ usage }: Ended, display: DisplaySettings, at: number): string {
  const { inputTokens, outputTokens, costUsd } = usage;
  const cost = costUsd === undefined ? "cost unknown" : `$${costUsd.toFixed(4)}`;
  return [
    ...(display.timestamps ? [localClock(at)] : []),
    ...(display.showCost ? [`${inputTokens} tokens in, ${outputTokens} out, ${cost}`] : []),
  ].join("  ");
}
