import { openSessions, type ReplayedEvent } from "#runtime";
import { type CommandContext, type CommandInput, exitStatus, UsageError } from "../command.ts";
import { switchOption } from "../options.ts";
import { table } from "../table.ts";
import { printJson, withDesk } from "./open-desk.ts";

/** `talaria hooks replay <session>`: status 1 where the hooks of now decide otherwise. */
export function replay(input: CommandInput, context: CommandContext): Promise<number> {
  return withDesk(input, context, async (desk, room) => {
    const id = await sessionOf(input.arguments[0] ?? "", context);
    const events = await room.replay(desk, id);
    if (events === undefined)
      throw new Error(`nothing was recorded of session ${id}: no hook was configured, or trace.payloads is off`);
    if (switchOption(input, "json")) printJson(context, events);
    else context.terminal.write(shown(events, Math.max(context.terminal.columns, 120)));
    return events.some(({ outcome }) => outcome === "different") ? exitStatus.error : exitStatus.success;
  });
}

async function sessionOf(reference: string, { home, cwd }: CommandContext): Promise<string> {
  const library = await openSessions({ home, cwd, readOnly: true });
  try {
    const record = await library.store.resolve(reference);
    if (record !== undefined) return record.id;
    throw new UsageError(`no session is called '${reference}': 'talaria sessions list' shows them`);
  } finally {
    await library.close();
  }
}

const signs = { same: "=", different: "≠", "not comparable": "?" } as const;

function shown(events: readonly ReplayedEvent[], width: number): string {
  const rows = events.map(({ event, subject, recorded, now, outcome, reason }) => [
    signs[outcome],
    event,
    subject,
    recorded,
    now ?? "not comparable",
    reason ?? "",
  ]);
  const count = (wanted: ReplayedEvent["outcome"]): number => events.filter(({ outcome }) => outcome === wanted).length;
  const sum = `${events.length} events: ${count("different")} decided otherwise, ${count("not comparable")} not comparable`;
  return `${table([["", "event", "of", "then", "now", "reason"], ...rows], width)}\n${sum}\n`;
}
