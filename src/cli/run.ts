import type { Session, Surface, TurnOutcome } from "#agent";
import { every, fileFacts, now, onSignal, signalStatus } from "#host";
import { createRuntime, type Runtime } from "#runtime";
import { type CommandContext, type CommandInput, exitStatus, UsageError } from "./command.ts";
import { folderOption, numberOption, runtimeOptions, switchOption, textOption } from "./options.ts";
import { jsonView } from "./view/json-view.ts";
import { plainView } from "./view/plain-view.ts";

const statusOf: Readonly<Record<TurnOutcome, number>> = {
  completed: exitStatus.success,
  limit: exitStatus.limit,
  refused: exitStatus.refused,
  interrupted: exitStatus.interrupted,
  failed: exitStatus.error,
};

/** `talaria run TEXT`: one turn, then the end. The exit status tells how it went. */
export async function run(input: CommandInput, context: CommandContext): Promise<number> {
  const { terminal } = context;
  const cwd = folderOption(input, context);
  if ((await fileFacts(cwd))?.kind !== "directory") throw new UsageError(`--cwd: ${cwd} is no folder`);
  const maxIterations = numberOption(input, "maxIterations");
  const [content, runtime] = await Promise.all([
    task(input, context),
    createRuntime({ cwd, ...runtimeOptions(input, context) }),
  ]);
  const view = switchOption(input, "json")
    ? { emit: jsonView(terminal.write, now).emit, finish: () => undefined }
    : plainView({ terminal, now, every, answerOnly: true });
  let session: Session | undefined;
  let status: number | undefined;
  const stopListening = listen(terminal, (because, withStatus) => {
    status ??= withStatus;
    session?.interrupt(because);
  });
  try {
    for (const warning of runtime.warnings) view.emit({ type: "notice", level: "warning", text: warning });
    session = await open(runtime, input, cwd);
    const surface: Surface = { emit: view.emit };
    const result = await runtime.agent.runTurn(
      session,
      { content, ...(maxIterations === undefined ? {} : { maxIterations }) },
      surface,
    );
    status = result.outcome === "interrupted" ? (status ?? exitStatus.interrupted) : statusOf[result.outcome];
    await session.close("other");
  } finally {
    view.finish();
    stopListening();
    await runtime.close("run ended");
  }
  return status;
}

/** The words of the command line, and standard input below them. */
async function task(input: CommandInput, { terminal }: CommandContext): Promise<string> {
  const words = input.arguments.join(" ").trim();
  const patience =
    switchOption(input, "stdin") && input.options["stdin"] === true ? Number.POSITIVE_INFINITY : undefined;
  const piped = input.options["stdin"] === false ? undefined : await terminal.readInput(patience);
  const context = piped?.trimEnd() ?? "";
  if (words === "" && context === "")
    throw new UsageError('nothing to do: talaria run "what you want", or pipe the task in');
  if (words === "" || context === "") return words + context;
  return `${words}\n\n<stdin>\n${context}\n</stdin>`;
}

async function open(runtime: Runtime, input: CommandInput, cwd: string): Promise<Session> {
  const model = textOption(input, "model");
  const reference = textOption(input, "resume");
  const record = reference === undefined ? undefined : await runtime.store.resolve(reference);
  if (reference !== undefined && !record)
    throw new UsageError(`no session is called '${reference}': 'talaria sessions list' shows them`);
  return runtime.open({
    cwd: record && textOption(input, "cwd") === undefined ? record.cwd : cwd,
    source: "run",
    ...(record ? { resume: record } : {}),
    ...(model === undefined ? {} : { model }),
  });
}

/** Signals, and the reader of our output going away, interrupt the turn; its end is told to hooks and stored as always. */
function listen(
  terminal: CommandContext["terminal"],
  interrupt: (because: string, status: number) => void,
): () => void {
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  const undos = signals.map((signal) =>
    onSignal(signal, () => interrupt(`stopped by ${signal}`, signalStatus(signal))),
  );
  terminal.onGone(() => interrupt("the reader of the output went away", signalStatus("SIGPIPE")));
  return () => {
    for (const undo of undos) undo();
  };
}
