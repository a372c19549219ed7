import type { CompiledSource, HookContext } from "#hooks";
import { every, fileFacts, isHostError, type Log, resolvePath, ticks } from "#host";
import type { Layer } from "#kernel";

/** Tells `file_changed` of watched files, whoever changes them. docs/reference/hooks.md, "Watched files". */
export interface FileWatch<C> {
  /** Looks at the files of the session now. Settles when all changes are told. Never rejects. */
  look(context: C): Promise<void>;
  /** A hook names files to watch: the lists of one event together take the place of those of former events. */
  answered(context: HookContext, firing: object, paths: readonly string[]): void;
  /** The session is over. */
  forget(sessionId: string): void;
  close(): void;
}

interface Watched<C> {
  readonly context: C;
  readonly ending: AbortController;
  /** What stood there at the last look; null: nothing. */
  readonly stamps: Map<string, string | null>;
  /** When the latest changes of a file were told. */
  readonly told: Map<string, readonly number[]>;
  looking: Promise<void> | undefined;
}

/** A hook that changes what it watches would never come to rest: a file is told of so often in so many milliseconds. */
const mostTold = 20;
const windowMs = 10_000;

/** Milliseconds between looks while nothing else happens. */
const restMs = 300;

export function fileWatch<C extends HookContext>(
  layer: Layer<C>,
  rules: { readonly sources: readonly CompiledSource[] },
  log: Pick<Log, "warning">,
): FileWatch<C> {
  const sessions = new Map<string, Watched<C>>();
  const named = new Map<string, { readonly firing: object; readonly paths: readonly string[] }>();
  let stop: (() => void) | undefined;

  const tell = async (
    { context, stamps }: Watched<C>,
    filePath: string,
    event: "change" | "add" | "unlink",
  ): Promise<void> => {
    const { notice = [] } = (await layer.plan.on.file_changed?.({ filePath, event }, context)) ?? {};
    // What its own hooks have done to it is no news; what happens once a person could see their words is.
    if (stamps.has(filePath)) stamps.set(filePath, await stampOf(filePath));
    for (const text of notice) context.surface.emit({ type: "notice", level: "info", text });
  };

  const lookAt = async (watched: Watched<C>): Promise<void> => {
    const { context, stamps } = watched;
    const names = [...literals(rules.sources), ...(named.get(context.sessionId)?.paths ?? [])];
    const paths = new Set(names.map((path) => resolvePath(path, context.cwd)));
    for (const known of stamps.keys()) if (!paths.has(known)) stamps.delete(known);
    for (const path of paths) {
      const before = stamps.get(path);
      const after = await stampOf(path);
      stamps.set(path, after);
      const event = changeOf(before, after);
      if (event === undefined || watched.ending.signal.aborted || isRestless(watched.told, path, log)) continue;
      await tell(watched, path, event);
    }
  };

  /** Looks at the same time are one. */
  const looked = (watched: Watched<C>): Promise<void> => {
    if (layer.plan.on.file_changed === undefined) return Promise.resolve();
    watched.looking ??= lookAt(watched)
      .catch((error: unknown) => log.warning(`hooks: watched files could not be looked at: ${String(error)}`))
      .finally(() => {
        watched.looking = undefined;
      });
    return watched.looking;
  };

  return {
    async look(context) {
      if (context.depth > 0 || layer.plan.on.file_changed === undefined) return;
      let former = sessions.get(context.sessionId);
      // A look that began before this tool ended may have missed what it did; two at a time would tell a change twice.
      for (; former?.looking !== undefined; former = sessions.get(context.sessionId)) await former.looking;
      const ending = former?.ending ?? new AbortController();
      const own = Object.create(context, { signal: { value: ending.signal, enumerable: true } }) as C;
      const watched = {
        context: own,
        ending,
        stamps: former?.stamps ?? new Map(),
        told: former?.told ?? new Map(),
        looking: undefined,
      };
      sessions.set(context.sessionId, watched);
      stop ??= every(restMs, () => {
        for (const one of sessions.values()) void looked(one);
      });
      await looked(watched);
    },
    answered({ sessionId }, firing, paths) {
      const before = named.get(sessionId);
      const kept = before?.firing === firing ? before.paths : [];
      const valid = paths.filter((path) => path.trim() !== "" && !path.includes("\0"));
      named.set(sessionId, { firing, paths: [...kept, ...valid] });
    },
    forget(sessionId) {
      sessions.get(sessionId)?.ending.abort(new Error("the session is over"));
      sessions.delete(sessionId);
      named.delete(sessionId);
    },
    close() {
      stop?.();
      for (const id of [...sessions.keys()]) this.forget(id);
    },
  };
}

/** True where hooks have been told of the file so often that they had better not be now. */
function isRestless(told: Map<string, readonly number[]>, path: string, log: Pick<Log, "warning">): boolean {
  const since = ticks() - windowMs;
  const latest = (told.get(path) ?? []).filter((at) => at > since);
  told.set(path, latest.length < mostTold ? [...latest, ticks()] : latest);
  if (latest.length < mostTold) return false;
  log.warning(`hooks: ${path} has changed ${mostTold} times in ${windowMs / 1000} s; they are not told of this change`);
  return true;
}

/** The names that matchers hold, parted by `|`. */
const literals = (sources: readonly CompiledSource[]): readonly string[] =>
  sources
    .flatMap(({ rules }) => rules)
    .filter(({ rule }) => rule.event === "file_changed")
    .flatMap(({ rule }) => rule.matcher?.split("|") ?? [])
    .map((name) => name.trim())
    .filter((name) => name !== "" && name !== "*" && !name.includes("\0"));

/** Undefined: nothing has changed, or nothing was known. */
function changeOf(before: string | null | undefined, after: string | null) {
  if (before === undefined || before === after) return undefined;
  if (before === null) return "add";
  return after === null ? "unlink" : "change";
}

async function stampOf(path: string): Promise<string | null> {
  try {
    const facts = await fileFacts(path);
    return facts === undefined ? null : `${facts.identity} ${facts.bytes} ${facts.modifiedMs} ${facts.changedMs}`;
  } catch (error) {
    if (isHostError(error)) return null;
    throw error;
  }
}
