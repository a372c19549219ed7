import type { LineEditor } from "#host";
import type { Runtime } from "#runtime";
import type { Paint } from "../view/paint.ts";

export interface ConfirmationOptions {
  readonly style: Paint;
  readonly say: (text: string) => void;
  /** Runs a question with the editor while everything else keeps still. */
  readonly withEditor: <T>(ask: (editor: LineEditor) => Promise<T>) => Promise<T>;
  readonly confirmation: Runtime["slashConfirmation"];
}

const answers: Readonly<Record<string, "once" | "always">> = {
  o: "once",
  once: "once",
  y: "once",
  yes: "once",
  a: "always",
  always: "always",
};

/** Asks before a command puts away what was said. "Always" ends these questions for good; anything else than a yes is a no. */
export function confirmed(options: ConfirmationOptions): (question: string) => Promise<boolean> {
  const { style, say, withEditor, confirmation } = options;
  return async (question) => {
    if (!confirmation.wanted) return true;
    const line = await withEditor((editor) => editor.read(style("bold", `${question} [o]nce, [a]lways, [c]ancel: `)));
    const answer = answers[line?.trim().toLowerCase() ?? ""];
    if (answer === "always") await confirmation.forget();
    if (answer === undefined) say("nothing was changed");
    return answer !== undefined;
  };
}
