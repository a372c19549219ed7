import type { Terminal } from "#host";

/** Questions to the person at the terminal before the program begins; undefined where nobody is there. */
export function askPerson(
  terminal: Terminal,
): ((question: string, choices: readonly string[]) => Promise<string | undefined>) | undefined {
  if (!terminal.interactive) return undefined;
  return async (question, choices) => {
    const editor = terminal.lines({ history: [], complete: () => [] });
    try {
      return await editor.read(`${question} [${choices.join("/")}]: `);
    } finally {
      editor.close();
    }
  };
}
