import type { TurnContext } from "#agent";
import { ticks } from "#host";
import { type EventName, eventNames, type Layer, named, rows } from "#kernel";
import { type ModelRoute, type ScriptedModel, type ScriptedStep, scriptedModel } from "#models";
import type { PluginModule, PluginReport, RegistrationKind, Registrations } from "#plugins";
import { deskContext } from "../hook-desk/desk-context.ts";
import { calledTool } from "./called-tool.ts";
import { type LogLine, type TrialOptions, type TrialRoom, trialRoom } from "./trial-room.ts";

type Values = Readonly<Record<string, unknown>>;

export interface TesterOptions extends TrialOptions {
  /** What `ctx.llm` is answered; without it every question fails. */
  readonly model?: ScriptedModel | readonly ScriptedStep[];
}

/** One plugin, loaded in an empty home of its own, in the hands of its test (docs/guide/write-a-plugin.md). */
export interface PluginTester {
  /** What the plugin is and what it has registered, by name. */
  readonly report: PluginReport;
  /** What it has registered of one kind, as it is. */
  registered<K extends RegistrationKind>(kind: K): readonly Registrations[K][];
  /** The home that the plugin finds as `home`. It is removed by `close`. */
  readonly home: string;
  readonly model: ScriptedModel;
  readonly log: readonly LogLine[];
  /** Messages that it has put into the conversation. */
  readonly injected: readonly string[];
  /** What it has printed. */
  readonly printed: readonly string[];
  /**
   * Fires a hook, under the name that it was registered with, with an example of its payload and `payload` over it. What all
   * its callbacks answered, merged; undefined: no opinion. Rejects with what a callback threw.
   */
  fire(name: string, payload?: Values): Promise<unknown>;
  /**
   * Runs a middleware in the same way. `next` is what lies inside of an execution; without it the example's result. What
   * `tool_request` and `llm_request` answer is what they have changed.
   */
  wrap(kind: string, payload?: Values, next?: (payload: Values) => unknown): Promise<unknown>;
  /** What the model would be given. */
  callTool(name: string, args?: Values): Promise<string>;
  /** `/notes three words`, with the slash or without: what the chat would show. */
  slash(line: string): Promise<string>;
  /** A command of `talaria`. */
  cli(name: string, input?: CliInput): Promise<CliOutcome>;
  /** Loads it anew, as after an edit. */
  reload(): Promise<PluginReport>;
  /** Unloads it and removes the home. Rejects where something of it is left. */
  close(): Promise<void>;
}

export interface CliInput {
  readonly arguments?: readonly string[];
  readonly options?: Values;
  readonly words?: readonly string[];
}

