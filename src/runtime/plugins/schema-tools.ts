import type { Tool, ToolOutcome, TurnContext } from "#agent";
import { type Log, redact } from "#host";
import type { MaybePromise } from "#kernel";
import { flatSchema, type Owner, onOccasion, thrownText } from "#plugins";

type Values = Readonly<Record<string, unknown>>;

/** Tools that an engine or provider offers as schemas, flat or in OpenAI's wrapping. One without a name is left out. */
export function schemaTools(
  schemas: (() => readonly Values[]) | undefined,
  { owner, toolset, log }: { readonly owner: Owner; readonly toolset: string; readonly log: Log },
  answer: (name: string, args: Values, context: TurnContext) => Promise<ToolOutcome>,
): readonly Tool[] {
  let given: readonly Values[] = [];
  try {
    given = schemas?.() ?? [];
  } catch (error) {
    log.warning(`plugin ${owner.key}: its tools could not be had: ${String(error)}`);
  }
  const tools = new Map<string, Tool>();
  for (const schema of Array.isArray(given) ? (given as readonly Values[]) : []) {
    const inner = (typeof schema["function"] === "object" ? schema["function"] : schema) as Values | null;
    const name = inner?.["name"];
    if (typeof name !== "string" || name === "" || tools.has(name)) continue;
    const flat = flatSchema({ name, toolset, schema, handler: () => "" });
    tools.set(name, { name, toolset, ...flat, run: (args, { context }) => answer(name, args, context) });
  }
  return [...tools.values()];
}

/** What a plugin's code answers to the model: text as it is, other values as JSON, a throw as an error. */
export async function answeredTool(
  owner: Owner,
  context: TurnContext,
  run: () => MaybePromise<unknown>,
): Promise<ToolOutcome> {
  try {
    const answer: unknown = await onOccasion({ plugin: owner.key, context }, run);
    return typeof answer === "string" ? answer : (JSON.stringify(answer) ?? "");
  } catch (error) {
    const what = error instanceof Error ? `${error.name}: ${thrownText(error)}` : thrownText(error);
    return JSON.stringify({ error: redact(`Tool execution failed: ${what}`) });
  }
}
