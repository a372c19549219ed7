import { fileFacts } from "#host";
import { createRuntime } from "#runtime";
import { type CommandContext, type CommandInput, exitStatus, UsageError } from "../command.ts";
import { folderOption, needWritableHome, runtimeOptions, switchOption, textOption } from "../options.ts";
import { plainChat } from "./plain-chat.ts";

/** `talaria` and `talaria chat`. */
export async function chat(input: CommandInput, context: CommandContext): Promise<number> {
  const reference = textOption(input, "resume") ?? (switchOption(input, "continue") ? "last" : undefined);
  return open(input, context, reference);
}

/** `talaria sessions resume [session]`. */
export function resume(input: CommandInput, context: CommandContext): Promise<number> {
  return open(input, context, input.arguments[0] ?? "last");
}

async function open(input: CommandInput, context: CommandContext, reference: string | undefined): Promise<number> {
  const cwd = folderOption(input, context);
  if ((await fileFacts(cwd))?.kind !== "directory") throw new UsageError(`--cwd: ${cwd} is no folder`);
  const model = textOption(input, "model");
  const runtime = await createRuntime(runtimeOptions(input, context));
  try {
    needWritableHome(runtime);
    const record = reference === undefined ? undefined : await runtime.store.resolve(reference);
    if (reference !== undefined && !record)
      throw new UsageError(`no session is called '${reference}': 'talaria sessions list' shows them`);
    await plainChat({
      runtime,
      terminal: context.terminal,
      cwd: runtime.cwd,
      busyMode: runtime.busyMode,
      ...(model === undefined ? {} : { model }),
      ...(record ? { resume: record.id } : {}),
    });
  } finally {
    await runtime.close("the chat ended");
  }
  return exitStatus.success;
}
