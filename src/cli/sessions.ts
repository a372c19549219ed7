import { localTime, resolvePath, writeAtomic } from "#host";
import { openSessions, type SessionLibrary } from "#runtime";
import type { SessionRecord } from "#sessions";
import { type CommandContext, type CommandInput, exitStatus, UsageError } from "./command.ts";
import { numberOption, switchOption, textOption } from "./options.ts";
import { table, tableWidth } from "./table.ts";

type Doing = (library: SessionLibrary) => Promise<number>;

async function withLibrary(
  { home, cwd }: CommandContext,
  doing: Doing,
  options: { readonly write?: boolean } = {},
): Promise<number> {
  const library = await openSessions({ home, cwd, readOnly: !options.write });
  try {
    return await doing(library);
  } finally {
    await library.close();
  }
}

async function find({ store }: SessionLibrary, input: CommandInput): Promise<SessionRecord> {
  const reference = input.arguments[0] ?? "last";
  const record = await store.resolve(reference);
  if (record) return record;
  throw new UsageError(`no session is called '${reference}': 'talaria sessions list' shows them`);
}

function print({ terminal }: CommandContext, value: unknown): void {
  terminal.write(`${JSON.stringify(value, null, 2)}\n`);
}

export function list(input: CommandInput, context: CommandContext): Promise<number> {
  const limit = numberOption(input, "limit") ?? 20;
  return withLibrary(context, async ({ store }) => {
    const records = await store.list({ limit, children: switchOption(input, "all") });
    if (switchOption(input, "json")) print(context, records);
    else if (records.length === 0) context.terminal.write("no sessions yet\n");
    else {
      const rows = records.map((record) => [
        record.id,
        localTime(record.lastActiveAt),
        record.source,
        String(record.messageCount),
        record.title ?? record.cwd,
      ]);
      context.terminal.write(
        `${table([["session", "last active", "from", "messages", "title or folder"], ...rows], tableWidth(context.terminal))}\n`,
      );
    }
    return exitStatus.success;
  });
}

export function show(input: CommandInput, context: CommandContext): Promise<number> {
  return withLibrary(context, async (library) => {
    const record = await find(library, input);
    if (switchOption(input, "json"))
      print(context, { ...record, messages: await library.store.messages(record.id, { inactive: true }) });
    else for await (const piece of library.exported(record.id, "markdown")) context.terminal.write(piece);
    return exitStatus.success;
  });
}

export function search(input: CommandInput, context: CommandContext): Promise<number> {
  const limit = numberOption(input, "limit") ?? 20;
  return withLibrary(context, async ({ store }) => {
    const hits = await store.search(input.arguments.join(" "), { limit });
    if (switchOption(input, "json")) print(context, hits);
    else if (hits.length === 0) context.terminal.write("nothing found\n");
    else {
      const rows = hits.map((hit) => [hit.sessionId, localTime(hit.at), hit.role, hit.snippet.replace(/\s+/g, " ")]);
      context.terminal.write(`${table(rows, tableWidth(context.terminal))}\n`);
    }
    return exitStatus.success;
  });
}

export function exportSession(input: CommandInput, context: CommandContext): Promise<number> {
  return withLibrary(context, async (library) => {
    const record = await find(library, input);
    const format = (textOption(input, "format") ?? "markdown") as "json" | "jsonl" | "markdown";
    const output = textOption(input, "output");
    if (output === undefined) {
      for await (const piece of library.exported(record.id, format)) context.terminal.write(piece);
      return exitStatus.success;
    }
    const pieces: string[] = [];
    for await (const piece of library.exported(record.id, format)) pieces.push(piece);
    const path = resolvePath(output, context.cwd);
    await writeAtomic(path, pieces.join(""));
    context.terminal.writeError(`written to ${path}\n`);
    return exitStatus.success;
  });
}

export function remove(input: CommandInput, context: CommandContext): Promise<number> {
  return withLibrary(
    context,
    async (library) => {
      const record = await find(library, input);
      if (!switchOption(input, "yes") && !(await confirmed(record, context))) {
        context.terminal.write("nothing deleted\n");
        return exitStatus.error;
      }
      await library.store.delete(record.id);
      context.terminal.write(`deleted ${record.id}\n`);
      return exitStatus.success;
    },
    { write: true },
  );
}

async function confirmed(record: SessionRecord, { terminal }: CommandContext): Promise<boolean> {
  if (!terminal.interactive) throw new UsageError("deleting without a terminal needs --yes");
  const editor = terminal.lines({ history: [], complete: () => [] });
  const answer = await editor.read(`delete ${record.id} with ${record.messageCount} messages? [y/N] `);
  editor.close();
  return /^y(es)?$/i.test(answer?.trim() ?? "");
}
