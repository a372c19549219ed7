import type { Tool } from "./tool.ts";

/** The sets that stand for several; docs/reference/tools.md. */
const composites: Readonly<Record<string, readonly string[]>> = {
  debugging: ["terminal", "web", "file"],
  safe: ["web", "vision", "image_gen"],
  coding: [
    "file",
    "terminal",
    "search",
    "web",
    "code_execution",
    "todo",
    "clarify",
    "delegation",
    "skills",
    "session_search",
    "memory",
  ],
  "hermes-webhook": ["web", "vision", "clarify"],
};

/** Hermes's single sets, whether their tools are built or not. */
const singles =
  "web search x_search vision video image_gen video_gen computer_use terminal moa skills browser cronjob messaging file tts todo memory context_engine session_search clarify code_execution delegation homeassistant kanban discord discord_admin yuanbao feishu_doc feishu_drive spotify".split(
    " ",
  );

type Member = Pick<Tool, "toolset">;

const isWhole = (name: string): boolean =>
  name === "all" || name === "*" || (/^hermes-/.test(name) && !Object.hasOwn(composites, name));

export const isOfServer = ({ toolset }: Member): boolean => toolset.startsWith("mcp-");

/** Whether a name is one of a set that everybody knows; plugins and MCP servers bring further ones. */
export const isKnownToolset = (name: string): boolean =>
  isWhole(name) || Object.hasOwn(composites, name) || singles.includes(name) || name === "no_mcp";

/** Membership in any of the named sets. `all`, and a set such as `hermes-cli`, has every tool; a server's may go without `mcp-`. */
export function inToolsets(names: readonly string[]): (tool: Member) => boolean {
  const given = names.map((name) => name.trim()).filter((name) => name !== "");
  if (given.some(isWhole)) return () => true;
  const sets = new Set(given.flatMap((name) => composites[name] ?? [name]));
  return ({ toolset }) => sets.has(toolset) || (toolset.startsWith("mcp-") && sets.has(toolset.slice(4)));
}

/** What is offered by the settings: the named sets and all MCP servers, these unless `no_mcp` is named, without the disabled ones. */
export function offeredTools(names: readonly string[], disabled: readonly string[]): (tool: Member) => boolean {
  const named = inToolsets(names);
  const isDisabled = inToolsets(disabled);
  const withServers = !names.includes("no_mcp");
  return (tool) => (isOfServer(tool) ? withServers : named(tool)) && !isDisabled(tool);
}
