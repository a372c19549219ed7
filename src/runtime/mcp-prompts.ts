import type { Agent, TurnInput } from "#agent";
import type { Mcp } from "#capabilities";

type Servers = Pick<Mcp, "connected" | "prompts">;

/** The loop, in which `/mcp__<server>__<prompt> words` stands for what a server makes of it (docs/reference/mcp.md). */
export function withPrompts(agent: Agent, servers: Servers): Agent {
  return {
    open: (options) => agent.open(options),
    runTurn: async (session, input, surface) =>
      agent.runTurn(session, { ...input, ...(await expansionOf(input, servers)) }, surface),
  };
}

const typedPrompt = /^\/(mcp__\S+)(?:\s+([\s\S]*))?$/;

async function expansionOf({ content, expansion }: TurnInput, servers: Servers): Promise<Pick<TurnInput, "expansion">> {
  const typed = expansion === undefined && typeof content === "string" ? typedPrompt.exec(content.trim()) : null;
  if (typed === null) return {};
  const [, name = "", args = ""] = typed;
  await servers.connected();
  const prompt = servers.prompts().find(({ command }) => command === name);
  return {
    expansion: {
      type: "mcp_prompt",
      name,
      args,
      source: prompt?.server ?? "mcp",
      expand: async (signal) => {
        if (prompt !== undefined) return prompt.expand(args, signal);
        const known = servers.prompts().map(({ command }) => `/${command}`);
        throw new Error(`no MCP prompt is called /${name}; there are: ${known.join(", ") || "none"}`);
      },
    },
  };
}
