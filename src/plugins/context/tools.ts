import type { PluginTool } from "../registration.ts";
import type { Undo } from "../registry.ts";
import { described, given, invalid, isMapping, needsFunction, needsText, type Values } from "./checks.ts";
import type { ContextParts } from "./parts.ts";

const nothing = (): void => undefined;
const namePattern = /^[a-zA-Z0-9_-]{1,64}$/;

/** Registers a tool, or refuses it with a line in the log where a tool of another toolset has its name. */
export function registerTool(tool: PluginTool, { scope, registry, reach, owner, log }: ContextParts): Undo {
  const checked = checkedTool(tool);
  const { name, toolset, override } = checked;
  const rival = registry.of("tool").find(({ value }) => value.name === name && value.toolset !== toolset);
  const builtIn = reach.toolsetOf(name);
  const other = rival?.value.toolset ?? (builtIn !== toolset ? builtIn : undefined);
  if (other === undefined) return scope.add("tool", checked);
  const bothMcp = other.startsWith("mcp-") && toolset.startsWith("mcp-");
  const whose = rival === undefined ? "" : ` of plugin ${rival.owner.key}`;
  if (override === true || bothMcp) {
    log("info", `the tool '${name}' takes the place of that of toolset '${other}'${whose}`);
    return scope.add("tool", { ...checked, override: true });
  }
  log(
    "error",
    `the tool '${name}' is refused: toolset '${other}'${whose} has one of this name (override: true takes its place); plugin ${owner.key} goes on without it`,
  );
  return nothing;
}

function checkedTool(tool: PluginTool): PluginTool {
  const values = given("registerTool", tool);
  const name = needsText("registerTool", values, "name");
  if (!namePattern.test(name))
    throw invalid(`registerTool: '${name}' is no name for a tool: letters, digits, _ and -, at most 64`);
  needsText("registerTool", values, "toolset");
  needsFunction("registerTool", values, "handler");
  if (values["check"] !== undefined) needsFunction("registerTool", values, "check");
  if (!isMapping(values["schema"]))
    throw invalid(`registerTool: schema of '${name}' has to be an object, and is ${described(values["schema"])}`);
  return tool;
}

/** The schema of a tool without OpenAI's wrapping: what the model is told. */
export function flatSchema({ name, schema, description }: PluginTool): {
  readonly description: string;
  readonly parameters: Values;
} {
  const inner = isMapping(schema["function"]) ? schema["function"] : schema;
  const parameters = inner["parameters"] ?? (inner["type"] === "object" && !("name" in inner) ? inner : undefined);
  const about = inner["description"];
  return {
    description: typeof about === "string" && about !== "" ? about : (description ?? name),
    parameters: isMapping(parameters) ? parameters : { type: "object", properties: {} },
  };
}
