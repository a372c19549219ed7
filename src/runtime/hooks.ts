import { join } from "node:path";
import type { Agent, Session, TurnContext } from "#agent";
import { fileFacts, userHome } from "#host";
import type { Layer } from "#kernel";
import { editAlarm } from "./hooks/edit-alarm.ts";
import type { HookHouse } from "./hooks/hook-house.ts";
import type { HookOptions } from "./hooks/hook-options.ts";
import type { HookPortsParts } from "./hooks/hook-ports.ts";
import type { House } from "./house.ts";

/** Hooks as the runtime holds them: where nothing is configured, nothing of them is loaded. */
export interface Hooks {
  /** What people should know of their hooks, once `ready`. */
  readonly warnings: readonly string[];
  /** Looks whether something is configured by now. */
  ready(): Promise<void>;
  /** The loop, before each of whose turns that is looked at. */
  around(agent: Agent): Agent;
  /** Told of a session in which a background hook wants the agent to go on. Returns its undo. */
  onWake(listener: (sessionId: string) => void): () => void;
  /** Files to source before a command, those of the parent of a sub-agent first. */
  environmentFiles(context: TurnContext): Promise<readonly string[]>;
  close(): Promise<void>;
}

type Place = Omit<HookPortsParts, "projectOf" | "wake" | "warn">;

export function hooks(layer: Layer<TurnContext>, place: Place, options: HookOptions): Hooks {
  let opened: Promise<HookHouse> | undefined;
  const projects = new Map<string, string>();
  const warnings: string[] = [];
  const wakers = new Set<(sessionId: string) => void>();
  const parts: HookPortsParts = {
    ...place,
    projectOf: (id) => projects.get(id),
    warn: (message) => warnings.push(message),
    wake: (id) => {
      for (const waker of wakers) waker(id);
    },
  };
  const open = async (given: HookOptions): Promise<HookHouse> => {
    const { openHookHouse } = await import("./hooks/hook-house.ts");
    return openHookHouse(layer, parts, given);
  };
  const first = firstEdit([join(place.house.home.path, "config.yaml"), ...places(place.house, place.cwd)]);
  const begin = async (given: HookOptions): Promise<void> => {
    opened ??= open(given);
    first.close();
    await opened;
  };
  const ready = async (): Promise<void> => {
    const isWanted = opened ?? ((await first.rung()) || (await isConfigured(parts.house, parts.cwd, options)));
    if (isWanted) await begin(options);
  };
  const refresh = async (): Promise<void> => {
    await ready();
    await (await opened)?.refresh();
  };
  layer.add({
    slot: "hook",
    async wrapToolCall(payload, next) {
      if (opened !== undefined) return next(payload);
      await first.watch();
      const result = await next(payload);
      // During a turn the terminal belongs to the conversation: nobody is asked about what is new.
      if (opened === undefined && (await first.rung())) await begin({ ...options, askPerson: undefined });
      return result;
    },
  });
  const inner = new WeakMap<Session, Session>();
  return {
    ready,
    warnings,
    around: (agent) => ({
      async open(opening) {
        const session = await agent.open(opening);
        projects.set(session.id, session.cwd);
        const own = fresh(session, refresh);
        inner.set(own, session);
        return own;
      },
      async runTurn(session, input, surface) {
        await refresh();
        if (opened === undefined) void first.watch();
        const run = () => agent.runTurn(inner.get(session) ?? session, input, surface);
        const house = await opened;
        return house === undefined ? run() : house.idle.around(session.id, run);
      },
    }),
    onWake(listener) {
      wakers.add(listener);
      return () => wakers.delete(listener);
    },
    async environmentFiles({ sessionId, parentSessionId }) {
      const { executors } = (await opened) ?? {};
      if (executors === undefined) return [];
      const ids = parentSessionId === undefined ? [sessionId] : [parentSessionId, sessionId];
      return (await Promise.all(ids.map((id) => executors.environmentFiles(id)))).flat();
    },
    async close() {
      first.close();
      await (await opened)?.close();
    },
  };
}

/** A session between whose turns, too, the files are looked at before anything is told to hooks. */
function fresh(session: Session, refresh: () => Promise<void>): Session {
  const behind =
    <A extends readonly unknown[], R>(act: (...given: A) => Promise<R>) =>
    async (...given: A): Promise<R> => {
      await refresh();
      return act(...given);
    };
  const own = {
    useRoute: behind(session.useRoute),
    compact: behind(session.compact),
    close: behind(session.close),
  } satisfies Partial<Session>;
  return Object.assign(Object.create(session) as Session, own);
}

/** Where nothing is configured, knows when the first hook may be there: nobody looks for it in the meantime. */
function firstEdit(files: readonly string[]) {
  const alarm = editAlarm(() => undefined);
  let watching: Promise<void> | undefined;
  return {
    watch(): Promise<void> {
      watching ??= alarm.watch(files);
      return watching;
    },
    async rung(): Promise<boolean> {
      await watching;
      return watching !== undefined && (await alarm.rung());
    },
    close: alarm.close,
  };
}

/** A few looks at the file system; the files themselves are read later. */
async function isConfigured(house: House, cwd: string, options: HookOptions): Promise<boolean> {
  const { settings } = house.config;
  if (options.settings !== undefined || Object.keys(settings.hooks).length > 0 || settings["plugins.claude"].length > 0)
    return true;
  const found = await Promise.all(places(house, cwd).map((place) => fileFacts(place).catch(() => undefined)));
  return found.some((facts) => facts !== undefined);
}

/** Files and folders that hold hooks where they are. */
function places({ home, environment }: Pick<House, "home" | "environment">, cwd: string): readonly string[] {
  const claude = environment["CLAUDE_CONFIG_DIR"] ?? join(userHome(environment), ".claude");
  return [
    join(claude, "settings.json"),
    join(home.path, "settings.json"),
    join(home.path, "cli-config.yaml"),
    ...(home.second === undefined ? [] : [join(home.second, "config.yaml")]),
    ...[".claude", ".talaria"].flatMap((folder) =>
      ["settings.json", "settings.local.json"].map((file) => join(cwd, folder, file)),
    ),
    "/etc/claude-code",
    "/Library/Application Support/ClaudeCode",
  ];
}
