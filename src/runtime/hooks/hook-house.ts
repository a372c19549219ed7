import { basename, dirname } from "node:path";
import type { Settings } from "#config";
import {
  type EngineSettings,
  executors,
  type HookContext,
  type HookEngine,
  type HookExecutors,
  type HookPorts,
  type HookTrust,
  hookEngine,
  hookTrust,
  type LiveHooks,
  liveHooks,
  type Rule,
  type RuleWatch,
  type TrustOptions,
  watchSources,
} from "#hooks";
import type { Layer, Middleware } from "#kernel";
import { type FileWatch, fileWatch } from "./file-watch.ts";
import type { HookOptions } from "./hook-options.ts";
import { type HookPortsParts, hookPorts } from "./hook-ports.ts";
import { type IdlePrompt, idlePrompt } from "./idle-prompt.ts";
import { editsInForce, rulesInForce } from "./rules-in-force.ts";

/** The hooks of a runtime, running. Loaded only where something is configured. */
export interface HookHouse {
  readonly live: LiveHooks;
  readonly engine: HookEngine;
  readonly executors: HookExecutors;
  readonly trust: HookTrust;
  readonly watch: RuleWatch;
  /** Looks at the files of rules and consent; what has changed is in force when it settles. */
  refresh(): Promise<void>;
  readonly idle: Pick<IdlePrompt<unknown>, "around">;
  close(): Promise<void>;
}

export async function openHookHouse<C extends HookContext>(
  layer: Layer<C>,
  parts: HookPortsParts,
  options: HookOptions,
): Promise<HookHouse> {
  const { house, cwd } = parts;
  const { settings } = house.config;
  const ports: HookPorts = {
    ...hookPorts(parts),
    watch: (given, firing, paths) => files.answered(given, firing, paths),
  };
  const run = executors(ports, { allowPrivateHosts: settings["hook_limits.private_hosts"] });
  const projectHooks = options.projectHooks ?? true;
  const place = { home: house.home.path, secondHome: house.home.second, project: cwd, environment: house.environment };
  let starting = true;
  const edits = editsInForce();
  const trust = await trustOf(parts, options, { ...place, projectHooks }, () => starting);
  const engine = hookEngine({
    executors: run.run,
    ports,
    mayRun: (rule) => (options.only === undefined ? refusal(trust, rule) : undefined),
    verify: (rule) => trust.verify(rule),
    runs: edits,
    ...(parts.considered === undefined ? {} : { considered: parts.considered }),
    settings: engineSettings(settings),
  });
  const live = liveHooks<C>(layer, engine);
  const files = fileWatch<C>(layer, live, house.log);
  let context: C | undefined;
  const watch = await watchSources(
    { ...place, projectHooks, settingsOption: options.settings, ...onlyPlace(options.only) },
    {
      projectTrusted: () => trust.projectTrusted(),
      freshMs: 0,
      admit: async (change) => context === undefined || admitted(layer, context, change),
    },
  );
  const force = rulesInForce(
    { watch, trust, live, edits },
    {
      ...options,
      autoAccept: settings.hooks_auto_accept,
      log: house.log,
      warn: parts.warn,
      told: new Set(house.config.problems.map(({ message }) => message)),
    },
  );
  await force.begin();
  starting = false;
  if (parts.journal !== undefined) parts.journal.enabled = true;
  const idle = idlePrompt<C>(layer, settings["hook_limits.idle_seconds"] * 1000, house.log);
  const looking = layer.add(
    look({ files, idle }, async (given) => {
      context = given;
      idle.heard(given);
      await force.refresh();
    }),
  );
  return {
    live,
    engine,
    executors: run,
    trust,
    watch,
    refresh: force.refresh,
    idle,
    async close() {
      edits.close();
      idle.close();
      await looking();
      files.close();
      await run.close();
    },
  };
}

function trustOf(
  { house, warn }: HookPortsParts,
  { acceptHooks = false, askPerson }: HookOptions,
  place: Omit<TrustOptions, "acceptHooks" | "log">,
  isStarting: () => boolean,
): Promise<HookTrust> {
  return hookTrust({
    ...place,
    acceptHooks,
    // While a turn runs, the terminal belongs to the conversation: what is new then waits for the next start.
    askPerson:
      askPerson &&
      ((question, choices) => (isStarting() ? askPerson(question, choices) : undefined) ?? Promise.resolve(undefined)),
    log: (level, message) => {
      house.log.write(level, `hooks: ${message}`);
      if (level === "warning") warn?.(message);
    },
  });
}

const engineSettings = (settings: Settings): EngineSettings => ({
  turnLimitMs: settings["hook_limits.turn_seconds"] * 1000,
  breakerFailures: settings["hook_limits.failures"],
  breakerOpenMs: settings["hook_limits.pause_seconds"] * 1000,
});

/** A pinned rule whose script changed is not left out in silence: it fails just before it would run, and denies where failures do. */
function refusal(trust: HookTrust, rule: Rule): string | undefined {
  const reason = trust.mayRun(rule);
  return reason?.startsWith("held back") ? undefined : reason;
}

/** Where the one file is found: as `--settings`, or as the `config.yaml` of a home. */
function onlyPlace(file: string | undefined): { readonly settingsOption?: string; readonly home?: string } {
  if (file === undefined) return {};
  if (!/\.ya?ml$/.test(file)) return { settingsOption: file };
  if (basename(file) === "config.yaml") return { home: dirname(file) };
  throw new Error(`${file}: shell hooks are read from a file that is called config.yaml`);
}

/** `config_change`: a hook may hold a changed file back. */
async function admitted<C extends HookContext>(
  layer: Layer<C>,
  context: C,
  { source, file }: { readonly source: string; readonly file: string },
): Promise<boolean> {
  const answer = await layer.plan.on.config_change?.({ source, filePath: file }, context);
  return answer?.verdict?.decision !== "deny";
}

interface Lookout<C> {
  readonly files: FileWatch<C>;
  readonly idle: IdlePrompt<C>;
}

/** Looks at the files where edits come from: behind tools, and behind the model, whose answer takes long. */
function look<C extends HookContext>(
  { files, idle }: Lookout<C>,
  refresh: (context: C) => Promise<void>,
): Middleware<C> {
  return {
    slot: "hook",
    async wrapModelCall(payload, next, context) {
      await files.look(context);
      const result = await next(payload);
      await refresh(context);
      await files.look(context);
      return result;
    },
    async wrapToolCall(payload, next, context) {
      const result = await next(payload);
      await refresh(context);
      await files.look(context);
      return result;
    },
    on: {
      session_end({ sessionId }) {
        files.forget(sessionId);
        idle.forget(sessionId);
      },
    },
  };
}
