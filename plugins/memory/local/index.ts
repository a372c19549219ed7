import { join } from "node:path";
import { definePlugin } from "talaria/plugin";
import { mapping, text } from "../../service.ts";
import { type Note, notebook } from "./notebook.ts";

const recalled = 5;

export default definePlugin((context) => {
  const book = notebook(join(context.home, "memory-local.db"));
  context.onUnload(() => book.close());
  context.registerMemoryProvider({
    name: "local",
    label: "Notes in the home",
    initialize: () => undefined,
    systemPromptBlock: () =>
      "You have a long-term memory: memory_note keeps a fact for later sessions, memory_search finds what was kept, memory_forget deletes it. Keep what stays true and will be useful: preferences, decisions, names, places. Never keep secrets.",
    prefetch(query) {
      const found = book.search(query, recalled);
      return found.length === 0 ? "" : `From long-term memory:\n${found.map(line).join("\n")}`;
    },
    toolSchemas: () => [
      schema(
        "memory_note",
        "Keeps a fact in long-term memory.",
        { content: "The fact, in a sentence or two.", tags: "Words to find it by." },
        ["content"],
      ),
      schema(
        "memory_search",
        "Finds facts in long-term memory; without a query the latest ones.",
        { query: "Words." },
        [],
      ),
      schema("memory_forget", "Deletes a fact from long-term memory.", { id: "Its number." }, ["id"]),
    ],
    handleToolCall(name, args) {
      const values = mapping(args);
      if (name === "memory_note") {
        const content = text(values["content"]);
        if (content === "") return failed("content is missing: say what is to be kept");
        const tags = Array.isArray(values["tags"]) ? values["tags"].map(String).join(" ") : text(values["tags"]);
        return JSON.stringify({ success: true, ...book.add(content, tags) });
      }
      if (name === "memory_search")
        return JSON.stringify({ success: true, notes: book.search(text(values["query"]), 20) });
      if (name !== "memory_forget") return failed(`there is no tool ${name}`);
      const id = Number(values["id"]);
      return book.remove(id)
        ? JSON.stringify({ success: true, id })
        : failed(`there is no note ${String(values["id"])}`);
    },
    shutdown: () => book.close(),
  });
});

const failed = (error: string): string => JSON.stringify({ success: false, error });

const line = ({ id, content }: Note): string => `- [${id}] ${content}`;

function schema(
  name: string,
  description: string,
  fields: Readonly<Record<string, string>>,
  required: readonly string[],
) {
  const properties = Object.fromEntries(
    Object.entries(fields).map(([field, about]) => [
      field,
      { type: field === "id" ? "integer" : "string", description: about },
    ]),
  );
  return { name, description, parameters: { type: "object", properties, required } };
}
