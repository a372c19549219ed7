import { basename, join } from "node:path";
import type { TurnContext } from "#agent";
import { ensureDirectory, every, linkTree, removeTree, temporaryFolder, temporaryRoot, ticks } from "#host";
import { blueprint, createKernel, type EventName, eventNames, type Layer, named, rows } from "#kernel";
import { type Candidate, type PluginReport, type Plugins, type Registered, readPlugin } from "#plugins";
import { auxiliary } from "../auxiliary.ts";
import { deskContext } from "../hook-desk/desk-context.ts";
import { type House, openHouse } from "../house.ts";
import { liveConfig } from "../live-config.ts";
import { openPlugins } from "../plugins/plugin-house.ts";
import { talks } from "../talks.ts";
import { type OwnTests, ownTests } from "./own-tests.ts";

export interface TriedEvent {
  readonly event: string;
  readonly milliseconds: number;
  readonly answer: unknown;
  /** Undefined where all went well. */
  readonly error?: string;
}

/** What became of a plugin that was tried by itself. */
export interface PluginTrial {
  readonly key: string;
  readonly report: PluginReport;
  readonly events: readonly TriedEvent[];
  readonly checks: readonly { readonly tool: string; readonly available: boolean; readonly error?: string }[];
  /** What it had registered and was still there after it had been unloaded. */
  readonly left: readonly string[];
  readonly tests: OwnTests | undefined;
  readonly ok: boolean;
}

/** Loads a plugin in a home of its own, fires an example of each event that it hears of, and unloads it. Then runs its own tests. */
export async function tryPlugin(folder: string, cwd: string): Promise<PluginTrial> {
  const { manifest, code } = await readPlugin(folder);
  const work = await temporaryFolder(temporaryRoot(), "talaria-plugin-test-");
  const candidate: Candidate = { key: manifest.name, source: "bundled", manifest, code };
  try {
    const tried = await inRoom(candidate, work, cwd);
    const tests = await ownTests(folder, work);
    const failed =
      tried.events.some(({ error }) => error !== undefined) || tried.checks.some(({ error }) => error !== undefined);
    const ok = tried.report.loaded && !failed && tried.left.length === 0 && tests?.ok !== false;
    return { key: manifest.name, ...tried, tests, ok };
  } finally {
    await removeTree(work);
  }
}

type Tried = Pick<PluginTrial, "report" | "events" | "checks" | "left">;

async function inRoom(candidate: Candidate, work: string, cwd: string): Promise<Tried> {
  const house = await trialHouse(candidate, work, cwd);
  const failures: { readonly event: string; readonly detail: unknown }[] = [];
  const layer = createKernel<TurnContext>(blueprint, {
    every,
    report: (kind, _owner, event, detail) => void (kind === "failed" && failures.push({ event, detail })),
  });
  const config = liveConfig(house);
  const reached = { config, auxiliary: auxiliary(house, config), talks: talks(), openSession: noSession };
  const quiet = { ownCommands: [], print: () => undefined };
  const { plugins, close } = await openPlugins({ house, cwd, layer, ...quiet, ...reached });
  try {
    const report = await plugins.enable(candidate.key);
    const events = report.loaded ? await fired(report, layer, { house, cwd, failures }) : [];
    const checks = await checked(plugins);
    await plugins.unload(candidate.key);
    return { report, events, checks, left: leftOf(plugins, candidate.key, report, layer) };
  } finally {
    await close();
  }
}

const noSession = async (): Promise<never> => {
  throw new Error("there is no session in a trial");
};

/** A home with nothing in it but this plugin, among the plugins of the program. */
async function trialHouse(candidate: Candidate, work: string, cwd: string): Promise<House> {
  const own = "folder" in candidate.code ? candidate.code.folder : "";
  const [home, bundled] = [join(work, "home"), join(work, "plugins")];
  await Promise.all([ensureDirectory(home), ensureDirectory(bundled)]);
  await linkTree(own, join(bundled, basename(own)));
  const house = await openHouse({ home, cwd });
  return { ...house, environment: { ...house.environment, TALARIA_BUNDLED_PLUGINS: bundled } };
}

interface Firing {
  readonly house: House;
  readonly cwd: string;
  readonly failures: { readonly event: string; readonly detail: unknown }[];
}

async function fired(report: PluginReport, layer: Layer<TurnContext>, given: Firing): Promise<readonly TriedEvent[]> {
  const tried: TriedEvent[] = [];
  for (const name of report.hooks) {
    const event = eventOf(name);
    if (event === undefined || rows[event].strategy === "wrap") continue;
    const fire = layer.plan.on[event] as ((payload: object, context: unknown) => unknown) | undefined;
    const began = ticks();
    given.failures.length = 0;
    const answer = await fire?.(rows[event].row.example, deskContext(given.house, given.cwd));
    const [failure] = given.failures;
    const error = failure === undefined ? undefined : messageOf(failure.detail);
    tried.push({
      event: name,
      milliseconds: ticks() - began,
      answer: answer ?? null,
      ...(error === undefined ? {} : { error }),
    });
  }
  return tried;
}

const eventOf = (name: string): EventName | undefined =>
  eventNames.find((one) => one === name) ?? named("python", name)?.event;

const messageOf = (detail: unknown): string =>
  detail instanceof Error ? detail.message : typeof detail === "string" ? detail : JSON.stringify(detail);

async function checked({ registry }: Plugins): Promise<PluginTrial["checks"]> {
  const tools: readonly Registered<"tool">[] = registry.of("tool").filter(({ value }) => value.check !== undefined);
  return Promise.all(
    tools.map(async ({ value: { name, check } }) => {
      try {
        return { tool: name, available: (await check?.()) === true };
      } catch (error) {
        return { tool: name, available: false, error: messageOf(error) };
      }
    }),
  );
}

function leftOf(
  { registry }: Plugins,
  key: string,
  { hooks }: PluginReport,
  layer: Layer<TurnContext>,
): readonly string[] {
  const heard = hooks.filter((name) => {
    const event = eventOf(name);
    return event !== undefined && layer.plan.on[event] !== undefined;
  });
  return [...registry.ownedBy(key).map(({ kind }) => kind), ...heard.map((name) => `hook ${name}`)];
}
