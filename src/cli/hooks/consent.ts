import type { Desk } from "#runtime";
import { type CommandContext, type CommandInput, exitStatus } from "../command.ts";
import { switchOption } from "../options.ts";
import { askPerson } from "./ask-person.ts";
import { printJson, withDesk } from "./open-desk.ts";

/** `talaria hooks revoke <command>`: takes the consent of a shell hook away, for all events. */
export function revoke(input: CommandInput, context: CommandContext): Promise<number> {
  return withDesk(input, context, async ({ trust: { lists } }) => {
    const command = input.arguments.join(" ");
    const removed = await lists.allowed.revoke(command);
    const entries = removed === 1 ? "entry" : "entries";
    if (switchOption(input, "json")) printJson(context, { command, removed });
    else if (removed === 0) context.terminal.writeError(`No allowlist entry found for command: ${command}\n`);
    else
      context.terminal.write(
        `Removed ${removed} allowlist ${entries} for: ${command}\nIt is not run any more, from the next event on.\n`,
      );
    return removed === 0 ? exitStatus.error : exitStatus.success;
  });
}

/** `talaria hooks trust`: trusts this folder's hooks; --pin approves what the hooks' scripts say now; --revoke takes it back. */
export function trust(input: CommandInput, context: CommandContext): Promise<number> {
  return withDesk(input, context, (desk) =>
    switchOption(input, "revoke") ? withdraw(desk, input, context) : grant(desk, input, context),
  );
}

const rulesOf = ({ sources }: Desk) => sources.flatMap((source) => source.rules.map(({ rule }) => rule));

const programsOf = (desk: Desk) => rulesOf(desk).filter((rule) => rule.type === "command" || rule.type === "worker");

async function withdraw(desk: Desk, input: CommandInput, context: CommandContext): Promise<number> {
  const { folders, pins } = desk.trust.lists;
  const removed = await folders.remove(desk.cwd);
  const unpinned = switchOption(input, "pin") ? await pins.unpin(programsOf(desk)) : 0;
  if (switchOption(input, "json")) printJson(context, { folder: desk.cwd, removed, unpinned });
  else {
    const gone = unpinned > 0 ? `; ${unpinned} pins removed` : "";
    context.terminal.write(`${desk.cwd} ${removed ? "is trusted no more" : "was not trusted"}${gone}\n`);
  }
  return exitStatus.success;
}

async function grant(desk: Desk, input: CommandInput, context: CommandContext): Promise<number> {
  const { folders, pins } = desk.trust.lists;
  const json = switchOption(input, "json");
  const pinning = switchOption(input, "pin");
  const held = await heldBack(desk);
  if (!json && held.length > 0) context.terminal.write(`Held back:\n${held.join("\n")}\n`);
  const ofFolder = rulesOf(desk).filter(({ source }) => source.trust === "folder").length;
  const programs = programsOf(desk);
  const more = pinning ? `, and pin ${programs.length} programs` : "";
  if (!(await agreed(input, context, `Trust the hooks of ${desk.cwd} (${ofFolder}${more})?`)))
    return exitStatus.refused;
  await folders.add(desk.cwd);
  const pinned = pinning ? await pins.pin(programs) : [];
  if (json) printJson(context, { folder: desk.cwd, trusted: true, held, pinned });
  else {
    context.terminal.write(`${desk.cwd} is trusted: its ${ofFolder} hooks may run\n`);
    for (const pin of pinned) {
      const files = pin.files.map(({ path }) => path).join(", ") || pin.interpreter;
      context.terminal.write(`pinned ${pin.event}: ${pin.command} (${files})\n`);
    }
  }
  return exitStatus.success;
}

/** Rules whose scripts are others than those that were approved, with the differences. */
async function heldBack(desk: Desk): Promise<readonly string[]> {
  const { lists } = desk.trust;
  const pins = [...(await lists.pins.read()).pins.values()].flat();
  const held: string[] = [];
  for (const rule of programsOf(desk)) {
    const breach = await desk.trust.verify(rule);
    if (breach === undefined) continue;
    const own = pins.filter((pin) => pin.command === rule.command && pin.event === rule.eventName);
    const changes = await Promise.all(own.map((pin) => lists.pins.difference(pin)));
    held.push(`${rule.where}: ${breach}\n${changes.join("")}`);
  }
  return held;
}

/** Asked at a terminal; elsewhere the command itself is the consent. */
async function agreed(input: CommandInput, { terminal }: CommandContext, question: string): Promise<boolean> {
  const ask = switchOption(input, "yes") ? undefined : askPerson(terminal);
  if (ask === undefined) return true;
  const answer = await ask(question, ["y", "N"]);
  return ["y", "yes"].includes(answer?.trim().toLowerCase() ?? "");
}
