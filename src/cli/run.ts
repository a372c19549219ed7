import type { Session, Surface, TurnOutcome } from "#agent";
import { every, fileFacts, now, onSignal, signalStatus, type Terminal } from "#host";
import { createRuntime, type Runtime } from "#runtime";
import { person } from "./chat/person.ts";
import { type CommandContext, type CommandInput, exitStatus, UsageError } from "./command.ts";
import { folderOption, needWritableHome, numberOption, runtimeOptions, switchOption, textOption } from "./options.ts";
import { jsonView } from "./view/json-view.ts";
import { paint } from "./view/paint.ts";
import { plainView } from "./view/plain-view.ts";

const statusOf: Readonly<Record<TurnOutcome, number>> = {
  completed: exitStatus.success,
  limit: exitStatus.limit,
  deferred: exitStatus.success,
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
  const [content, runtime] = await Promise.all([task(input, context), createRuntime(runtimeOptions(input, context))]);
  const view = switchOption(input, "json")
    ? jsonSurface(terminal)
    : plainSurface(terminal, runtime.display, () => interrupt("SIGINT"));
  let session: Session | undefined;
  let status: number | undefined;
  const { interrupt, stop } = listen(terminal, (because, withStatus) => {
    status ??= withStatus;
    session?.interrupt(because);
  });
  try {
    needWritableHome(runtime);
    for (const warning of runtime.warnings) view.surface.emit({ type: "notice", level: "warning", text: warning });
    session = await open(runtime, input);
    if (status !== undefined) return status;
    const result = await runtime.agent.runTurn(
      session,
      { content, ...(maxIterations === undefined ? {} : { maxIterations }) },
      view.surface,
    );
    status = result.outcome === "interrupted" ? (status ?? exitStatus.interrupted) : statusOf[result.outcome];
    await session.close("other", view.surface);
  } finally {
    view.finish();
    stop();
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
  if (words === "" && context === "" && input.options["resume"] !== undefined) return "";
  if (words === "" && context === "")
    throw new UsageError('nothing to do: talaria run "what you want", or pipe the task in');
  if (words === "" || context === "") return words + context;
  return `${words}\n\n<stdin>\n${context}\n</stdin>`;
}

async function open(runtime: Runtime, input: CommandInput): Promise<Session> {
  const model = textOption(input, "model");
  const reference = textOption(input, "resume");
  const record = reference === undefined ? undefined : await runtime.store.resolve(reference);
  if (reference !== undefined && !record)
    throw new UsageError(`no session is called '${reference}': 'talaria sessions list' shows them`);
  return runtime.open({
    cwd: record && textOption(input, "cwd") === undefined ? record.cwd : runtime.cwd,
    source: "run",
    ...(record ? { resume: record } : {}),
    ...(model === undefined ? {} : { model }),
  });
}

interface Shown {
  readonly surface: Surface;
  finish(): void;
}

const jsonSurface = ({ write }: Terminal): Shown => ({
  surface: { ...jsonView(write, now), defers: true },
  finish: () => undefined,
});

/** Plain lines; at a terminal the person is asked about what needs a yes. */
function plainSurface(terminal: Terminal, display: Runtime["display"], interrupt: () => void): Shown {
  const { emit, say, finish, whileAsking } = plainView({ terminal, now, every, answerOnly: true, display });
  if (!terminal.interactive) return { surface: { emit, defers: true }, finish };
  const asking = person({
    style: paint(terminal.colour),
    say,
    async withEditor(ask) {
      const editor = terminal.lines({ history: [], complete: () => [] });
      editor.onInterrupt(() => void interrupt());
      try {
        return await whileAsking(() => ask(editor));
      } finally {
        editor.close();
      }
    },
  });
  return { surface: { emit, ...asking, defers: true }, finish };
}

type Interrupt = (because: string, status: number) => void;
type Signal = "SIGINT" | "SIGTERM" | "SIGHUP";

/** Signals, and the reader of our output going away, interrupt the turn; its end is told to hooks and stored as always. */
function listen(terminal: Terminal, tell: Interrupt): { interrupt(signal: Signal): void; stop(): void } {
  const interrupt = (signal: Signal): void => tell(`stopped by ${signal}`, signalStatus(signal));
  const undos = (["SIGINT", "SIGTERM", "SIGHUP"] as const).map((signal) => onSignal(signal, () => interrupt(signal)));
  terminal.onGone(() => tell("the reader of the output went away", signalStatus("SIGPIPE")));
  return {
    interrupt,
    stop() {
      for (const undo of undos) undo();
    },
  };
}
