import type { TurnContext } from "#agent";
import { after, type Log } from "#host";
import { type MemoryProvider, type Owner, onOccasion, type Registry } from "#plugins";

/** Milliseconds that a provider may take before the turn goes on without it. */
export const memoryLimits = { initialize: 30_000, prefetch: 10_000, end: 5_000 };

export interface ChosenMemory {
  readonly owner: Owner;
  readonly provider: MemoryProvider;
}

/** What one session keeps of its memory. */
export interface MemoryState {
  provider: MemoryProvider | undefined;
  ready: Promise<boolean> | undefined;
  block: string;
  /** Settles when all turns so far are handed over. */
  synced: Promise<unknown>;
  turns: number;
  /** The conversation as of the last answer, in OpenAI's chat form. */
  messages: readonly Readonly<Record<string, unknown>>[];
  /** What children that run were asked to do, by their session. */
  readonly tasks: Map<string, string>;
}

export function memoryState(context: TurnContext): MemoryState {
  return context.state<MemoryState>("memory", () => ({
    provider: undefined,
    ready: undefined,
    block: "",
    synced: Promise.resolve(),
    turns: 0,
    messages: [],
    tasks: new Map(),
  }));
}

interface Limits {
  readonly ms: number;
  readonly context?: TurnContext;
}

/** The provider of a name as sessions use it. */
export interface MemorySource {
  /** What a plugin has registered under the name, ready or not. */
  choose(): ChosenMemory | undefined;
  /** The provider, initialized for the session; again when its plugin was loaded anew. */
  ready(context: TurnContext): Promise<ChosenMemory | undefined>;
  /** Runs the provider's code; what goes wrong or takes too long is `undefined` and a line in the log. */
  guarded<T>(
    chosen: ChosenMemory,
    what: keyof MemoryProvider,
    limits: Limits,
    run: () => T | PromiseLike<T>,
  ): Promise<T | undefined>;
  close(): Promise<void>;
}

export function memorySource(
  registry: Registry,
  name: string,
  { log, home }: { readonly log: Log; readonly home: string },
): MemorySource {
  const used = new Map<MemoryProvider, Owner>();
  let hasMissed = false;
  const guarded: MemorySource["guarded"] = async ({ owner }, what, { ms, context }, run) => {
    let stop = (): void => undefined;
    const late = new Promise<never>((_settle, reject) => {
      stop = after(ms, () => reject(new Error(`it took more than ${ms / 1000} s`)));
    });
    try {
      const inside = (async () => onOccasion({ plugin: owner.key, ...(context && { context }) }, run))();
      return await Promise.race([inside, late]);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      log.warning(`plugin ${owner.key}: ${what} of the memory '${name}' failed: ${why}`);
      return undefined;
    } finally {
      stop();
    }
  };
  const begin = async (chosen: ChosenMemory, state: MemoryState, context: TurnContext): Promise<boolean> => {
    const { owner, provider } = chosen;
    const at = { ms: memoryLimits.initialize, context };
    const { available } = provider;
    if (available !== undefined && (await guarded(chosen, "available", at, () => provider.available?.())) !== true)
      return false;
    const facts = { home, hermesHome: home, platform: context.platform, cwd: context.cwd, userId: context.senderId };
    const done = await guarded(chosen, "initialize", at, async () => {
      await provider.initialize(context.sessionId, { ...facts, agentContext: "primary" });
      return true;
    });
    if (done !== true) return false;
    used.set(provider, owner);
    const block = await guarded(chosen, "systemPromptBlock", at, () => provider.systemPromptBlock?.());
    state.block = typeof block === "string" ? block : "";
    return true;
  };
  const choose = (): ChosenMemory | undefined => {
    for (const { owner, value } of registry.of("provider"))
      if (value.kind === "memory" && value.provider.name === name) return { owner, provider: value.provider };
    if (!hasMissed) log.warning(`memory.provider: no plugin has registered '${name}'`);
    hasMissed = true;
    return undefined;
  };
  return {
    choose,
    guarded,
    async ready(context) {
      const chosen = choose();
      if (chosen === undefined) return undefined;
      const state = memoryState(context);
      if (state.provider !== chosen.provider) {
        state.provider = chosen.provider;
        state.ready = begin(chosen, state, context);
      }
      return (await state.ready) === true ? chosen : undefined;
    },
    async close() {
      for (const [provider, owner] of [...used].reverse())
        await guarded({ owner, provider }, "shutdown", { ms: memoryLimits.end }, () => provider.shutdown?.());
      used.clear();
    },
  };
}
