import { clipped, localClock } from "#host";
import { duration } from "./duration.ts";
import { tame } from "./pen.ts";
import { toolTitle } from "./tool-title.ts";
import type { Handlers, ViewParts } from "./view-parts.ts";

const levels = { info: "dim", warning: "yellow", error: "red" } as const;

/** What is said beside the conversation: the time, notices, attempts, summaries, sub-agents. */
export function besideLines({
  terminal,
  style,
  display,
  now,
  line,
}: ViewParts): Handlers<"turn-start" | "notice" | "terminal" | "retry" | "compaction" | "child"> {
  return {
    "turn-start": () => {
      if (display.timestamps) line(style("dim", localClock(now())));
    },
    notice: (event) => line(style(levels[event.level], tame(event.text))),
    terminal: ({ sequence }) => {
      if (terminal.interactive) terminal.write(sequence);
    },
    retry: (event) =>
      line(style("yellow", `${tame(event.reason)}; attempt ${event.attempt + 1} in ${duration(event.inMs)}`)),
    compaction: (event) =>
      line(style("dim", `conversation summarised: ${event.before} messages became ${event.after}`)),
    child: ({ agentId, event }) => {
      if (event.type !== "tool-start" || display.toolProgress === "off") return;
      const title = clipped(toolTitle(event.name, event.args), terminal.columns - agentId.length - 4);
      line(style("dim", `  ${agentId}: ${title}`));
    },
  };
}
