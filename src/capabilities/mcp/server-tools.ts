import type { Tool } from "#agent";
import { textArgument } from "../argument.ts";
import { answer, failure } from "../outcome.ts";
import { plainMessage } from "./connection.ts";
import { blockOf, joinedParts } from "./outcome.ts";
import { contentOf } from "./prompts.ts";
import type { McpServer } from "./server.ts";

type Made = Pick<Tool, "description" | "parameters" | "run">;

const none = { type: "object", properties: {} } as const;

/** Tools over what a server has besides tools: its resources and prompts, where it says that it has them. */
export function serverTools(server: McpServer): readonly (readonly [name: string, made: Made])[] {
  const { name, resources, prompts } = server.settings;
  const { offers } = server;
  return [
    ...(resources && offers().resources ? resourceTools(server, name) : []),
    ...(prompts && offers().prompts ? promptTools(server, name) : []),
  ];
}

/** What goes wrong is told in the server's words; an interrupt goes on. */
const told =
  (work: (args: Readonly<Record<string, unknown>>, signal: AbortSignal) => ReturnType<Tool["run"]>): Tool["run"] =>
  async (args, { signal }) => {
    try {
      return await work(args, signal);
    } catch (error) {
      if (signal.aborted) throw error;
      return failure(plainMessage(error));
    }
  };

const resourceTools = (server: McpServer, name: string): readonly (readonly [string, Made])[] => [
  [
    "list_resources",
    {
      description: `Lists the resources of the MCP server ${name}, and the templates of addresses that it knows.`,
      parameters: none,
      run: told(async (_, signal) => answer({ ...(await server.resources(signal)) })),
    },
  ],
  [
    "read_resource",
    {
      description: `Reads a resource of the MCP server ${name}.`,
      parameters: {
        type: "object",
        properties: { uri: { type: "string", description: "The address of the resource." } },
        required: ["uri"],
      },
      run: told(async (args, signal) => {
        const uri = textArgument(args, "uri")?.trim() ?? "";
        if (uri === "") return failure("uri is missing");
        const { contents } = await server.resource(uri, signal);
        return { content: joinedParts(contents.map((resource) => blockOf(resource))) };
      }),
    },
  ],
];

const promptTools = (server: McpServer, name: string): readonly (readonly [string, Made])[] => [
  [
    "list_prompts",
    {
      description: `Lists the prompts of the MCP server ${name}.`,
      parameters: none,
      run: told(async () => answer({ prompts: server.prompts() })),
    },
  ],
  [
    "get_prompt",
    {
      description: `Gives the text of a prompt of the MCP server ${name}.`,
      parameters: {
        type: "object",
        properties: {
          name: { type: "string", description: "The prompt." },
          arguments: {
            type: "object",
            description: "Its arguments, all texts.",
            additionalProperties: { type: "string" },
          },
        },
        required: ["name"],
      },
      run: told(async (args, signal) => {
        const given = Object.entries((args["arguments"] ?? {}) as object).map(([key, value]) => [key, String(value)]);
        const prompt = textArgument(args, "name") ?? "";
        return { content: contentOf(await server.prompt(prompt, Object.fromEntries(given), signal)) };
      }),
    },
  ],
];
