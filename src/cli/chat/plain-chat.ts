import { join } from "node:path";
import type { Surface } from "#agent";
import { after, every, type LineEditor, now, onSignal, setExitStatus, signalStatus, type Terminal } from "#host";
import type { Runtime } from "#runtime";
import { paint } from "../view/paint.ts";
import { plainView } from "../view/plain-view.ts";
import { askApproval } from "./approval-prompt.ts";
import { type BusyMode, Conversation } from "./conversation.ts";
import { openHistory } from "./history.ts";
import { findSlashCommand, type SlashContext, slashCommands } from "./slash.ts";

export interface ChatOptions {
  readonly runtime: Runtime;
  readonly terminal: Terminal;
  readonly cwd: string;
  readonly busyMode: BusyMode;
  readonly model?: string;
  readonly resume?: string;
}

/** A chat line by line: at a terminal with editing, history and approvals in place; from a pipe, one message a line. */
export async function plainChat(options: ChatOptions): Promise<void> {
  const { runtime, terminal } = options;
  const style = paint(terminal.colour);
  const history = await openHistory(join(runtime.home, "chat-history"), (error) =>
    runtime.log("warning", `chat history: ${error}`),
  );
  const editor = terminal.lines({ history: history.lines, complete });
  const view = plainView({ terminal, now, every, answerOnly: false });
  const conversation = new Conversation({ ...options, surface: surface(view.emit) });
  let quitting = false;

  function say(text: string): void {
    view.finish();
    terminal.write(`${text}\n`);
  }
  function surface(emit: Surface["emit"]): Surface {
    if (!terminal.interactive) return { emit };
    const ask = { editor, style, say, timeout };
    return {
      emit,
      approve: (request, signal) => askApproval(request, signal, ask),
      question: (text, choices, signal) => question(text, choices, signal),
    };
  }
  async function question(text: string, choices: readonly string[], signal: AbortSignal): Promise<string | undefined> {
    say(style("yellow", text));
    for (const [index, choice] of choices.entries()) say(`  ${index + 1}. ${choice}`);
    const line = (await editor.read("answer: ", signal))?.trim();
    return choices[Number(line) - 1] ?? line;
  }
  const context: SlashContext = {
    conversation,
    runtime,
    colour: terminal.colour,
    get columns() {
      return terminal.columns;
    },
    say,
    quit() {
      quitting = true;
      conversation.interrupt();
    },
  };

  if (terminal.interactive) await greet(context, style);
  const stopListening = listen(editor, conversation, context);
  try {
    while (!quitting) {
      const line = await editor.read(terminal.interactive ? style("bold", "› ") : "");
      if (line === undefined) break;
      if (line.trim() === "") continue;
      history.add(line);
      await enter(line.trim(), context);
      view.finish();
    }
  } finally {
    stopListening();
    await conversation.close();
    view.finish();
    editor.close();
  }
}

/** One line of the person: a slash command or a message. An error is shown and the chat goes on. */
async function enter(line: string, context: SlashContext): Promise<void> {
  try {
    if (!line.startsWith("/")) {
      await context.conversation.say(line);
      return;
    }
    const [name = "", ...rest] = line.slice(1).split(/\s+/);
    const command = findSlashCommand(name);
    if (!command) return context.say(`unknown command /${name}; /help shows them`);
    if (context.conversation.busy && !command.whileBusy)
      return context.say(`/${command.name} has to wait: /stop ends the running turn`);
    await command.run(context, rest.join(" "));
  } catch (error) {
    context.say(error instanceof Error ? error.message : String(error));
  }
}

/** Lines and keys that come while a turn runs, and the signals of the outside. Returns the undo. */
function listen(editor: LineEditor, conversation: Conversation, context: SlashContext): () => void {
  editor.onIdleLine((line) => {
    if (line.trim() === "") return;
    context.say(`› ${line}`);
    enter(line.trim(), context).catch((error: unknown) => context.say(String(error)));
  });
  editor.onInterrupt(() => {
    if (conversation.interrupt()) return;
    context.quit();
    editor.close();
  });
  const undos = (["SIGTERM", "SIGHUP"] as const).map((signal) =>
    onSignal(signal, () => {
      setExitStatus(signalStatus(signal));
      context.quit();
      editor.close();
    }),
  );
  return () => {
    for (const undo of undos) undo();
  };
}

async function greet({ conversation, runtime, say }: SlashContext, style: ReturnType<typeof paint>): Promise<void> {
  const { current } = await runtime.route(conversation.model);
  say(
    `${style("bold", "Talaria")}  ${current.provider}/${current.id}  ${style("dim", "/help shows the commands, Ctrl-C stops, Ctrl-D leaves")}`,
  );
  for (const warning of runtime.warnings) say(style("yellow", warning));
}

function timeout(ms: number): AbortSignal {
  const controller = new AbortController();
  after(ms, () => controller.abort(), true);
  return controller.signal;
}

function complete(line: string): readonly string[] {
  if (!line.startsWith("/") || line.includes(" ")) return [];
  return slashCommands.map((command) => `/${command.name} `).filter((name) => name.startsWith(line));
}
