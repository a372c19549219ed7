import { readText, resolvePath } from "#host";
import { gatewayDesk, type HandFired } from "#runtime";
import { type CommandContext, type CommandInput, exitStatus, UsageError } from "../command.ts";
import { numberOption, switchOption, textOption } from "../options.ts";
import { line, printJson } from "./open-desk.ts";

/** `talaria hooks emit <event>`: status 1 where a handler failed, or none ran because hooks could not be loaded. */
export async function emit(input: CommandInput, context: CommandContext): Promise<number> {
  const given = await contextOf(input, context);
  const { fireGatewayEvent } = await gatewayDesk();
  const event = input.arguments[0] ?? "";
  const limitMs = (numberOption(input, "timeout") ?? 60) * 1000;
  const print = (text: string): void => context.terminal.writeError(`${text}\n`);
  const fired = await fireGatewayEvent(
    { ...context, print },
    { event, limitMs, ...(given === undefined ? {} : { context: given }) },
  );
  if (switchOption(input, "json")) printJson(context, asJson(fired));
  else {
    for (const problem of fired.problems) context.terminal.writeError(`${problem}\n`);
    context.terminal.write(shown(fired));
  }
  const failed = fired.runs.some(({ error }) => error !== undefined);
  const none = fired.runs.length === 0 && (fired.problems.length > 0 || fired.meant !== undefined);
  return failed || none ? exitStatus.error : exitStatus.success;
}

const asJson = ({ event, context, runs, problems, meant }: HandFired) => ({
  event,
  context,
  handlers: runs.map(({ hook, event: name, milliseconds, decision, error }) => ({
    hook: hook.name,
    handler: hook.handler,
    event: name,
    milliseconds: Math.round(milliseconds),
    decision: decision ?? null,
    error: error ?? null,
  })),
  decision: runs.find(({ decision }) => decision !== undefined)?.decision ?? null,
  problems,
  ...(meant === undefined ? {} : { didYouMean: meant }),
});

function shown({ event, runs, found, meant }: HandFired): string {
  if (meant !== undefined) return `No event is called ${event}; did you mean ${meant}?\n`;
  if (runs.length === 0) return `No hook hears of ${event} (${found} hook${found === 1 ? " is" : "s are"} loaded).\n`;
  const lines = runs.map(({ hook, milliseconds, decision, error }) => {
    const said = decision === undefined ? "" : `: ${line(JSON.stringify(decision), 300)}`;
    const fate = error === undefined ? `✓ ${hook.name}${said}` : `✗ ${hook.name}: ${line(error, 500)}`;
    return `  ${fate}  (${Math.round(milliseconds)} ms, ${hook.handler})\n`;
  });
  return `${event}\n${lines.join("")}`;
}

async function contextOf(
  input: CommandInput,
  { cwd }: CommandContext,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const [text, file] = [textOption(input, "context"), textOption(input, "contextFile")];
  if (text !== undefined && file !== undefined) throw new UsageError("give either --context or --context-file");
  if (text === undefined && file === undefined) return undefined;
  const source = text ?? (await readText(resolvePath(file ?? "", cwd))).text;
  const option = text === undefined ? `--context-file ${file}` : "--context";
  let value: unknown;
  try {
    value = JSON.parse(source);
  } catch (error) {
    throw new UsageError(`${option}: this is no JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new UsageError(`${option}: a JSON object is wanted, such as {"platform": "telegram"}`);
  return value as Readonly<Record<string, unknown>>;
}
