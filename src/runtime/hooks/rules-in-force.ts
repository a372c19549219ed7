import type { HookTrust, LiveHooks, RuleWatch } from "#hooks";
import { after, type Log, sleep } from "#host";
import { editAlarm } from "./edit-alarm.ts";
import type { HookOptions } from "./hook-options.ts";
import type { HookPortsParts } from "./hook-ports.ts";

interface Circle {
  readonly watch: RuleWatch;
  readonly trust: HookTrust;
  readonly live: LiveHooks;
  readonly edits: EditsInForce;
}

/** Keeps the groups in step with the files. */
export function rulesInForce(
  { watch, trust, live, edits }: Circle,
  {
    desk,
    only,
    autoAccept,
    log,
    warn,
    told,
  }: HookOptions &
    Pick<HookPortsParts, "warn"> & {
      readonly autoAccept: boolean;
      readonly log: Log;
      /** What the person has been told of config.yaml already. */
      readonly told: ReadonlySet<string>;
    },
) {
  const take = async (): Promise<void> => {
    const { sets } = watch.current();
    for (const { where, message, level } of sets.flatMap(({ problems }) => problems)) {
      log.write(level === "warning" ? "warning" : "info", `hooks: ${where}: ${message}`);
      if (level === "warning" && !told.has(message)) warn?.(`hooks: ${where}: ${message}`);
    }
    if (desk !== true) await trust.settle(sets, { autoAccept });
    await live.apply(only === undefined ? sets : sets.filter(({ source }) => source.file === only));
  };
  const files = (): readonly string[] => [
    ...watch.current().watched,
    ...Object.values(trust.lists).map(({ file }) => file),
  ];
  const refresh = async (): Promise<void> => {
    await trust.refresh();
    const before = watch.current();
    await watch.refresh();
    if (watch.current() !== before) await take();
  };
  return {
    async begin(): Promise<void> {
      await take();
      // The folder may be trusted only now: then its switches count.
      const before = watch.current();
      await watch.refresh();
      if (watch.current() !== before) await take();
      await edits.follow(refresh, files);
    },
    refresh,
  };
}

/** Milliseconds that the end of a hook waits for what it has edited to be in force. */
const patienceMs = 500;

/** Milliseconds after which one more look is taken: an editor may not have been done. */
const restMs = 60;

interface EditsInForce {
  begun(): void;
  ended(): Promise<void>;
  /** From now on edits of these files end in `refresh`. */
  follow(refresh: () => Promise<void>, files: () => readonly string[]): Promise<void>;
  close(): void;
}

/**
 * Has edits in force at the next event, whoever makes them: at once while no hook runs, else behind the last one that
 * does, since a group that is taken out while its hooks run has 5 s left.
 */
export function editsInForce(): EditsInForce {
  let running = 0;
  let refresh = async (): Promise<void> => undefined;
  let files = (): readonly string[] => [];
  const alarm = editAlarm(() => {
    if (running === 0) void inForce().then(() => after(restMs, () => void refresh()));
  });
  const inForce = async (): Promise<void> => {
    if (!(await alarm.rung())) return;
    await refresh();
    // A folder that has come to be tells of its files from now on.
    await alarm.watch(files());
  };
  return {
    follow(again, given) {
      [refresh, files] = [again, given];
      return alarm.watch(files());
    },
    close: alarm.close,
    begun: () => void running++,
    async ended() {
      running--;
      const over = new AbortController();
      // A `config_change` hook may take its time, and the answer of this one must not be late for it.
      if (running === 0)
        await Promise.race([inForce(), sleep(patienceMs, over.signal).catch(() => undefined)]).finally(() =>
          over.abort(),
        );
    },
  };
}
