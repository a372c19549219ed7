export type TodoStatus = "pending" | "in_progress" | "completed" | "cancelled";

export interface TodoItem {
  readonly id: string;
  readonly content: string;
  readonly status: TodoStatus;
}

export const todoStatuses: readonly TodoStatus[] = ["pending", "in_progress", "completed", "cancelled"];

/** Bounds of docs/reference/tools.md: the list is told to the model again after a compaction and must stay small. */
const mostItems = 256;
const mostCharacters = 4_000;

/**
 * The list after a write. Without `merge` the given items are the list; with it, items of a known id are changed in
 * the fields that were given, and others are appended. The last of two items with one id counts.
 */
export function writeTodos(current: readonly TodoItem[], given: readonly unknown[], merge: boolean): TodoItem[] {
  const items = new Map<string, TodoItem>(merge ? current.map((item) => [item.id, item]) : []);
  for (const [index, raw] of given.entries()) {
    if (typeof raw !== "object" || raw === null) continue;
    const fields = raw as Readonly<Record<string, unknown>>;
    const id = words(fields["id"]) ?? freeId(items, index);
    items.set(id, item(id, fields, merge ? items.get(id) : undefined));
  }
  return [...items.values()].slice(0, mostItems);
}

function item(id: string, fields: Readonly<Record<string, unknown>>, before: TodoItem | undefined): TodoItem {
  const content = words(fields["content"]) ?? before?.content ?? "(no description)";
  const status = todoStatuses.find((known) => known === words(fields["status"])?.toLowerCase());
  return {
    id,
    content: content.length > mostCharacters ? `${content.slice(0, mostCharacters)}… [cut]` : content,
    status: status ?? before?.status ?? "pending",
  };
}

function words(value: unknown): string | undefined {
  if (typeof value === "number") return String(value);
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
}

function freeId(items: ReadonlyMap<string, TodoItem>, index: number): string {
  let number = index + 1;
  while (items.has(String(number))) number += 1;
  return String(number);
}

export function todoResult(items: readonly TodoItem[]): string {
  const count = (status: TodoStatus) => items.filter((entry) => entry.status === status).length;
  return JSON.stringify({
    todos: items,
    summary: {
      total: items.length,
      pending: count("pending"),
      in_progress: count("in_progress"),
      completed: count("completed"),
      cancelled: count("cancelled"),
    },
  });
}

/** What is still to be done, for a model whose conversation was shortened; `undefined` when nothing is. */
export function todoReminder(items: readonly TodoItem[]): string | undefined {
  const open = items.filter((entry) => entry.status === "pending" || entry.status === "in_progress");
  if (open.length === 0) return undefined;
  const lines = open.map(
    (entry) => `- ${entry.status === "in_progress" ? "[>]" : "[ ]"} ${entry.id}. ${entry.content}`,
  );
  return ["[Your task list, kept across the compaction of this conversation]", ...lines].join("\n");
}

/** The list that a tool result of `todo` holds, as far as it is one. */
export function todosOfResult(text: string): TodoItem[] | undefined {
  if (!text.includes('"todos"')) return undefined;
  try {
    const parsed = JSON.parse(text) as { readonly todos?: unknown };
    return Array.isArray(parsed.todos) ? writeTodos([], parsed.todos, false) : undefined;
  } catch {
    return undefined;
  }
}
