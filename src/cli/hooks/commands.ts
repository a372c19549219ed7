import type { Command, CommandOption } from "../command.ts";

const json: CommandOption = { flags: "--json", about: "print JSON" };
const forTool: CommandOption = { flags: "--for-tool <name>", about: "as if this tool were called" };
const payloadFile: CommandOption = { flags: "--payload-file <file>", about: "a JSON object with what the event tells" };
const folder: CommandOption = { flags: "--cwd <folder>", about: "hooks of this folder" };
const settings: CommandOption = { flags: "--settings <file>", about: "hooks of this settings file too, or of JSON" };
const accept: CommandOption = { flags: "--accept-hooks", about: "as if all hooks were allowed" };

/** `talaria hooks …`. */
export const hookCommands: readonly Command[] = [
  {
    name: "list",
    about: "List hooks: source, event, matcher, limit, consent, what a failure does, and how they ran",
    options: [
      { flags: "--events", about: "list the events instead, and which do not fire here" },
      folder,
      settings,
      json,
    ],
    load: async () => (await import("./list.ts")).list,
  },
  {
    name: "test",
    about: "Run the hooks of an event with a made-up payload, whatever consent says",
    arguments: "<event>",
    options: [forTool, payloadFile, folder, settings, json],
    load: async () => (await import("./trial.ts")).test,
  },
  {
    name: "explain",
    about: "Say which hooks an event would ask, and why others are left out",
    arguments: "<event>",
    options: [
      forTool,
      payloadFile,
      { flags: "--run", about: "run them and show what they decide" },
      folder,
      settings,
      accept,
      json,
    ],
    load: async () => (await import("./trial.ts")).explain,
  },
  {
    name: "revoke",
    about: "Take the consent of a shell hook away",
    arguments: "<command...>",
    options: [json],
    load: async () => (await import("./consent.ts")).revoke,
  },
  {
    name: "trust",
    about: "Trust the hooks of this folder; show what changed in pinned ones",
    options: [
      { flags: "--pin", about: "also approve the scripts as they are now: a changed one is held back" },
      { flags: "--revoke", about: "take it back" },
      { flags: "-y, --yes", about: "without asking" },
      folder,
      json,
    ],
    load: async () => (await import("./consent.ts")).trust,
  },
  {
    name: "doctor",
    about: "Look for problems of hooks",
    options: [{ flags: "--fix", about: "set exec bits, allow changed scripts anew" }, folder, settings, accept, json],
    load: async () => (await import("./doctor.ts")).doctor,
  },
  {
    name: "replay",
    about: "Ask the hooks of now about the recorded events of a session and compare",
    arguments: "<session>",
    options: [
      { flags: "--config <file>", about: "with the hooks of this file alone: settings, or a config.yaml" },
      folder,
      accept,
      json,
    ],
    load: async () => (await import("./replay.ts")).replay,
  },
  {
    name: "emit",
    about: "Fire an event for the gateway's hooks (hooks/<name>/HOOK.yaml) by hand and wait for their handlers",
    arguments: "<event>",
    options: [
      { flags: "--context <json>", about: "a JSON object: what the handlers are told instead of the event's example" },
      { flags: "--context-file <file>", about: "the same from a file" },
      { flags: "--timeout <seconds>", about: "how long each handler may take (60)" },
      json,
    ],
    load: async () => (await import("./emit.ts")).emit,
  },
  {
    name: "import",
    about: "Show what is picked up from ~/.claude, a project or a home of Hermes",
    arguments: "[folder]",
    options: [json],
    load: async () => (await import("./import-list.ts")).importable,
  },
];
