import type { Tool, TurnContext } from "#agent";
import type { Log } from "#host";
import type { ContentPart, Middleware } from "#kernel";
import type { Registry } from "#plugins";
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
          const text = await recalled(source, context, textOf(userMessage));
          return text === "" ? undefined : { context: [fenced(text)] };
        },
        post_llm_call: ({ userMessage, assistantResponse }, context) =>
          handOver(source, context, textOf(userMessage), assistantResponse),
        on_session_finalize: (_payload, context) => end(source, context),
      },
    },
    close: source.close,
  };
}

async function recalled(source: MemorySource, context: TurnContext, query: string): Promise<string> {
  const chosen = await source.ready(context);
  if (chosen?.provider.prefetch === undefined || query.trim() === "") return "";
  const { sessionId } = context;
  const limits = { ms: memoryLimits.prefetch, context };
  const text = await source.guarded(chosen, "prefetch", limits, () => chosen.provider.prefetch?.(query, { sessionId }));
  return typeof text === "string" ? text.trim() : "";
}

/** Behind the turn, one after another: nobody waits for it. */
function handOver(source: MemorySource, context: TurnContext, user: string, answer: string): void {
  const state = memoryState(context);
  const chosen = source.choose();
  if (chosen?.provider.syncTurn === undefined || state.provider !== chosen.provider) return;
  const { sessionId } = context;
  state.synced = state.synced.then(async () => {
    if ((await state.ready) !== true) return;
    await source.guarded(chosen, "syncTurn", { ms: memoryLimits.initialize }, () =>
      chosen.provider.syncTurn?.(user, answer, { sessionId }),
    );
  });
}

async function end(source: MemorySource, context: TurnContext): Promise<void> {
  const state = memoryState(context);
  const chosen = source.choose();
  if (chosen === undefined || state.provider !== chosen.provider || (await state.ready) !== true) return;
  const limits = { ms: memoryLimits.end };
  await source.guarded(chosen, "syncTurn", limits, () => state.synced);
  await source.guarded(chosen, "onSessionEnd", limits, () => chosen.provider.onSessionEnd?.(context.sessionId));
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
