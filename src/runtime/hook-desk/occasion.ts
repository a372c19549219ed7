import { type AnyView, type EventName, eventNames, named, ownArgs, ownToolNames, rows, viewsOf } from "#kernel";

/** What a word of the command line asks about: an event, and the name of it that was typed. */
export interface Occasion {
  readonly event: EventName;
  /** The names under which rules hear of it; the typed one alone where it was a dialect's. */
  readonly views: readonly AnyView[];
}

/** An event by our name, by that of a settings file, or by that of a shell hook. */
export function occasion(word: string): Occasion | undefined {
  const claude = named("claude", word);
  if (claude !== undefined) return { event: claude.event, views: [claude.view] };
  const event = named("shell", word)?.event ?? eventNames.find((name) => name === word);
  return event === undefined ? undefined : { event, views: [...viewsOf(event, "shell"), ...viewsOf(event, "claude")] };
}

type Fields = Readonly<Record<string, unknown>>;

const exampleArgs: Readonly<Record<string, Fields>> = {
  terminal: { command: "echo hello" },
  write_file: { path: "example.txt", content: "hello\n" },
  read_file: { path: "example.txt" },
  patch: { mode: "replace", path: "example.txt", old_string: "hello", new_string: "goodbye" },
  search_files: { pattern: "hello", target: "content" },
  web_extract: { urls: ["https://example.com/"] },
  web_search: { query: "hello" },
  delegate_task: { goal: "Say hello" },
  todo: { todos: [{ id: "1", content: "Say hello", status: "pending" }] },
};

export interface Wanted {
  /** `--for-tool`, in our words or those of a settings file. */
  readonly tool?: string | undefined;
  /** `--payload-file`: keys of ours, or of either wire. */
  readonly given?: Fields | undefined;
}

const ids = { sessionId: "test-session", taskId: "test-task", toolCallId: "test-call" };

/** A payload for an event that did not happen: the example of the table, what was asked for, and what makes the name fit. */
export function syntheticPayload({ event, views }: Occasion, { tool, given = {} }: Wanted, cwd: string): object {
  const { example } = rows[event].row;
  const payload: Record<string, unknown> = { ...example };
  for (const [key, value] of Object.entries(ids)) if (key in example) payload[key] = value;
  if ("toolName" in example) Object.assign(payload, callOf(tool, wireGiven(given), cwd));
  Object.assign(payload, ownGiven(given, example, views));
  return fitting(payload, views);
}

/** The file's keys, with those of a shell hook's `extra` beside them. */
const wireGiven = (given: Fields): Fields => {
  const { extra } = given;
  return typeof extra === "object" && extra !== null ? { ...extra, ...given } : given;
};

function callOf(tool: string | undefined, given: Fields, cwd: string): Fields {
  const named = typeof given["tool_name"] === "string" ? given["tool_name"] : tool;
  const toolName = named === undefined ? "terminal" : (ownToolNames(named)[0] ?? named);
  const base = exampleArgs[toolName] ?? {};
  const input = given["tool_input"];
  if (typeof input !== "object" || input === null) return { toolName, args: base };
  const seen = input as Fields;
  return { toolName, args: named === toolName ? seen : ownArgs(toolName, base, seen, { cwd }) };
}

const snake = (key: string): string => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const ofCall = new Set(["toolName", "args"]);

function ownGiven(given: Fields, example: Fields, views: readonly AnyView[]): Fields {
  const wire = wireGiven(given);
  const own: Record<string, unknown> = {};
  const keys = new Set([...Object.keys(example), ...views.flatMap((view) => view.sends ?? [])]);
  for (const key of keys) {
    if (ofCall.has(key) && !Object.hasOwn(given, key)) continue;
    const names = [key, snake(key), ...views.flatMap((view) => wireNames(view, key))];
    const found = names.find((name) => wire[name] !== undefined);
    if (found !== undefined) own[key] = wire[found];
  }
  if (typeof wire["prompt"] === "string" && "userMessage" in example) own["userMessage"] = wire["prompt"];
  if (typeof wire["user_message"] === "string" && "userMessage" in example) own["userMessage"] = wire["user_message"];
  return own;
}

const wireNames = ({ keys }: AnyView, key: string): readonly string[] => {
  const name = (keys as Readonly<Record<string, string | readonly string[] | undefined>> | undefined)?.[key];
  return name === undefined ? [] : [name].flat();
};

/** What makes a payload one of those that go by another name of the same event. */
const changes: readonly Fields[] = [
  {},
  { status: "error", errorType: "tool_error", errorMessage: "it failed" },
  { agentId: "sa-0-test", agentType: "leaf" },
];

function fitting(payload: Fields, views: readonly AnyView[]): object {
  const fits = (one: Fields): boolean => views.some(({ when }) => when === undefined || when(one as never));
  const fitted = changes.map((change) => ({ ...payload, ...change })).find(fits);
  return deepFrozen(fitted ?? payload);
}

function deepFrozen<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const inner of Object.values(value)) deepFrozen(inner);
  return Object.freeze(value);
}
