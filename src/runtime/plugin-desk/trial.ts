import { ticks } from "#host";
import { type EventName, rows } from "#kernel";
import { flatSchema, type PluginReport, type PluginTool, readPlugin, thrownText } from "#plugins";
import { calledTool } from "./called-tool.ts";
import { exampleOf } from "./example-arguments.ts";
import { type OwnTests, ownTests } from "./own-tests.ts";
import { emptied, eventOf, fired } from "./plugin-tester.ts";
import { type TrialRoom, trialRoom } from "./trial-room.ts";

export interface TriedEvent {
  readonly event: string;
  readonly milliseconds: number;
  readonly answer: unknown;
  /** Undefined where all went well. */
  readonly error?: string;
}

/** A tool or a command that was called, with the arguments that its schema suggests. */
export interface TriedCall {
  readonly call: string;
  readonly milliseconds: number;
  readonly answer: string;
  readonly error?: string;
}

/** What became of a plugin that was tried by itself. */
export interface PluginTrial {
  readonly key: string;
  readonly report: PluginReport;
  readonly events: readonly TriedEvent[];
  readonly checks: readonly { readonly tool: string; readonly available: boolean; readonly error?: string }[];
  readonly calls: readonly TriedCall[];
  /** What it had registered and was still there after it had been unloaded. */
  readonly left: readonly string[];
  readonly tests: OwnTests | undefined;
  readonly ok: boolean;
}

export interface TrialWishes {
  readonly cwd: string;
  /** Call tools that may change something, and commands, too. */
  readonly all?: boolean;
}

/**
 * Loads a plugin in a home of its own, fires an example of each event and middleware that it hears of, calls its tools that
 * change nothing, and unloads it. Then runs its own tests.
 */
export async function tryPlugin(folder: string, wishes: TrialWishes): Promise<PluginTrial> {
  await readPlugin(folder); // a folder that is none is said so before anything is made
  const room = await trialRoom(folder, { cwd: wishes.cwd }, { watchdog: true });
  try {
    const report = await room.inUse.plugins.enable(room.key);
    const tried = {
      events: report.loaded ? await events(room, report) : [],
      checks: await checked(room),
      calls: report.loaded ? await calls(room, wishes) : [],
    };
    const left = await emptied(room);
    const tests = await ownTests(folder, room.house.home.path);
    const failed = [...tried.events, ...tried.checks, ...tried.calls].some(({ error }) => error !== undefined);
    const ok = report.loaded && !failed && left.length === 0 && tests?.ok !== false;
    return { key: room.key, report, ...tried, left, tests, ok };
  } finally {
    await room.close();
  }
}

async function events(room: TrialRoom, { hooks, middleware }: PluginReport): Promise<readonly TriedEvent[]> {
  const tried: TriedEvent[] = [];
  for (const name of [...hooks, ...middleware]) {
    const event: EventName | undefined = eventOf(name);
    const isMisplaced = hooks.includes(name) && event !== undefined && rows[event].strategy === "wrap";
    if (event === undefined || isMisplaced) continue;
    const { milliseconds, answer, error } = await fired(room, name);
    const told = error === undefined ? {} : { error: thrownText(error) };
    tried.push({ event: name, milliseconds, answer: answer ?? null, ...told });
  }
  return tried;
}

async function checked({ inUse }: TrialRoom): Promise<PluginTrial["checks"]> {
  const tools = inUse.plugins.registry.of("tool").filter(({ value }) => value.check !== undefined);
  return Promise.all(
    tools.map(async ({ value: { name, check } }) => {
      try {
        return { tool: name, available: (await check?.()) === true };
      } catch (error) {
        return { tool: name, available: false, error: thrownText(error) };
      }
    }),
  );
}

async function calls(room: TrialRoom, { all = false }: TrialWishes): Promise<readonly TriedCall[]> {
  const { inUse } = room;
  const tools = inUse.plugins.registry.of("tool").filter(({ value }) => all || value.readOnly === true);
  const tried: TriedCall[] = [];
  for (const { value } of tools) tried.push(await calledOnce(room, value));
  if (!all) return tried;
  const { signal } = new AbortController();
  for (const command of inUse.slashCommands())
    tried.push(await timed(`/${command.name}`, () => command.run("", signal)));
  return tried;
}

async function calledOnce(room: TrialRoom, tool: PluginTool): Promise<TriedCall> {
  const args = exampleOf(flatSchema(tool).parameters) as Readonly<Record<string, unknown>>;
  const tried = await timed(`${tool.name} ${JSON.stringify(args)}`, () => calledTool(room, tool.name, args));
  return /^\{"error":"Tool execution failed: /.test(tried.answer) ? { ...tried, error: tried.answer } : tried;
}

async function timed(call: string, run: () => Promise<string>): Promise<TriedCall> {
  const began = ticks();
  try {
    const answer = await run();
    return { call, milliseconds: ticks() - began, answer };
  } catch (error) {
    return { call, milliseconds: ticks() - began, answer: "", error: thrownText(error) };
  }
}
