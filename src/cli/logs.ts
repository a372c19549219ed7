import { homeFile } from "#config";
import { logLevel, onSignal, readLog } from "#host";
import { openHouse } from "#runtime";
import { type CommandContext, type CommandInput, exitStatus } from "./command.ts";
import { numberOption, switchOption, textOption } from "./options.ts";
import { paint } from "./view/paint.ts";

const colours = { debug: "dim", info: "cyan", warning: "yellow", error: "red" } as const;

/** `talaria logs`: the end of `logs/agent.log`, and with `--follow` what comes. */
export async function logs(input: CommandInput, { terminal, home, cwd }: CommandContext): Promise<number> {
  const house = await openHouse({ home, cwd, readOnly: true });
  const style = paint(terminal.colour);
  const ended = new AbortController();
  const undos = [onSignal("SIGINT", () => ended.abort()), onSignal("SIGTERM", () => ended.abort())];
  terminal.onGone(() => ended.abort());
  const level = logLevel(textOption(input, "level") ?? "debug") ?? "debug";
  const reading = {
    level,
    last: numberOption(input, "lines") ?? 50,
    ...(switchOption(input, "follow") ? { follow: ended.signal } : {}),
  };
  for await (const record of readLog(homeFile.log(house.home), reading)) {
    if (switchOption(input, "json")) terminal.write(`${JSON.stringify(record)}\n`);
    else terminal.write(`${record.time} ${style(colours[record.level], record.level.padEnd(7))} ${record.message}\n`);
  }
  for (const undo of undos) undo();
  return exitStatus.success;
}
