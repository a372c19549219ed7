import { basename, dirname } from "node:path";
import {
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
  watchSources,
} from "#hooks";
import type { Log } from "#host";
import type { Layer, Middleware } from "#kernel";
import type { HookOptions } from "../hooks.ts";
import { type FileWatch, fileWatch } from "./file-watch.ts";
import { type HookPortsParts, hookPorts } from "./hook-ports.ts";

/** The hooks of a runtime, running. Loaded only where something is configured. */
export interface HookHouse {
  readonly live: LiveHooks;
  readonly engine: HookEngine;
  readonly executors: HookExecutors;
  readonly trust: HookTrust;
  readonly watch: RuleWatch;
  /** Looks at the files of rules and consent; what has changed is in force when it settles. */
  refresh(): Promise<void>;
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
    watch: (given, rule, paths) => files.answered(given, rule, paths),
  };
  const run = executors(ports, { allowPrivateHosts: settings["hook_limits.private_hosts"] });
  const projectHooks = options.projectHooks ?? true;
  const place = { home: house.home.path, secondHome: house.home.second, project: cwd, environment: house.environment };
  let starting = true;
  const trust = await hookTrust({
    ...place,
    acceptHooks: options.acceptHooks ?? false,
    projectHooks,
    // While a turn runs, the terminal belongs to the conversation: what is new then waits for the next start.
    askPerson:
      options.askPerson &&
      ((question, choices) =>
        (starting ? options.askPerson?.(question, choices) : undefined) ?? Promise.resolve(undefined)),
    log: (level, message) => {
      house.log.write(level, `hooks: ${message}`);
      if (level === "warning") parts.warn?.(message);
    },
  });
  const engine = hookEngine({
    executors: run.run,
    ports,
    mayRun: (rule) => (options.only === undefined ? refusal(trust, rule) : undefined),
    verify: (rule) => trust.verify(rule),
    settings: {
      turnLimitMs: settings["hook_limits.turn_seconds"] * 1000,
      breakerFailures: settings["hook_limits.failures"],
      breakerOpenMs: settings["hook_limits.pause_seconds"] * 1000,
    },
  });
  const live = liveHooks<C>(layer, engine);
  const files = fileWatch<C>(layer, live, house.log);
  let context: C | undefined;
  const watch = await watchSources(
    { ...place, projectHooks, settingsOption: options.settings, ...onlyPlace(options.only) },
    {
      projectTrusted: () => trust.projectTrusted(),
      admit: async (change) => context === undefined || admitted(layer, context, change),
    },
  );
  const force = rulesInForce(
    { watch, trust, live },
    { ...options, autoAccept: settings.hooks_auto_accept, log: house.log, warn: parts.warn },
  );
  await force.begin();
  starting = false;
  if (parts.journal !== undefined) parts.journal.enabled = true;
  const looking = layer.add(
    look(files, async (given) => {
      context = given;
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
    async close() {
      await looking();
      files.close();
      await run.close();
    },
  };
}

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

interface Circle {
  readonly watch: RuleWatch;
  readonly trust: HookTrust;
  readonly live: LiveHooks;
}

/** Keeps the groups in step with the files. */
function rulesInForce(
  { watch, trust, live }: Circle,
  {
    desk,
    only,
    autoAccept,
    log,
    warn,
  }: HookOptions & Pick<HookPortsParts, "warn"> & { readonly autoAccept: boolean; readonly log: Log },
) {
  const take = async (): Promise<void> => {
    const { sets } = watch.current();
    for (const { where, message, level } of sets.flatMap(({ problems }) => problems)) {
      log.write(level === "warning" ? "warning" : "info", `hooks: ${where}: ${message}`);
      if (level === "warning") warn?.(`hooks: ${where}: ${message}`);
    }
    if (desk !== true) await trust.settle(sets, { autoAccept });
    await live.apply(only === undefined ? sets : sets.filter(({ source }) => source.file === only));
  };
  return {
    async begin(): Promise<void> {
      await take();
      // The folder may be trusted only now: then its switches count.
      const before = watch.current();
      await watch.refresh();
      if (watch.current() !== before) await take();
    },
    async refresh(): Promise<void> {
      await trust.refresh();
      const before = watch.current();
      await watch.refresh();
      if (watch.current() !== before) await take();
    },
  };
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

/** Looks at the files where edits come from: behind tools, and behind the model, whose answer takes long. */
function look<C extends HookContext>(files: FileWatch<C>, refresh: (context: C) => Promise<void>): Middleware<C> {
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
    on: { session_end: ({ sessionId }) => files.forget(sessionId) },
  };
}
