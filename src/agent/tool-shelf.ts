import type { ToolDefinition } from "#models";
import type { TurnContext } from "./context.ts";
import type { Tool } from "./tool.ts";

/** The tools of one turn: collected once, in chain order, so that the request's prefix stays the same. */
export interface ToolShelf {
  readonly tools: ReadonlyMap<string, Tool>;
  readonly names: ReadonlySet<string>;
  readonly definitions: readonly ToolDefinition[];
}

export const emptyShelf: ToolShelf = { tools: new Map(), names: new Set(), definitions: [] };

/** Tools of all middlewares; of two with one name the later middleware's stays, in the earlier one's place. */
export function toolShelf(context: TurnContext, allows: (tool: Tool) => boolean): ToolShelf {
  const tools = new Map<string, Tool>();
  for (const part of context.plan.chain) {
    if (!("tools" in part) || part.tools === undefined) continue;
    const offered = part.tools(context) as readonly Tool[];
    for (const tool of offered) {
      if (allows(tool) && (tool.available === undefined || tool.available(context))) tools.set(tool.name, tool);
    }
  }
  const definitions = [...tools.values()].map(({ name, description, parameters }) => ({
    name,
    description,
    parameters,
  }));
  return { tools, names: new Set(tools.keys()), definitions };
}
