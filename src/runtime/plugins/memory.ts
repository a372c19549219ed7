import type { Tool, TurnContext } from "#agent";
import type { Log } from "#host";
import type { ContentPart, Middleware } from "#kernel";
import type { MemoryProvider, Registry } from "#plugins";
import { type MemorySource, memoryLimits, memorySource, memoryState } from "./memory-provider.ts";
import { answeredTool, schemaTools } from "./schema-tools.ts";

export interface MemoryInUse {
  /** Slot `memory`. */
  readonly middleware: Middleware<TurnContext>;
  close(): Promise<void>;
}

/** The long-term memory that `memory.provider` names (docs/reference/plugins-in-use.md). Its failures are logged and cost a turn nothing. */
export function memoryInUse(
  registry: Registry,
  name: string,
  house: { readonly log: Log; readonly home: string },
): MemoryInUse {
  const source = memorySource(registry, name, house);
  return {
    middleware: {
      slot: "memory",
      tools: () => offered(source, house.log),
      sections: (context) => [memoryState(context).block],
      on: {
        session_start: async (_payload, context) => void (await source.ready(context)),
        async pre_llm_call({ userMessage }, context) {
          await begun(source, context, textOf(userMessage));
          const text = await recalled(source, context, textOf(userMessage));
          return text === "" ? undefined : { context: [fenced(text)] };
        },
        post_llm_call(payload, context) {
          memoryState(context).messages = payload.conversationHistory;
          handOver(source, context, textOf(payload.userMessage), payload.assistantResponse);
        },
        on_session_reset: ({ oldSessionId = "" }, context) => switched(source, context, oldSessionId),
        subagent_start: ({ childSessionId, childGoal }, context) =>
          void memoryState(context).tasks.set(childSessionId, childGoal),
        subagent_stop: ({ childSessionId, childSummary }, context) =>
          delegated(source, context, childSessionId, childSummary ?? ""),
        on_session_finalize: (_payload, context) => end(source, context),
      },
    },
    close: source.close,
  };
}

async function begun(source: MemorySource, context: TurnContext, message: string): Promise<void> {
  const chosen = await source.ready(context);
  const state = memoryState(context);
  state.turns += 1;
  if (chosen?.provider.onTurnStart === undefined) return;
  const { sessionId } = context;
  const limits = { ms: memoryLimits.prefetch, context };
  await source.guarded(chosen, "onTurnStart", limits, () =>
    chosen.provider.onTurnStart?.(state.turns, message, { sessionId }),
  );
}

async function switched(source: MemorySource, context: TurnContext, parentSessionId: string): Promise<void> {
  const chosen = await source.ready(context);
  if (chosen?.provider.onSessionSwitch === undefined) return;
  const facts = { parentSessionId, reset: true, rewound: false };
  await source.guarded(chosen, "onSessionSwitch", { ms: memoryLimits.end, context }, () =>
    chosen.provider.onSessionSwitch?.(context.sessionId, facts),
  );
}

function delegated(source: MemorySource, context: TurnContext, childSessionId: string, result: string): void {
  const { tasks } = memoryState(context);
  const task = tasks.get(childSessionId) ?? "";
  tasks.delete(childSessionId);
  behind(source, context, "onDelegation", (provider) => provider.onDelegation?.(task, result, { childSessionId }));
}

async function recalled(source: MemorySource, context: TurnContext, query: string): Promise<string> {
  const chosen = await source.ready(context);
  if (chosen?.provider.prefetch === undefined || query.trim() === "") return "";
  const { sessionId } = context;
  const limits = { ms: memoryLimits.prefetch, context };
  const text = await source.guarded(chosen, "prefetch", limits, () => chosen.provider.prefetch?.(query, { sessionId }));
  return typeof text === "string" ? text.trim() : "";
}

function handOver(source: MemorySource, context: TurnContext, user: string, answer: string): void {
  const { sessionId } = context;
  const { messages } = memoryState(context);
  behind(source, context, "syncTurn", (provider) => provider.syncTurn?.(user, answer, { sessionId, messages }));
  behind(source, context, "queuePrefetch", (provider) => provider.queuePrefetch?.(user, { sessionId }));
}

/** Behind the turn, one after another: nobody waits for it. */
function behind(
  source: MemorySource,
  context: TurnContext,
  what: "syncTurn" | "queuePrefetch" | "onDelegation",
  run: (provider: MemoryProvider) => unknown,
): void {
  const state = memoryState(context);
  const chosen = source.choose();
  if (chosen?.provider[what] === undefined || state.provider !== chosen.provider) return;
  state.synced = state.synced.then(async () => {
    if ((await state.ready) !== true) return;
    await source.guarded(chosen, what, { ms: memoryLimits.initialize }, () => run(chosen.provider));
  });
}

async function end(source: MemorySource, context: TurnContext): Promise<void> {
  const state = memoryState(context);
  const chosen = source.choose();
  if (chosen === undefined || state.provider !== chosen.provider || (await state.ready) !== true) return;
  const limits = { ms: memoryLimits.end };
  await source.guarded(chosen, "syncTurn", limits, () => state.synced);
  await source.guarded(chosen, "onSessionEnd", limits, () =>
    chosen.provider.onSessionEnd?.(context.sessionId, { messages: state.messages }),
  );
}

function offered(source: MemorySource, log: Log): readonly Tool[] {
  const chosen = source.choose();
  if (chosen === undefined) return [];
  const { owner, provider } = chosen;
  return schemaTools(
    () => provider.toolSchemas(),
    { owner, toolset: "memory", log },
    async (tool, args, given) => {
      if ((await source.ready(given)) === undefined)
        return JSON.stringify({ error: `The memory of ${owner.key} is not available.` });
      return answeredTool(owner, given, () => provider.handleToolCall?.(tool, args));
    },
  );
}

const fenced = (text: string): string =>
  `<memory-context>\n[Recalled from long-term memory: background, no new message of the person.]\n\n${text}\n</memory-context>`;

const textOf = (content: string | readonly ContentPart[]): string =>
  typeof content === "string"
    ? content
    : content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
