import { type DisplaySettings, reasoningEfforts } from "#runtime";
import type { SlashContext } from "./slash-context.ts";

const shown = ["show", "on"];
const hidden = ["hide", "off"];

/** `/reasoning`: how hard the model thinks from the next call on, with `--save` in later sessions too, and whether it is shown. */
export async function reasoning(context: SlashContext, wanted: string): Promise<void> {
  const { conversation, display, runtime, say } = context;
  const words = wanted.trim().toLowerCase().split(/\s+/);
  const save = words.includes("--save");
  const word = words.filter((each) => each !== "--save").join(" ");
  const effort = reasoningEfforts.find((each) => each === word);
  if (shown.includes(word) || hidden.includes(word)) display.showReasoning = shown.includes(word);
  else if (word === "default") (await conversation.open()).reasoningEffort = undefined;
  else if (effort !== undefined) (await conversation.open()).reasoningEffort = effort;
  else if (word !== "")
    return say(`'${wanted}' is none of default, ${reasoningEfforts.join(", ")}, and neither show nor hide`);
  const { reasoningEffort } = await conversation.open();
  if (save) await runtime.keepReasoningEffort(reasoningEffort);
  const isChosen = word === "default" || effort !== undefined;
  const kept = save ? " (saved)" : isChosen ? ` (in this session; /reasoning ${word} --save keeps it)` : "";
  say(
    `reasoning: ${reasoningEffort ?? "as the provider does by itself"}${kept}; what the model thinks is ${display.showReasoning ? "shown" : "hidden"}`,
  );
}

const steps = ["off", "new", "all", "verbose"] as const;

const meanings: Readonly<Record<DisplaySettings["toolProgress"], string>> = {
  off: "tool calls are not shown",
  new: "of several calls of one tool in a row the first is shown",
  all: "every tool call is shown",
  verbose: "every tool call is shown with its arguments and its result",
};

/** `/verbose`: the next step of what is shown of tool calls, or the one that is named. */
export function verbose({ display, say }: SlashContext, wanted: string): void {
  const word = wanted.trim().toLowerCase();
  const next = steps[(steps.indexOf(display.toolProgress) + 1) % steps.length] ?? "all";
  const step = word === "" ? next : steps.find((each) => each === word);
  if (step !== undefined) display.toolProgress = step;
  say(step === undefined ? `'${wanted}' is none of ${steps.join(", ")}` : `${step}: ${meanings[step]}`);
}
