import type { Tool, TurnContext } from "#agent";
import type { Middleware } from "#kernel";
import { booleanArgument, listArgument } from "../argument.ts";
import { failure } from "../outcome.ts";
import { type TodoItem, todoReminder, todoResult, todoStatuses, todosOfResult, writeTodos } from "./list.ts";

interface TodoState {
  items: readonly TodoItem[];
  /** The list of a resumed session was looked for in its transcript, or this one was written since. */
  known: boolean;
  /** Looks for it: a long conversation is not read before somebody wants the list. */
  find: (() => readonly TodoItem[]) | undefined;
}

function todoState(context: TurnContext): TodoState {
  return context.state<TodoState>("todo", () => ({ items: [], known: false, find: undefined }));
}

function currentItems(state: TodoState): readonly TodoItem[] {
  if (!state.known && state.find !== undefined) {
    state.items = state.find();
    state.known = true;
  }
  state.find = undefined;
  return state.items;
}

const parameters = {
  type: "object",
  properties: {
    todos: {
      type: "array",
      description: "The items, in order of work. Absent: the list is only read.",
      items: {
        type: "object",
        properties: {
          id: { type: "string" },
          content: { type: "string", description: "What is to be done." },
          status: { type: "string", enum: todoStatuses },
        },
        required: ["id", "content", "status"],
      },
    },
    merge: {
      type: "boolean",
      description:
        "true: change the items of these ids and add new ones. false, the default: these items are the list.",
    },
  },
} as const;

const todoTool: Tool = {
  name: "todo",
  toolset: "todo",
  description:
    "The task list of this session. Use it for work of three steps or more, or when several tasks were given at once. One item is in_progress at a time; mark it completed as soon as it is done and checked, cancelled when it is no longer wanted. Without todos it shows the list; each call answers with the whole list.",
  parameters,
  run: async (args, { context }) => {
    const state = todoState(context);
    const items = currentItems(state);
    if (args["todos"] === undefined || args["todos"] === null) return todoResult(items);
    const todos = listArgument(args, "todos");
    if (todos === undefined) return failure("todos must be a list of items with id, content and status");
    state.items = writeTodos(items, todos, booleanArgument(args, "merge") === true);
    state.known = true;
    return todoResult(state.items);
  },
};

/** The list as the latest result of `todo` in a conversation has it; the conversation may be in our form or in OpenAI's. */
function todosOfConversation(messages: readonly Readonly<Record<string, unknown>>[]): readonly TodoItem[] {
  for (const message of messages.toReversed()) {
    const { role, content, toolName, name } = message;
    if (role !== "tool" || typeof content !== "string" || (toolName ?? name ?? "todo") !== "todo") continue;
    const items = todosOfResult(content);
    if (items !== undefined) return items;
  }
  return [];
}

/**
 * Slot `todo`: the session's task list. A resumed session finds its list in the conversation, and after a
 * compaction the model is told of what is still open (docs/reference/tools.md).
 */
export function todo(): Middleware<TurnContext> {
  return {
    slot: "todo",
    tools: () => [todoTool],
    on: {
      pre_llm_call: (payload, context) => {
        const state = todoState(context);
        if (!state.known) state.find = () => todosOfConversation(payload.conversationHistory);
      },
      pre_compact: (_payload, context) => void currentItems(todoState(context)),
      post_compact: (_payload, context) => {
        const text = todoReminder(currentItems(todoState(context)));
        if (text !== undefined) context.state<{ readonly text: string }[]>("inbox", () => []).push({ text });
      },
    },
  };
}