export interface CliOutcome {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Rejects with the reason where the plugin cannot be loaded; nothing is left then. */
export async function openTester(plugin: string | PluginModule, options: TesterOptions = {}): Promise<PluginTester> {
  const { model = [] } = options;
  const scripted = "generate" in model ? model : scriptedModel(model);
  const room = await trialRoom(plugin, options, { route: routeTo(scripted), watchdog: false });
  const report = await room.inUse.plugins.enable(room.key);
  if (!report.loaded) {
    await room.close();
    throw new Error(`the plugin ${room.key} is not loaded: ${report.error}`);
  }
  await room.inUse.look();
  return testerOf(room, scripted, report);
}

const routeTo = (model: ScriptedModel): ModelRoute => ({
  current: model,
  generate: (request, call, send) => send({ model, retryCount: 0, maxRetries: 0 }, request, call),
});

function testerOf(room: TrialRoom, model: ScriptedModel, loaded: PluginReport): PluginTester {
  const { inUse, key, house, log, injected, printed } = room;
  const { plugins } = inUse;
  return {
    ...{ home: house.home.path, model, log, injected, printed },
    get report() {
      return plugins.find(key) ?? loaded;
    },
    registered: (kind) => plugins.registry.of(kind).map(({ value }) => value),
    async fire(name, payload) {
      const { answer, error } = await fired(room, name, payload);
      if (error !== undefined) throw error;
      return answer;
    },
    async wrap(kind, payload, next) {
      const { answer, error } = await fired(room, kind, payload, next);
      if (error !== undefined) throw error;
      return answer;
    },
    callTool: (name, args = {}) => calledTool(room, name, args),
    async slash(line) {
      const [word = "", rest = ""] = split(line.replace(/^\//, ""));
      const command = inUse.slashCommands().find(({ name }) => name === word.toLowerCase());
      if (command === undefined) throw new Error(`the plugin ${key} has no slash command /${word}`);
      return command.run(rest, new AbortController().signal);
    },
    cli: (name, input) => commandRun(room, name, input),
    reload: () => plugins.reload(key),
    async close() {
      const left = await emptied(room).finally(() => room.close());
      if (left.length > 0) throw new Error(`the plugin ${key} has left behind: ${left.join(", ")}`);
    },
  };
}

const split = (line: string): readonly string[] => {
  const at = line.search(/\s/);
  return at < 0 ? [line] : [line.slice(0, at), line.slice(at).trim()];
};

async function commandRun(room: TrialRoom, name: string, given: CliInput = {}): Promise<CliOutcome> {
  const command = room.inUse.cliCommands().find((one) => one.name === name);
  if (command === undefined) throw new Error(`the plugin ${room.key} has no command 'talaria ${name}'`);
  const said = { stdout: "", stderr: "" };
  const write = (text: string, stream: "stdout" | "stderr" = "stdout"): void => {
    said[stream] += text;
  };
  const { words = [], arguments: list = words, options = {} } = given;
  const print = (text: string): void => write(text.endsWith("\n") ? text : `${text}\n`);
  const ask = async (): Promise<undefined> => undefined;
  const status = await command.run({ arguments: list, options, words, print, write, ask });
  return { status, ...said };
}

/** The event that a hook or a middleware of this name hears; undefined where nothing fires it. */
export const eventOf = (name: string): EventName | undefined =>
  eventNames.find((one) => one === name) ?? named("python", name)?.event;

export interface Fired {
  readonly milliseconds: number;
  readonly answer: unknown;
  readonly error: Error | undefined;
}

type Tell = (payload: object, context: unknown) => unknown;
type Wrap = (
  payload: object,
  core: (given: Values) => Promise<unknown>,
  context: unknown,
  changed: (given: object) => Promise<object>,
) => Promise<unknown>;

/** Fires one event in the room, as the loop does, over an example of its payload. */
export async function fired(
  room: TrialRoom,
  name: string,
  payload: Values = {},
  next?: (payload: Values) => unknown,
): Promise<Fired> {
  const event = eventOf(name);
  if (event === undefined) throw new Error(`nothing fires '${name}': docs/reference/events.md lists what is fired`);
  const { failures, house, cwd, layer } = room;
  const given = { ...(structuredClone(rows[event].row.example) as Values), ...payload };
  const context = deskContext(house, cwd);
  const fire = layer.plan.on[event] as unknown;
  const core = async (inside: Values): Promise<unknown> => (next === undefined ? insideOf(event) : next(inside));
  failures.length = 0;
  const began = ticks();
  let answer: unknown;
  let thrown: unknown;
  try {
    if (rows[event].strategy !== "wrap") answer = await (fire as Tell | undefined)?.(given, context);
    else if (fire === undefined) answer = await core(given);
    else answer = await (fire as Wrap)(given, core, context, async (changed) => changed);
  } catch (error) {
    thrown = error;
  }
  const detail = thrown ?? failures[0]?.detail;
  return {
    milliseconds: ticks() - began,
    answer,
    error: detail === undefined || detail instanceof Error ? detail : new Error(textOf(detail)),
  };
}

const textOf = (detail: unknown): string => (typeof detail === "string" ? detail : JSON.stringify(detail));

/** What runs inside of an execution where the test says nothing. */
async function insideOf(event: EventName): Promise<unknown> {
  if (event !== "llm_execution") return "done";
  const request = { system: "", messages: [], tools: [] };
  return scriptedModel([{ text: "An answer." }]).generate(request, { signal: new AbortController().signal });
}

/** Unloads the plugin, and says what is left of it. */
export async function emptied({ inUse: { plugins }, key, layer }: TrialRoom): Promise<readonly string[]> {
  const { hooks = [], middleware = [] } = plugins.find(key) ?? {};
  await plugins.unload(key);
  const kinds = plugins.registry.ownedBy(key).map(({ kind }) => kind);
  return [...kinds, ...[...hooks, ...middleware].filter((name) => hears(layer, name)).map((name) => `hook ${name}`)];
}

function hears(layer: Layer<TurnContext>, name: string): boolean {
  const event = eventOf(name);
  return event !== undefined && layer.plan.on[event] !== undefined;
}
