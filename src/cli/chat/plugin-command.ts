import type { PluginSlash } from "#runtime";

/** What runs of commands of plugins: Ctrl-C leaves them, a message that one of them puts in waits for its end. */
export interface PluginCommandRuns {
  /** Runs a command to its end, and shows what it answers. Never rejects. */
  run(command: PluginSlash, rawArgs: string): Promise<void>;
  /** Leaves what runs; false when nothing does. */
  stop(): boolean;
  settled(): Promise<void>;
}

export function pluginCommandRuns(view: {
  readonly say: (text: string) => void;
  /** Shows that something runs, until the result is called. */
  readonly working: (title: string) => () => void;
}): PluginCommandRuns {
  const running = new Map<AbortController, Promise<void>>();
  const run = async (command: PluginSlash, rawArgs: string, { signal }: AbortController): Promise<void> => {
    const done = view.working(`/${command.name}`);
    try {
      const text = await command.run(rawArgs, signal);
      done();
      if (text !== "") view.say(text);
    } catch (error) {
      done();
      const what = error instanceof Error ? error.message : String(error);
      view.say(signal.aborted ? `/${command.name} was left` : `Plugin command error: ${what}`);
    }
  };
  return {
    run(command, rawArgs) {
      const controller = new AbortController();
      const ended = run(command, rawArgs, controller).finally(() => running.delete(controller));
      running.set(controller, ended);
      return ended;
    },
    stop() {
      for (const controller of running.keys()) controller.abort(new Error("left by the person"));
      return running.size > 0;
    },
    settled: async () => void (await Promise.all(running.values())),
  };
}
