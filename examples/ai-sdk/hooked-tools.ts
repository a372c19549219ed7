import type { ToolExecutionOptions, ToolSet } from "ai";
import type { Answer, Payload, Plan, Result } from "talaria/kernel";

type Args = Readonly<Record<string, unknown>>;

export interface HookedTools<C> {
  /** Read anew for each call, so that a hook that is added while the agent runs counts from its next call on. */
  readonly plan: () => Plan<C>;
  /** What your handlers are given beside the payload. */
  readonly context: C;
  readonly sessionId: string;
  /** Asked where a handler's verdict is `ask`; without it such a call is refused. */
  readonly approve?: (call: Payload<"pre_tool_call">, reason: string) => Promise<boolean>;
}

/** A call that a hook refused. The AI SDK shows the message to the model as the tool's error, and the loop goes on. */
export class ToolRefused extends Error {
  override readonly name = "ToolRefused";
}

/** The same tools with the kernel's tool path around each: judged, possibly rewritten, wrapped, and told when over. */
export function hookedTools<T extends ToolSet, C>(tools: T, settings: HookedTools<C>): T {
  const hooked = Object.entries(tools).map(([toolName, tool]) => {
    const { execute } = tool;
    if (execute === undefined) return [toolName, tool];
    const run = (input: Args, options: ToolExecutionOptions<never>) =>
      runCall(settings, callOf(settings.sessionId, toolName, input, options.toolCallId), (args) =>
        Promise.resolve(execute(args as never, options)),
      );
    return [toolName, { ...tool, execute: run }];
  });
  return Object.fromEntries(hooked) as T;
}

function callOf(sessionId: string, toolName: string, args: Args, toolCallId: string): Payload<"pre_tool_call"> {
  return {
    sessionId,
    taskId: sessionId,
    turnId: "",
    apiRequestId: "",
    toolName,
    args,
    toolCallId,
    middlewareTrace: [],
  };
}

async function runCall<C>(
  settings: HookedTools<C>,
  call: Payload<"pre_tool_call">,
  execute: (args: Args) => Promise<unknown>,
): Promise<unknown> {
  const { context } = settings;
  const started = performance.now();
  const settled = await judged(settings, call);
  const core = async ({ args }: { readonly args: Args }) => (await execute(args)) as Result<"tool_execution">;
  const acting = { ...settled, originalArgs: call.args };
  const { on } = settings.plan();
  // What a wrapper changed is judged like what the model asked for.
  const changed = async (payload: Payload<"tool_execution">) => {
    const { args } = await judged(settings, { ...call, args: payload.args });
    return { ...payload, args };
  };
  const result = await (on.tool_execution?.(acting, core, context, changed) ?? core(acting));
  const text = typeof result === "string" ? result : JSON.stringify(result);
  const outcome = { status: "ok", errorType: null, errorMessage: null } as const;
  const durationMs = Math.round(performance.now() - started);
  await on.post_tool_call?.({ ...settled, ...outcome, durationMs, result: text, transformedResult: text }, context);
  return result;
}

/** The call as it is to run. Throws `ToolRefused` where a handler or the person says no. */
async function judged<C>(settings: HookedTools<C>, call: Payload<"pre_tool_call">): Promise<Payload<"pre_tool_call">> {
  const answer: Answer<"pre_tool_call"> = (await settings.plan().on.pre_tool_call?.(call, settings.context)) ?? {};
  const settled = answer.args === undefined ? call : { ...call, args: answer.args };
  const { decision, reason = "a hook refused this call" } = answer.verdict ?? {};
  if (answer.halt !== undefined) throw new ToolRefused(answer.halt);
  if (decision === "deny") throw new ToolRefused(reason);
  if (decision === "ask" && !(await settings.approve?.(settled, reason))) throw new ToolRefused(reason);
  return settled;
}
