import type { Command, CommandOption } from "../command.ts";

const json: CommandOption = { flags: "--json", about: "print JSON" };
const yes: CommandOption = { flags: "-y, --yes", about: "without asking" };

/** `talaria plugins …`. */
export const pluginCommands: readonly Command[] = [
  {
    name: "list",
    aliases: ["ls"],
    about: "List plugins: state, source, version and what they register",
    options: [
      { flags: "--enabled", about: "only those that are in use" },
      { flags: "--user", about: "without those of the program itself" },
      { flags: "--no-bundled", about: "the same" },
      { flags: "--plain", about: "state, source, version and name, one plugin a line" },
      json,
    ],
    load: async () => (await import("./list.ts")).list,
  },
  {
    name: "info",
    about: "Say what a plugin registers, what it needs, where it is from and what is wrong with it",
    arguments: "<plugin>",
    options: [json],
    load: async () => (await import("./info.ts")).info,
  },
  {
    name: "install",
    about: "Get a plugin: an npm package, a folder, a .tgz, a git address or owner/repository[/folder]",
    arguments: "<from>",
    options: [
      { flags: "--force", about: "in place of one that is there" },
      { flags: "--enable", about: "enable it at once" },
      { flags: "--no-enable", about: "do not ask whether to enable it" },
      { flags: "-y, --yes", about: "answer every question with yes" },
      json,
    ],
    load: async () => (await import("./install.ts")).install,
  },
  {
    name: "update",
    about: "Get a plugin anew from where it came from; without a name all that can be",
    arguments: "[plugin]",
    options: [json],
    load: async () => (await import("./update.ts")).update,
  },
  {
    name: "remove",
    aliases: ["rm", "uninstall"],
    about: "Delete an installed plugin",
    arguments: "<plugin>",
    options: [yes, json],
    load: async () => (await import("./remove.ts")).remove,
  },
  {
    name: "enable",
    about: "Use a plugin; running chats load it at their next turn",
    arguments: "<plugin>",
    options: [json],
    load: async () => (await import("./switch.ts")).enable,
  },
  {
    name: "disable",
    about: "Do not use a plugin; running chats unload it at their next turn",
    arguments: "<plugin>",
    options: [json],
    load: async () => (await import("./switch.ts")).disable,
  },
  {
    name: "reload",
    about: "Have running chats load what a plugin's files hold now, at their next turn",
    arguments: "<plugin>",
    options: [json],
    load: async () => (await import("./switch.ts")).reload,
  },
  {
    name: "create",
    about: "Write a new plugin with a test",
    arguments: "<name>",
    options: [
      { flags: "--language <language>", about: "typescript or python (typescript)", values: ["typescript", "python"] },
      json,
    ],
    load: async () => (await import("./create.ts")).create,
  },
  {
    name: "test",
    about: "Load a plugin by itself, try what it registers, unload it, and run its own tests",
    arguments: "[folder]",
    options: [{ flags: "--all", about: "call its commands, and tools that may change something, too" }, json],
    load: async () => (await import("./test.ts")).test,
  },
  {
    name: "doctor",
    about: "Look for problems of plugins",
    options: [json],
    load: async () => (await import("./doctor.ts")).doctor,
  },
];
