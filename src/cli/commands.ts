import type { Command, CommandOption } from "./command.ts";
import { hookCommands } from "./hooks/commands.ts";
import { pluginCommands } from "./plugins/commands.ts";

const json: CommandOption = { flags: "--json", about: "print JSON" };
const modelOption: CommandOption = { flags: "-m, --model <provider/name>", about: "use this model" };
const yolo: CommandOption = {
  flags: "--yolo",
  about: "run dangerous commands without asking; what is never allowed stays so",
};
const resumeOption: CommandOption = {
  flags: "-r, --resume <session>",
  about: "continue a session: an id, the start of one, a title, or last",
};
const hookOptions: readonly CommandOption[] = [
  { flags: "--accept-hooks", about: "take new hooks without a question" },
  { flags: "--no-project-hooks", about: "leave the hooks of the project out" },
  { flags: "--settings <file>", about: "hooks of this settings file too, or of JSON" },
];
const toolsets: CommandOption = {
  flags: "-t, --toolsets <names>",
  about: "only the tools of these toolsets, names between commas",
};
const folder: CommandOption = { flags: "--cwd <folder>", about: "work in this folder" };

/** All of `talaria`, in the order of its help. */
export const commands: readonly Command[] = [
  {
    name: "chat",
    about: "Talk to the agent (what talaria without a command does)",
    options: [
      modelOption,
      resumeOption,
      { flags: "-c, --continue", about: "continue the last session" },
      yolo,
      toolsets,
      folder,
      ...hookOptions,
    ],
    load: async () => (await import("./chat/command.ts")).chat,
  },
  {
    name: "run",
    about: "Do one task and print the answer; standard input is added as context",
    arguments: "[text...]",
    options: [
      modelOption,
      { flags: "--json", about: "print each event as a line of JSON" },
      yolo,
      toolsets,
      folder,
      resumeOption,
      { flags: "--max-iterations <number>", about: "model calls at the most" },
      { flags: "--stdin", about: "wait for the end of standard input, however long it takes" },
      { flags: "--no-stdin", about: "leave standard input alone" },
      ...hookOptions,
    ],
    load: async () => (await import("./run.ts")).run,
  },
  {
    name: "model",
    about: "Show, pick and test the model",
    arguments: "[provider/name]",
    options: [
      { flags: "--list", about: "list the models that the provider offers" },
      { flags: "--test", about: "ask the model for one word" },
      json,
    ],
    load: async () => (await import("./model.ts")).model,
  },
  {
    name: "sessions",
    about: "Stored sessions",
    commands: [
      {
        name: "list",
        about: "List the latest sessions",
        options: [
          { flags: "--limit <number>", about: "how many (20)" },
          { flags: "--all", about: "with the sessions of sub-agents" },
          json,
        ],
        load: async () => (await import("./sessions.ts")).list,
      },
      {
        name: "show",
        about: "Print a session",
        arguments: "<session>",
        options: [json],
        load: async () => (await import("./sessions.ts")).show,
      },
      {
        name: "search",
        about: "Find words in all sessions",
        arguments: "<text...>",
        options: [{ flags: "--limit <number>", about: "how many (20)" }, json],
        load: async () => (await import("./sessions.ts")).search,
      },
      {
        name: "resume",
        about: "Continue a session in the chat",
        arguments: "[session]",
        options: [modelOption, yolo, ...hookOptions],
        load: async () => (await import("./chat/command.ts")).resume,
      },
      {
        name: "export",
        about: "Write a session out",
        arguments: "<session>",
        options: [
          {
            flags: "--format <format>",
            about: "json, jsonl or markdown (markdown)",
            values: ["json", "jsonl", "markdown"],
          },
          { flags: "-o, --output <file>", about: "into this file instead of standard output" },
        ],
        load: async () => (await import("./sessions.ts")).exportSession,
      },
      {
        name: "delete",
        about: "Delete a session and its sub-agents' sessions",
        arguments: "<session>",
        options: [{ flags: "-y, --yes", about: "without asking" }],
        load: async () => (await import("./sessions.ts")).remove,
      },
    ],
  },
  { name: "hooks", about: "List, try, explain, trust and examine hooks", commands: hookCommands },
  { name: "plugins", about: "Install, enable, write and examine plugins", commands: pluginCommands },
  {
    name: "trace",
    about: "Draw the last turn of a session as a timeline",
    arguments: "[session]",
    options: [json],
    load: async () => (await import("./trace.ts")).trace,
  },
  {
    name: "tools",
    about: "List the tools that the model is given",
    options: [json],
    load: async () => (await import("./tools.ts")).tools,
  },
  {
    name: "config",
    about: "Read and change config.yaml",
    commands: [
      {
        name: "get",
        about: "Print a value, or all of them, and where each came from",
        arguments: "[key]",
        options: [json],
        load: async () => (await import("./config.ts")).get,
      },
      {
        name: "set",
        about: "Change a value; comments are kept",
        arguments: "<key> <value>",
        load: async () => (await import("./config.ts")).set,
      },
      {
        name: "unset",
        about: "Take a value out",
        arguments: "<key>",
        load: async () => (await import("./config.ts")).unset,
      },
      { name: "edit", about: "Open the file in $EDITOR", load: async () => (await import("./config.ts")).edit },
      {
        name: "check",
        about: "Say what is wrong with the file",
        options: [json],
        load: async () => (await import("./config.ts")).check,
      },
      { name: "path", about: "Print where the file is", load: async () => (await import("./config.ts")).path },
    ],
  },
  {
    name: "doctor",
    about: "Look for problems and say how to mend them",
    options: [json],
    load: async () => (await import("./doctor.ts")).doctor,
  },
  {
    name: "logs",
    about: "Print the log",
    options: [
      { flags: "-f, --follow", about: "go on printing what comes" },
      { flags: "--level <level>", about: "this level and above", values: ["debug", "info", "warning", "error"] },
      { flags: "-n, --lines <number>", about: "how many (50)" },
      json,
    ],
    load: async () => (await import("./logs.ts")).logs,
  },
  {
    name: "completion",
    about: "Print the completion script of a shell",
    arguments: "<shell>",
    load: async () => (await import("./completion.ts")).completion,
  },
];
