import type { GetPromptResult } from "@modelcontextprotocol/client";
import type { ContentPart } from "#kernel";
import { partOf } from "./outcome.ts";
import { sanitised } from "./sanitised.ts";
import type { McpServer } from "./server.ts";

/** A prompt of a server, as a command that a person can type. */
export interface McpPrompt {
  /** `mcp__<server>__<prompt>`, without the slash. */
  readonly command: string;
  readonly server: string;
  readonly about: string;
  readonly args: readonly { readonly name: string; readonly required: boolean }[];
  /** What the server makes of it. Rejects where an argument is missing, and in the words of the server. */
  expand(words: string, signal: AbortSignal): Promise<string | readonly ContentPart[]>;
}

/** The prompts of servers that are connected, or were. */
export const promptsOf = (servers: readonly McpServer[]): readonly McpPrompt[] =>
  servers.flatMap((server) =>
    server.prompts().map(({ name, description, args }): McpPrompt => {
      const command = `mcp__${sanitised(server.settings.name)}__${sanitised(name)}`;
      return {
        command,
        server: server.settings.name,
        about: description === "" ? `${name} of the MCP server ${server.settings.name}` : description,
        args,
        async expand(words, signal) {
          const given = argumentsOf(words, args);
          const missing = args.filter((one) => one.required && given[one.name] === undefined).map((one) => one.name);
          if (missing.length > 0) throw new Error(`/${command} needs ${missing.join(", ")}`);
          return contentOf(await server.prompt(name, given, signal));
        },
      };
    }),
  );

/** Words in order, quotes kept together; the last argument takes what is left. */
function argumentsOf(words: string, args: McpPrompt["args"]): Readonly<Record<string, string>> {
  const found = [...words.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map((match) => ({
    at: match.index,
    text: match[1] ?? match[2] ?? match[3] ?? "",
  }));
  const last = args.length - 1;
  const pairs = args.flatMap(({ name }, index) => {
    const word = found[index];
    if (word === undefined) return [];
    const more = index === last && found.length > args.length;
    return [[name, more ? words.slice(word.at).trim() : word.text] as const];
  });
  return Object.fromEntries(pairs);
}

/** The messages of a prompt as one of the person's: their texts, those of the assistant marked as such, and pictures. */
export function contentOf({ messages }: GetPromptResult): string | readonly ContentPart[] {
  const parts = messages.map(({ role, content }) => ({ role, part: partOf(content) }));
  const text = parts
    .flatMap(({ role, part }) =>
      part.type === "text" ? [role === "assistant" ? `[assistant]\n${part.text}` : part.text] : [],
    )
    .join("\n\n");
  const images = parts.flatMap(({ part }) => (part.type === "image" ? [part] : []));
  return images.length === 0 ? text : [{ type: "text", text }, ...images];
}
