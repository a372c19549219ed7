import type { Session, Tool, TurnContext } from "#agent";
import type { Layer } from "#kernel";
import { type Owner, occasion, type PluginReach } from "#plugins";
import { type AnswerParts, hostModel } from "./plugin-answer.ts";
import type { ProgramCommand } from "./slash-commands.ts";

export interface ReachParts extends AnswerParts {
  readonly layer: Layer<TurnContext>;
  /** Slash commands of the program itself. */
  readonly ownCommands: readonly ProgramCommand[];
  /** A session for tools that are wanted where no conversation is open. */
  readonly openSession: () => Promise<Session>;
}

/** What contexts of plugins reach: the model, tools, the open conversation. */
export function pluginReach(parts: ReachParts): PluginReach {
  const { layer, ownCommands, house, talks } = parts;
  return {
    model: (owner) => hostModel(owner, parts),
    dispatchTool: (owner, name, args) => dispatched(owner, name, args, parts),
    injectMessage(owner, content, role) {
      const text = role === "user" || role === "" ? content : `[${role}] ${content}`;
      const { sessionId } = (occasion().context ?? {}) as { readonly sessionId?: string };
      if (talks.inject(text, sessionId)) return true;
      house.log.warning(`plugin ${owner.key}: injectMessage: no conversation is open, the message is dropped`);
      return false;
    },
    toolsetOf: (name) => ownTools(layer).find((tool) => tool.name === name)?.toolset,
    isBuiltInCommand: (name) => ownCommands.some((own) => own.name === name || own.aliases?.includes(name)),
  };
}

/** In the turn that called the plugin, else over the session that was used last, else over one of its own. */
async function dispatched(
  owner: Owner,
  name: string,
  args: Readonly<Record<string, unknown>>,
  { talks, openSession }: ReachParts,
): Promise<string> {
  const { context, call } = occasion();
  const options = {
    origin: `plugin:${owner.key}`,
    signal: owner.signal,
    ...(call === undefined ? {} : { behalf: call }),
  };
  const turn = context as Partial<TurnContext> | undefined;
  if (turn?.dispatch !== undefined) return turn.dispatch(name, args, options);
  const talk = talks.find();
  if (talk === undefined) return (await openSession()).dispatch(name, args, options);
  return talk.session.dispatch(name, args, {
    ...options,
    ...(talk.surface === undefined ? {} : { surface: talk.surface }),
  });
}

/** Tools of the program itself; their middlewares give them without looking at a context. */
function ownTools(layer: Layer<TurnContext>): readonly Tool[] {
  return layer.plan.chain.flatMap((part): readonly Tool[] => {
    if (!("tools" in part) || part.tools === undefined || part.slot === "plugin") return [];
    return part.tools(undefined as unknown as TurnContext) as readonly Tool[];
  });
}
