import type { ApprovalChoice, ApprovalRequest } from "#agent";
import type { LineEditor } from "#host";
import type { Paint } from "../view/paint.ts";

/** What a person may type at an approval; anything else is asked again. */
const answers: Readonly<Record<string, ApprovalChoice>> = {
  o: "once",
  once: "once",
  y: "once",
  yes: "once",
  s: "session",
  session: "session",
  a: "always",
  always: "always",
  d: "deny",
  deny: "deny",
  n: "deny",
  no: "deny",
};

export interface AskOptions {
  readonly editor: LineEditor;
  readonly style: Paint;
  readonly say: (text: string) => void;
  readonly timeout: (ms: number) => AbortSignal;
}

/** Questions to one person, one after another: sub-agents may ask at the same time. */
export function oneAtATime(): <T>(ask: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (ask) => {
    const mine = last.then(ask, ask);
    last = mine;
    return mine;
  };
}

/** Shows exactly what will run and waits for a choice; the end of input denies, time running out is `timeout`. */
export async function askApproval(
  request: ApprovalRequest,
  signal: AbortSignal,
  options: AskOptions,
): Promise<ApprovalChoice> {
  const { editor, style, say, timeout } = options;
  signal.throwIfAborted();
  editor.discard();
  say(style("yellow", `${request.toolName} wants to run (${request.description}):`));
  say(indented(request.command));
  const choices = request.permanent ? "[o]nce, [s]ession, [a]lways, [d]eny" : "[o]nce, [s]ession, [d]eny";
  const late = timeout(request.timeoutMs);
  const either = AbortSignal.any([signal, late]);
  for (;;) {
    const line = await editor.read(style("bold", `allow? ${choices}: `), either);
    signal.throwIfAborted();
    if (late.aborted) {
      say("no answer in time: not allowed");
      return "timeout";
    }
    if (line === undefined) return "deny";
    const choice = answers[line.trim().toLowerCase()];
    if (choice === "always" && !request.permanent) return "session";
    if (choice) return choice;
  }
}

function indented(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what will run must be seen as it is
  const visible = text.replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, (character) => JSON.stringify(character).slice(1, -1));
  return visible
    .split("\n")
    .map((line) => `  ${line}`)
    .join("\n");
}
