import { notWhitelisted, type TurnContext, toolWhitelist } from "#agent";
import { uuid } from "#host";
import { type ContextEngine, occasion, type PluginManager, type Plugins, pluginManager } from "#plugins";
import type { House } from "../house.ts";

const usualDenial = "Tool '{tool_name}' denied: not in this thread's tool whitelist";

/** Outside of all turns a whitelist counts for questions only. */
interface Loose {
  current: { readonly allowed: ReadonlySet<string>; readonly denial: string } | undefined;
}

/** What plugins may ask of all plugins, over the turn at hand. */
export function managerOf(
  plugins: Plugins,
  parts: { readonly house: House; readonly contextEngine: () => ContextEngine | undefined },
): PluginManager {
  const loose: Loose = { current: undefined };
  return pluginManager(plugins, {
    contextEngine: parts.contextEngine,
    log: (level, message) => parts.house.log.write(level, message),
    setToolWhitelist(given, denial = usualDenial) {
      const list = given === undefined ? undefined : { allowed: new Set(given), denial: inOurForm(denial) };
      const turn = turnAtHand();
      if (turn === undefined) loose.current = list;
      else toolWhitelist(turn).current = list === undefined ? undefined : { ...list, turnId: turn.turnId };
    },
    notWhitelisted(toolName) {
      const turn = turnAtHand();
      if (turn !== undefined) return notWhitelisted(turn, toolName);
      const { current } = loose;
      return current === undefined || current.allowed.has(toolName)
        ? undefined
        : current.denial.replaceAll("{tool_name}", toolName);
    },
    judged(toolName, args) {
      const turn = turnAtHand();
      return turn === undefined ? undefined : judged(turn, toolName, args);
    },
  });
}

const inOurForm = (denial: string): string => denial.replaceAll("{toolName}", "{tool_name}");

function turnAtHand(): TurnContext | undefined {
  const context = occasion().context as Partial<TurnContext> | undefined;
  return context?.state === undefined || !context.turnId ? undefined : (context as TurnContext);
}

async function judged(turn: TurnContext, toolName: string, args: Readonly<Record<string, unknown>>) {
  const { sessionId, taskId, turnId, apiRequestId } = turn;
  const { call } = occasion();
  const context: TurnContext = call === undefined ? turn : Object.create(turn, { onBehalf: { value: call } });
  const ids = { sessionId, taskId, turnId, apiRequestId, toolCallId: `asked:${uuid().slice(0, 8)}` };
  const answer = await turn.plan.on.pre_tool_call?.({ ...ids, toolName, args, middlewareTrace: [] }, context);
  const denies = answer?.verdict?.decision === "deny";
  return { message: denies ? (answer.verdict?.reason ?? "a hook refused it") : undefined };
}
