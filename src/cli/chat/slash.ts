import { localTime, redact } from "#host";
import type { McpPrompt, PluginSlash, Runtime } from "#runtime";
import type { SessionRecord } from "#sessions";
import { table, wrappedTable } from "../table.ts";
import { reasoning, verbose } from "./display-commands.ts";
import { plugins } from "./plugins-command.ts";
import type { SlashContext } from "./slash-context.ts";

export interface SlashCommand {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly argument?: string;
  readonly about: string;
  /** May run while a turn runs. */
  readonly whileBusy?: true;
  run(context: SlashContext, argument: string): Promise<void> | void;
}

/** The chat's commands: help, completion and docs/reference/chat.md are read from this table. */
export const slashCommands: readonly SlashCommand[] = [
  { name: "help", argument: "[command]", about: "Show the commands.", whileBusy: true, run: help },
  { name: "new", aliases: ["reset", "clear"], about: "End this session and open another.", run: fresh },
  {
    name: "resume",
    argument: "[session]",
    about: "Continue a stored session: an id, the start of one, a title, or last.",
    run: resume,
  },
  { name: "sessions", about: "List the latest sessions.", whileBusy: true, run: sessions },
  { name: "title", argument: "TEXT", about: "Name this session.", whileBusy: true, run: title },
  {
    name: "model",
    argument: "[provider/name]",
    about: "Show the model, or use another from the next message on.",
    run: model,
  },
  {
    name: "reasoning",
    argument: "[effort [--save]|show|hide]",
    about:
      "Show how hard the model thinks, set it for this session (--save: for later ones too), or show what it thinks.",
    whileBusy: true,
    run: reasoning,
  },
  {
    name: "verbose",
    argument: "[off|new|all|verbose]",
    about: "Change how much of tool calls is shown.",
    whileBusy: true,
    run: verbose,
  },
  { name: "tools", about: "List the tools that the model has.", whileBusy: true, run: tools },
  {
    name: "plugins",
    argument: "[enable|disable|reload NAME]",
    about: "List the plugins, use one, stop using one, or load what its files hold now.",
    whileBusy: true,
    run: plugins,
  },
  { name: "trace", argument: "[session]", about: "Draw the last turn as a timeline.", whileBusy: true, run: trace },
  {
    name: "compress",
    aliases: ["compact"],
    argument: "[what to keep]",
    about: "Summarise the older part of the conversation.",
    run: compress,
  },
  { name: "retry", about: "Take the last turn back and ask again.", run: retry },
  { name: "undo", about: "Take the last turn out of the conversation.", run: undo },
  {
    name: "yolo",
    about: "Run dangerous commands of this session without asking, or ask again.",
    whileBusy: true,
    run: yolo,
  },
  { name: "usage", about: "Show the tokens and the cost of this session.", whileBusy: true, run: usage },
  { name: "status", about: "Show session, model and folder.", whileBusy: true, run: status },
  { name: "steer", argument: "TEXT", about: "Slip a note to the running turn.", whileBusy: true, run: steer },
  {
    name: "queue",
    aliases: ["q"],
    argument: "TEXT",
    about: "Say this when the running turn is done.",
    whileBusy: true,
    run: queue,
  },
  { name: "stop", about: "Stop the running turn.", whileBusy: true, run: stop },
  { name: "quit", aliases: ["exit"], about: "Leave the chat.", whileBusy: true, run: ({ quit }) => quit() },
];

export function findSlashCommand(name: string): SlashCommand | undefined {
  return slashCommands.find((command) => command.name === name || command.aliases?.includes(name));
}

/** A plugin's command by what was typed: case does not matter, `_` stands for `-`. */
export function findPluginCommand(runtime: Pick<Runtime, "slashCommands">, typed: string): PluginSlash | undefined {
  const name = typed.toLowerCase();
  const all = runtime.slashCommands();
  return (
    all.find((command) => command.name === name) ?? all.find((command) => command.name === name.replaceAll("_", "-"))
  );
}

const asCommand = ({ name, argsHint, about, plugin }: PluginSlash): SlashCommand => ({
  name,
  about: `${about} (plugin ${plugin})`,
  ...(argsHint === "" ? {} : { argument: argsHint }),
  run: () => undefined,
});

const promptCommand = ({ command, about, args }: McpPrompt): SlashCommand => ({
  name: command,
  about,
  ...(args.length === 0
    ? {}
    : { argument: args.map(({ name, required }) => (required ? name.toUpperCase() : `[${name}]`)).join(" ") }),
  run: () => undefined,
});

