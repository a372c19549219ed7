import { join } from "node:path";
import { every, type LineEditor, now, onSignal, setExitStatus, signalStatus, type Terminal } from "#host";
import type { Runtime } from "#runtime";
import { paint } from "../view/paint.ts";
import { plainView } from "../view/plain-view.ts";
import { confirmed } from "./confirmation.ts";
import { type BusyMode, Conversation } from "./conversation.ts";
import { openHistory } from "./history.ts";
import { type PersonOptions, person } from "./person.ts";
import { pluginCommandRuns } from "./plugin-command.ts";
import { findPluginCommand, findSlashCommand, slashCommands } from "./slash.ts";
import type { ChangeableDisplay, SlashContext } from "./slash-context.ts";

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
  const editor = terminal.lines({ history: history.lines, complete: (line) => complete(line, runtime) });
  const display: ChangeableDisplay = { ...runtime.display };
  const view = plainView({ terminal, now, every, answerOnly: false, display });
  const { say } = view;
  const pluginCommands = pluginCommandRuns(view);
  const withEditor: PersonOptions["withEditor"] = (ask) => view.whileAsking(() => ask(editor));
  const asking = terminal.interactive ? person({ style, say, withEditor }) : {};
  const conversation = new Conversation({ ...options, surface: { emit: view.emit, ...asking } });
  let quitting = false;
  /** Ctrl-C was pressed at an empty prompt, and nothing since. */
  const leaving = { wanted: false };

  const context: SlashContext = {
    conversation,
    runtime,
    display,
    confirm: terminal.interactive
      ? confirmed({ style, say, withEditor, confirmation: runtime.slashConfirmation })
      : async () => true,
    colour: terminal.colour,
    get columns() {
      return terminal.columns;
    },
    pluginCommands,
    say,
    quit() {
      quitting = true;
      conversation.interrupt();
    },
  };

  if (terminal.interactive) await greet(context, style);
  const stopListening = listen(editor, context, leaving);
  const put = takeMessages(context);
  try {
    while (!quitting) {
      const line = await editor.read(terminal.interactive ? style("bold", "› ") : "");
      if (line === undefined) break;
      leaving.wanted = false;
      if (line.trim() === "") continue;
      history.add(line);
      await enter(line.trim(), context);
      if (!terminal.interactive) await put.settled();
      view.finish();
    }
  } finally {
    stopListening();
    put.stop();
    pluginCommands.stop();
    await conversation.close();
    view.finish();
    editor.close();
  }
}

/** One line of the person: a slash command or a message. An error is shown and the chat goes on. */
async function enter(line: string, context: SlashContext): Promise<void> {
  try {
    // A path such as /etc/hosts is no command.
    const [, name, rest = ""] = /^\/([^\s/]+)(?:\s+([\s\S]*))?$/.exec(line) ?? [];
    const command = name === undefined ? undefined : findSlashCommand(name);
    const ofPlugin = name === undefined || command ? undefined : findPluginCommand(context.runtime, name);
    if (ofPlugin) return await context.pluginCommands.run(ofPlugin, rest);
    // What comes of an MCP prompt, the turn says.
    const isPrompt = !command && name?.startsWith("mcp__") === true;
    if (isPrompt || name === undefined || (!command && !/^[\w-]+$/.test(name))) {
      await context.conversation.say(line);
      return;
    }
    if (!command) return context.say(`unknown command /${name}; /help shows them`);
    if (context.conversation.busy && !command.whileBusy)
      return context.say(`/${command.name} has to wait: /stop ends the running turn`);
    await command.run(context, rest);
  } catch (error) {
    context.say(error instanceof Error ? error.message : String(error));
  }
}

/** Messages that plugins put in: to the running turn as a note, else as the next message, behind the command that put it. */
function takeMessages({ conversation, pluginCommands, runtime, say }: SlashContext) {
  let last: Promise<unknown> = Promise.resolve();
  const take = async (text: string): Promise<void> => {
    await pluginCommands.settled();
    if (conversation.steer(text)) return;
    say(`› ${text}`);
    await conversation.say(text);
  };
  const stop = runtime.onMessage((text) => {
    if (conversation.steer(text)) return true;
    last = last
      .then(() => take(text))
      .catch((error: unknown) => say(error instanceof Error ? error.message : String(error)));
    return true;
  });
  return { stop, settled: () => last };
}

/** Lines and keys that come while a turn runs, and the signals of the outside. Returns the undo. */
function listen(editor: LineEditor, context: SlashContext, leaving: { wanted: boolean }): () => void {
  const { conversation } = context;
  editor.onIdleLine((line) => {
    if (line.trim() === "") return;
    context.say(`› ${line}`);
    enter(line.trim(), context).catch((error: unknown) => context.say(String(error)));
  });
  editor.onInterrupt(() => {
    if (conversation.interrupt() || context.pluginCommands.stop()) return undefined;
    const again = leaving.wanted;
    leaving.wanted = true;
    if (!again) return "Ctrl-C again, Ctrl-D or /quit leaves";
    context.quit();
    editor.close();
    return undefined;
  });
  const undos = (["SIGINT", "SIGTERM", "SIGHUP"] as const).map((signal) =>
    onSignal(signal, () => {
      setExitStatus(signalStatus(signal));
      context.quit();
      editor.close();
    }),
  );
  const stopWaking = context.runtime.onWake((id) => {
    if (conversation.session?.id !== id || conversation.busy) return;
    enter("[A hook in the background asks you to go on.]", context).catch((error: unknown) =>
      context.say(String(error)),
    );
  });
  return () => {
    stopWaking();
    for (const undo of undos) undo();
  };
}

async function greet({ conversation, runtime, say }: SlashContext, style: ReturnType<typeof paint>): Promise<void> {
  const { current } = await runtime.route(conversation.model);
  say(`${style("bold", "Talaria")}  ${current.provider}/${current.id}`);
  say(style("dim", "/help shows the commands, Ctrl-C stops, Ctrl-D leaves"));
  for (const warning of runtime.warnings) say(style("yellow", warning));
}

function complete(line: string, runtime: Runtime): readonly string[] {
  if (!line.startsWith("/") || line.includes(" ")) return [];
  return [
    ...slashCommands,
    ...runtime.slashCommands(),
    ...runtime.promptCommands().map(({ command: name }) => ({ name })),
  ]
    .map((command) => `/${command.name} `)
    .filter((name) => name.startsWith(line));
}
