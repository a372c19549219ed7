import type { Surface } from "#agent";
import { after, type LineEditor } from "#host";
import type { Paint } from "../view/paint.ts";
import { askApproval, oneAtATime } from "./approval-prompt.ts";

export interface PersonOptions {
  readonly style: Paint;
  readonly say: (text: string) => void;
  /** Runs a question with an editor. A program that reads no lines otherwise opens one for it. */
  readonly withEditor: <T>(ask: (editor: LineEditor) => Promise<T>) => Promise<T>;
}

/** The part of a surface that asks the person at the terminal: approvals and questions, one after another. */
export function person({ style, say, withEditor }: PersonOptions): Required<Pick<Surface, "approve" | "question">> {
  const inTurn = oneAtATime();
  const ask = <T>(question: (editor: LineEditor) => Promise<T>): Promise<T> => inTurn(() => withEditor(question));
  return {
    approve: (request, signal) => ask((editor) => askApproval(request, signal, { editor, style, say, timeout })),
    question: (text, choices, signal) =>
      ask(async (editor) => {
        signal.throwIfAborted();
        say(style("yellow", text));
        for (const [index, choice] of choices.entries()) say(`  ${index + 1}. ${choice}`);
        editor.discard();
        const line = (await editor.read("answer: ", signal))?.trim();
        return choices[Number(line) - 1] ?? line;
      }),
  };
}

function timeout(ms: number): AbortSignal {
  const controller = new AbortController();
  // The editor keeps the process alive; a question that was answered must not.
  after(ms, () => controller.abort());
  return controller.signal;
}
