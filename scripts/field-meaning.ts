import type { EventName } from "#kernel";

const meanings: Readonly<Record<string, string>> = {
  verdict: "`{decision, reason, by}`; deny beats defer beats ask beats allow, a deny ends the event",
  args: "the arguments from here on; later handlers see them",
  edited: "other arguments, which go back to `pre_tool_call`",
  request: "the request from here on; later handlers see it",
  result: "the text that the model sees instead of the result",
  output: "the text that takes the place of the output",
  text: "the text from here on",
  content: "the message from here on; later handlers see it",
  context: "texts that are added to the user's message for this turn and never stored",
  reminder: "texts for the model, stored where the event fired",
  notice: "lines for the user; the model does not see them",
  halt: "ends the event and the turn; the reason is shown",
  terminal: "escape sequences for the terminal: titles, notifications, the bell",
  trace: "what a request middleware says of its change: `source`, `reason`, `name`",
  initialMessage: "the first message of a session that has none",
  title: "the session's title",
  watchPaths: "files to watch",
  reloadSkills: "true: skills are read anew",
  hidePrompt: "true: the refused prompt is not shown again",
  retry: "true: the model is told that it may try again",
  permissions: "changes of permission rules",
  display: "what the screen shows instead",
  path: "the folder of the working copy",
  reply: "`{action, content}`: the answer that is given instead of the user's",
  dispatch: "`{action}`: `skip`, `rewrite` with `text`, or `allow`; the first one counts",
  command: "`{decision}`: `deny`, `handled` or `rewrite` with `commandName`; the first one counts",
};

/** What an answer field does; a field that nobody has described stops the generation. */
export function fieldMeaning(field: string): string {
  const meaning = meanings[field];
  if (meaning === undefined)
    throw new Error(`scripts/field-meaning.ts does not say what the answer field "${field}" does`);
  return meaning;
}

/** When an event fires, where its sentence does not say all. */
export const when: { readonly [E in EventName]?: string } = {
  on_session_end:
    "Fires at the end of every turn, not of the session; on every way out, also after an error or an interrupt.",
  on_session_finalize:
    "Order when a session is replaced: `on_session_finalize` → `session:end` → switch → `session:reset` → `on_session_reset`; `session:start` and `on_session_start` follow at the first turn.",
  pre_llm_call: "Fires before the prompt is stored and before compaction, so that a refused prompt leaves nothing.",
  tool_request: "Fires first: `tool_request` → `pre_tool_call` → `permit` → `tool_execution` → `post_tool_call`.",
  pre_tool_call:
    "For parallel calls one after another, in the order of the calls. A verdict `allow` given before the arguments were changed is void; a deny or an ask stays.",
  transform_terminal_output: "Foreground runs of `terminal` only.",
  transform_tool_result: "Fires for every tool that ran, on the text after truncation; the first text counts.",
  post_tool_call:
    "Fires for refused and cancelled calls too, with `status`; for parallel calls in the order in which they end. `result` is the tool's own, `transformedResult` what the model sees.",
  pre_api_request: "Before every attempt, retries included.",
  subagent_start: "Fires for all children of a call before any of them runs.",
  stop: "After eight continuations in a row the turn ends all the same.",
  "command:*": "Handlers of the typed alias and of the canonical name are both told, each once; 5 s at most.",
};
