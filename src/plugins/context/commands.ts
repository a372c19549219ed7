import type { CliCommand, SlashCommand } from "../registration.ts";
import type { Undo } from "../registry.ts";
import { given, needsFunction, needsText } from "./checks.ts";
import type { ContextParts } from "./parts.ts";

const nothing = (): void => undefined;

/** Lower case, without the slash, blanks as hyphens. */
const commandName = (name: string): string =>
  name.trim().toLowerCase().replace(/^\/+/, "").trim().replaceAll(/\s+/g, "-");

/** Registers a slash command; an empty name and one of the program's own are refused with a warning. Of two plugins the later counts. */
export function registerCommand(
  command: Pick<SlashCommand, "name" | "handler"> & Partial<SlashCommand>,
  { scope, reach, log }: ContextParts,
): Undo {
  const values = given("registerCommand", command);
  needsFunction("registerCommand", values, "handler");
  const name = typeof values["name"] === "string" ? commandName(values["name"]) : "";
  if (name === "") {
    log("warning", "a slash command without a name is left out");
    return nothing;
  }
  if (reach.isBuiltInCommand(name)) {
    log("warning", `the slash command '/${name}' is left out: the program has one of this name`);
    return nothing;
  }
  const { description, argsHint } = command;
  return scope.add("command", {
    name,
    handler: command.handler,
    description: typeof description === "string" && description !== "" ? description : "Plugin command",
    argsHint: typeof argsHint === "string" ? argsHint.trim() : "",
  });
}

export function registerCliCommand(command: CliCommand, { scope }: ContextParts): Undo {
  const values = given("registerCliCommand", command);
  needsText("registerCliCommand", values, "name");
  needsFunction("registerCliCommand", values, "handler");
  return scope.add("cliCommand", { ...command, help: typeof command.help === "string" ? command.help : "" });
}
