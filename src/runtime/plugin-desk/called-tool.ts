import type { Tool, TurnContext } from "#agent";
import { uuid } from "#host";
import type { Layer } from "#kernel";
import { deskContext } from "../hook-desk/desk-context.ts";
import type { House } from "../house.ts";

export interface CallPlace {
  readonly house: House;
  readonly cwd: string;
  readonly layer: Layer<TurnContext>;
}

const toolsOf = (layer: Layer<TurnContext>): readonly Tool[] =>
  layer.plan.chain.flatMap((part) =>
    "tools" in part ? ((part.tools?.(undefined as never) ?? []) as readonly Tool[]) : [],
  );

/** What the model would be given of a tool in a layer, without hooks. A name that no tool has is an error for the model. */
export async function calledTool(
  { house, cwd, layer }: CallPlace,
  name: string,
  args: Readonly<Record<string, unknown>>,
): Promise<string> {
  const all = toolsOf(layer);
  const tool = all.find((one) => one.name === name);
  if (tool === undefined)
    return JSON.stringify({ error: `There is no tool '${name}'; there are ${all.map((one) => one.name).join(", ")}.` });
  const context = deskContext(house, cwd) as unknown as TurnContext;
  const outcome = await tool.run(args, {
    callId: `call_${uuid().slice(0, 8)}`,
    context,
    signal: context.signal,
    progress: () => undefined,
  });
  if (typeof outcome === "string") return outcome;
  return typeof outcome.content === "string" ? outcome.content : JSON.stringify(outcome.content);
}