function help({ say, columns, runtime }: SlashContext, given: string): void {
  const name = given.replace(/^\//, "");
  const ofPlugin = name === "" ? undefined : findPluginCommand(runtime, name);
  const only = name === "" ? undefined : (findSlashCommand(name) ?? (ofPlugin && asCommand(ofPlugin)));
  const shown = only
    ? [only]
    : [...slashCommands, ...runtime.slashCommands().map(asCommand), ...runtime.promptCommands().map(promptCommand)];
  const head = ({ name, argument }: SlashCommand): string => `/${name}${argument ? ` ${argument}` : ""}`;
  say(
    wrappedTable(
      shown.map((command) => [head(command), `${command.about}${also(command)}`]),
      columns,
    ),
  );
}

function also({ aliases }: SlashCommand): string {
  return aliases ? ` (also ${aliases.map((alias) => `/${alias}`).join(", ")})` : "";
}

async function fresh({ conversation, confirm, say }: SlashContext): Promise<void> {
  if (conversation.hasTurns && !(await confirm("end this session and begin another?"))) return;
  const renewed = await conversation.renew();
  say(
    renewed === undefined
      ? "a new session starts with the next message"
      : `session ${renewed.old.id} is kept; this is ${renewed.session.id}`,
  );
}

async function resume(context: SlashContext, reference: string): Promise<void> {
  const session = await context.conversation.resume(reference === "" ? "last" : reference);
  context.say(
    `continuing ${facts(session.record).slice(0, 2).join(" of ")}, ${session.record.messageCount} messages${session.record.title === undefined ? "" : `: ${session.record.title}`}`,
  );
}

async function sessions({ runtime, say, columns }: SlashContext): Promise<void> {
  const records = await runtime.store.list({ limit: 15 });
  say(records.length === 0 ? "no sessions yet" : table(records.map(facts), columns));
}

/** What tells a session from others. */
const facts = ({ id, lastActiveAt, messageCount, title, cwd }: SessionRecord): readonly string[] => [
  id,
  localTime(lastActiveAt),
  String(messageCount),
  title ?? cwd,
];

async function title({ conversation, runtime, say }: SlashContext, text: string): Promise<void> {
  const session = await conversation.open();
  if (text === "") return say(session.record.title ?? "this session has no title");
  await runtime.store.update(session.id, { title: text });
  say(`this session is called '${text}'`);
}

async function model({ conversation, runtime, say }: SlashContext, reference: string): Promise<void> {
  if (reference === "") {
    const { current } = conversation.session?.route ?? (await runtime.route(conversation.model));
    return say(`${current.provider}/${current.id}  ${redact(current.baseUrl)}`.trimEnd());
  }
  const route = await runtime.route(reference);
  await conversation.session?.useRoute(route);
  conversation.model = reference;
  say(`from the next message on: ${route.current.provider}/${route.current.id}`);
}

async function tools({ conversation, say, columns }: SlashContext): Promise<void> {
  const listed = (await conversation.open()).tools();
  say(
    table(
      listed.map((tool) => [tool.name, tool.description.split("\n", 1)[0] ?? ""]),
      columns,
    ),
  );
}

async function trace({ conversation, runtime, columns, colour, say }: SlashContext, reference: string): Promise<void> {
  const id = reference === "" ? conversation.session?.id : (await runtime.store.resolve(reference))?.id;
  if (id === undefined)
    return say(reference === "" ? "nothing has happened in this chat yet" : `no session is called '${reference}'`);
  say((await runtime.drawTrace(id, { columns, colour })).join("\n"));
}

async function compress({ conversation, runtime, say }: SlashContext, instructions: string): Promise<void> {
  const session = await conversation.open();
  const { before, after } = await conversation.compact(session, instructions);
  if (before === after) say("nothing to summarise yet");
  runtime.log("info", `session ${session.id} compacted by hand: ${before} messages became ${after}`);
}

async function retry({ conversation, say }: SlashContext): Promise<void> {
  if (!conversation.session || !(await conversation.retry())) say("there is no turn to take back");
}

async function undo({ conversation, confirm, say }: SlashContext): Promise<void> {
  if (conversation.hasTurns && !(await confirm("take the last turn out of the conversation?"))) return;
  const text = await conversation.session?.undo();
  say(text === undefined ? "there is no turn to take back" : `taken back: ${text.split("\n", 1)[0]}`);
}

async function yolo({ conversation, runtime, say }: SlashContext): Promise<void> {
  const { id } = await conversation.open();
  const wanted = !runtime.isYolo(id);
  runtime.yolo(id, wanted);
  say(
    wanted
      ? "dangerous commands of this session run without asking now; what is never allowed stays so; /yolo again to be asked"
      : "dangerous commands are asked about again",
  );
}

function usage({ conversation, say }: SlashContext): void {
  const used = conversation.session?.usage;
  if (!used) {
    say("no model was called in this chat yet");
    return;
  }
  const cost = used.costUsd === undefined ? "unknown" : `$${used.costUsd.toFixed(4)}`;
  say(
    [
      `  input   ${used.inputTokens} tokens (${used.cacheReadTokens} read from cache, ${used.cacheWriteTokens} written)`,
      `  output  ${used.outputTokens} tokens (${used.reasoningTokens} of reasoning)`,
      `  cost    ${cost}`,
    ].join("\n"),
  );
}

async function status({ conversation, runtime, say }: SlashContext): Promise<void> {
  const { session } = conversation;
  const { current } = session?.route ?? (await runtime.route(conversation.model));
  say(
    [
      `  session  ${session?.id ?? "starts with the next message"}`,
      `  model    ${current.provider}/${current.id}`,
      `  folder   ${session?.cwd ?? "where you started"}`,
      `  home     ${runtime.home}`,
      `  turn     ${conversation.busy ? "running" : "none"}`,
    ].join("\n"),
  );
}

function steer({ conversation, say }: SlashContext, text: string): void {
  if (!conversation.steer(text)) say("no turn is running; just say it");
}

async function queue({ conversation }: SlashContext, text: string): Promise<void> {
  if (conversation.busy) conversation.queue(text);
  else await conversation.say(text);
}

function stop({ conversation, say }: SlashContext): void {
  if (!conversation.interrupt()) say("no turn is running");
}
