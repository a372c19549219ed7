import { appendFile, readFile } from "node:fs/promises";
import { join } from "node:path";
import { definePlugin } from "talaria/plugin";
import { matching } from "./matching.ts";

export default definePlugin((ctx) => {
  const file = join(ctx.home, "notes.txt");
  const notes = async (): Promise<string[]> => {
    const text = await readFile(file, "utf8").catch(() => ""); // no notes yet
    return text.split("\n").filter((line) => line !== "");
  };

  ctx.registerTool({
    name: "note_add",
    toolset: "notes",
    schema: {
      description: "Keeps a short note.",
      parameters: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
    },
    handler: async ({ text }) => {
      await appendFile(file, `${String(text).replaceAll("\n", " ")}\n`);
      return { kept: true };
    },
  });

  ctx.registerTool({
    name: "note_find",
    toolset: "notes",
    schema: {
      description: "Finds notes that hold all of the given words.",
      parameters: { type: "object", properties: { words: { type: "string" } }, required: ["words"] },
    },
    handler: async ({ words }) => ({ notes: matching(await notes(), String(words)) }),
    readOnly: true,
  });

  ctx.registerHook("pre_tool_call", ({ toolName, args }) => {
    if (toolName !== "write_file" || args["path"] !== file) return undefined;
    return { action: "block", message: "Notes are kept with note_add, not by writing the file." };
  });

  ctx.registerCommand({
    name: "notes",
    description: "Show the notes.",
    argsHint: "[words]",
    handler: async (words) => matching(await notes(), words).join("\n") || "There are no such notes.",
  });
});
