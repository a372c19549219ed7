import type { Tool } from "#agent";
import { failure } from "../outcome.ts";
import { plainMessage, type RemoteTool } from "./connection.ts";
import { answererOf } from "./elicitation.ts";
import { resultOutcome } from "./outcome.ts";
import { sanitised } from "./sanitised.ts";
import type { McpServer } from "./server.ts";
import { serverTools } from "./server-tools.ts";

/** Longest name that all providers take. */
const longestName = 64;

/** `mcp_<server>_<tool>`; one that is too long for providers is cut and told apart by a number made of the whole. */
export function toolName(server: string, tool: string): string {
  const name = `mcp_${sanitised(server)}_${sanitised(tool)}`;
  if (name.length <= longestName) return name;
  let sum = 0;
  for (const character of name) sum = (Math.imul(sum, 31) + (character.codePointAt(0) ?? 0)) >>> 0;
  const mark = sum.toString(36).padStart(7, "0");
  return `${name.slice(0, longestName - mark.length - 1)}_${mark}`;
}

/** Providers want an object with properties; servers send schemas without. */
function parametersOf({ parameters }: RemoteTool): Tool["parameters"] {
  const properties = parameters["properties"];
  return { ...parameters, type: "object", properties: properties ?? {} };
}

interface Offer {
  readonly server: McpServer;
  readonly source: string;
}

function toolOf({ server, source }: Offer, remote: RemoteTool): Tool {
  const { name, parallel } = server.settings;
  return {
    name: toolName(name, remote.name),
    toolset: `mcp-${name}`,
    description: remote.description === "" ? `${remote.name} of the MCP server ${name}` : remote.description,
    parameters: parametersOf(remote),
    mcpServer: { name, source },
    ...(parallel ? { concurrency: "parallel" as const } : {}),
    async run(args, { signal, context }) {
      try {
        return resultOutcome(await server.call(remote.name, args, { signal, answerer: answererOf(name, context) }));
      } catch (error) {
        if (signal.aborted) throw error;
        return failure(plainMessage(error));
      }
    },
  };
}

/** Tools of ours over a server's resources and prompts; one of its own with such a name counts instead. */
const otherTools = ({ server, source }: Offer): readonly Tool[] =>
  serverTools(server).map(([made, tool]) => ({
    ...tool,
    name: toolName(server.settings.name, made),
    toolset: `mcp-${server.settings.name}`,
    mcpServer: { name: server.settings.name, source },
    readOnly: true,
  }));

/** The tools of all servers in the order of the configuration; of two with one name the first stays. */
export function toolsOf(
  servers: readonly McpServer[],
  sourceOf: (server: string) => string,
  warn: (message: string) => void,
): readonly Tool[] {
  const tools = new Map<string, Tool>();
  for (const server of servers) {
    const source = sourceOf(server.settings.name);
    for (const remote of server.tools()) {
      const tool = toolOf({ server, source }, remote);
      if (tools.has(tool.name))
        warn(`MCP server ${server.settings.name}: ${remote.name} is left out: another tool has the name ${tool.name}`);
      else tools.set(tool.name, tool);
    }
    for (const tool of otherTools({ server, source })) if (!tools.has(tool.name)) tools.set(tool.name, tool);
  }
  return [...tools.values()];
}
