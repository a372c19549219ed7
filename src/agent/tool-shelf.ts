import type { ToolDefinition } from "#models";
import type { TurnContext } from "./context.ts";
import { named } from "./prompt.ts";
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
    const { slot } = part;
    const offered = named(slot, "tools", () => {
      const all = (part.tools?.(context) ?? []) as readonly Tool[];
      return all.filter((tool) => allows(tool) && (tool.available === undefined || tool.available(context)));
    });
    for (const tool of offered) {
      const yields = tools.get(tool.name)?.takesPlace === true && tool.takesPlace !== true;
      if (!yields) tools.set(tool.name, tool);
    }
  }
  const definitions = [...tools.values()].map(({ name, description, parameters }) => ({
    name,
    description,
    parameters,
  }));
  return { tools, names: new Set(tools.keys()), definitions };
}
