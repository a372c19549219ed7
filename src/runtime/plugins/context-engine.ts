import type { Tool, TurnContext } from "#agent";
import type { Log } from "#host";
import type { Middleware } from "#kernel";
import { type ContextEngine, onOccasion, type Registered, type Registry } from "#plugins";
import { answeredTool, schemaTools } from "./schema-tools.ts";

/** The names by which a configuration asks for the program's own summary. */
const ownNames = ["", "compressor", "default", "builtin"];

export interface EngineInUse {
  /** What the configuration names, where a plugin has registered it. */
  current(): ContextEngine | undefined;
  /** Slot `plugin`: the engine's tools, and its word at the beginning and the end of a session. */
  readonly middleware: Middleware<TurnContext>;
}

export function engineInUse(registry: Registry, name: string, log: Log): EngineInUse {
  let hasMissed = false;
  const find = (): Registered<"contextEngine"> | undefined => {
    if (ownNames.includes(name)) return undefined;
    const found = registry.of("contextEngine").find(({ value }) => value.name === name);
    if (found === undefined && !hasMissed)
      log.warning(`context.engine: no plugin has registered '${name}'; the program's own summary makes room`);
    hasMissed ||= found === undefined;
    return found;
  };
  const told = async (
    what: "onSessionStart" | "onSessionEnd" | "onSessionReset",
    context: TurnContext,
  ): Promise<void> => {
    const found = context.depth === 0 ? find() : undefined;
    if (found === undefined) return;
    const { owner, value } = found;
    try {
      await onOccasion({ plugin: owner.key, context }, () => value[what]?.(context.sessionId));
    } catch (error) {
      log.warning(`plugin ${owner.key}: ${what} of the context engine '${name}' failed: ${String(error)}`);
    }
  };
  const tools = (): readonly Tool[] => {
    const found = find();
    if (found === undefined) return [];
    const { owner, value } = found;
    return schemaTools(
      value.toolSchemas?.bind(value),
      { owner, toolset: "context_engine", log },
      (tool, args, context) => answeredTool(owner, context, () => value.handleToolCall?.(tool, args)),
    );
  };
  return {
    current: () => find()?.value,
    middleware: {
      slot: "plugin",
      tools,
      on: {
        session_start: ({ source }, context) => (source === "compact" ? undefined : told("onSessionStart", context)),
        on_session_reset: (_payload, context) => told("onSessionReset", context),
        on_session_finalize: (_payload, context) => told("onSessionEnd", context),
      },
    },
  };
}
