import type { Tool, ToolOutcome, ToolRun, TurnContext } from "#agent";
import { after, redact, ticks } from "#host";
import type { Middleware } from "#kernel";
import { flatSchema, onOccasion, type PluginTool, type Registered, type Registry, thrownText } from "#plugins";

/** Milliseconds for which the answer of a tool's `check` holds, and that it may take. */
const checkHoldsMs = 30_000;
const checkLimitMs = 5_000;

interface Checked {
  readonly isThere: boolean;
  readonly at: number;
}

/**
 * Slot `plugin`: the tools that plugins have registered. `look` asks their checks anew, where an answer holds no more;
 * before it asks one in Python `wake` starts Python, whose start is not the check's time.
 */
export function pluginTools(
  registry: Registry,
  wake: () => Promise<void>,
): Middleware<TurnContext> & { readonly look: () => Promise<void> } {
  const checks = new WeakMap<PluginTool, Checked>();
  let made: readonly Tool[] = [];
  let revision = -1;
  const tools = (): readonly Tool[] => {
    if (revision !== registry.revision) {
      revision = registry.revision;
      made = latest(registry).map((registered) => toolOf(registered, registry, checks));
    }
    return made;
  };
  const lookAt = async (): Promise<void> => {
    const asked = latest(registry).filter(({ value }) => isToBeAsked(value, checks));
    if (asked.some(({ owner }) => owner.language === "python")) await wake().catch(() => undefined); // the checks fail then, and hide their tools
    await Promise.all(asked.map(({ value }) => look(value, checks)));
  };
  return { slot: "plugin", tools, look: lookAt, on: { before_agent: lookAt } };
}

/** Of tools with one name the last one registered. */
function latest(registry: Registry): readonly Registered<"tool">[] {
  return [...new Map(registry.of("tool").map((registered) => [registered.value.name, registered])).values()];
}

function isToBeAsked(tool: PluginTool, checks: WeakMap<PluginTool, Checked>): boolean {
  const known = checks.get(tool);
  return tool.check !== undefined && (known === undefined || ticks() - known.at >= checkHoldsMs);
}

async function look(tool: PluginTool, checks: WeakMap<PluginTool, Checked>): Promise<void> {
  const { check = () => true } = tool;
  let stop = (): void => undefined;
  const late = new Promise<boolean>((resolve) => {
    stop = after(checkLimitMs, () => resolve(false));
  });
  const asked = (async () => check())().then(
    (answer) => answer === true,
    () => false, // a check that fails hides its tool
  );
  const isThere = await Promise.race([asked, late]);
  stop();
  checks.set(tool, { isThere, at: ticks() });
}

function toolOf(registered: Registered<"tool">, registry: Registry, checks: WeakMap<PluginTool, Checked>): Tool {
  const { value } = registered;
  const { check, override, readOnly } = value;
  return {
    name: value.name,
    toolset: value.toolset,
    ...flatSchema(value),
    ...(readOnly === true ? { readOnly: true as const } : {}),
    ...(override === true ? { takesPlace: true as const } : {}),
    ...(check === undefined ? {} : { available: () => checks.get(value)?.isThere !== false }),
    run: (args, run) => runTool(registered, registry, args, run),
  };
}

async function runTool(
  registered: Registered<"tool">,
  registry: Registry,
  args: Readonly<Record<string, unknown>>,
  { context, callId, signal, progress }: ToolRun,
): Promise<ToolOutcome> {
  const { owner, value } = current(registered, registry);
  if (owner.signal.aborted) return JSON.stringify({ error: `The plugin ${owner.key} was unloaded.` });
  const run = {
    sessionId: context.sessionId,
    taskId: context.taskId,
    callId,
    cwd: context.cwd,
    progress,
    signal: AbortSignal.any([signal, owner.signal]),
  };
  try {
    const answer: unknown = await onOccasion({ plugin: owner.key, context }, () => value.handler(args, run));
    return typeof answer === "string" ? answer : (JSON.stringify(answer) ?? "");
  } catch (error) {
    const what = error instanceof Error ? `${error.name}: ${thrownText(error)}` : thrownText(error);
    return JSON.stringify({ error: redact(`Tool execution failed: ${what}`) });
  }
}

/** After a reload in the middle of a turn: the same tool of the same plugin as it is now. */
function current(registered: Registered<"tool">, registry: Registry): Registered<"tool"> {
  if (!registered.owner.signal.aborted) return registered;
  const { owner, value } = registered;
  const now = registry.of("tool").find((one) => one.owner.key === owner.key && one.value.name === value.name);
  return now ?? registered;
}
