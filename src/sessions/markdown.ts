import type { ContentPart, Message } from "#kernel";
import type { SessionRecord } from "./store.ts";

interface MarkedMessage {
  readonly at: string;
  readonly active: boolean;
}

/** Title and facts of a session. */
export function markdownHead(session: SessionRecord): string {
  const { inputTokens, outputTokens, costUsd } = session.usage;
  const facts = [
    ["Session", session.id],
    ["Source", session.source],
    ["Model", [session.provider, session.model].filter((part) => part !== "").join("/")],
    ["Folder", session.cwd],
    ["Started", new Date(session.startedAt).toISOString()],
    ["Messages", String(session.messageCount)],
    ["Tokens", `${inputTokens} in, ${outputTokens} out`],
    ["Cost", costUsd === undefined ? "" : `$${costUsd.toFixed(4)}`],
  ] as const;
  const lines = facts.filter(([, value]) => value !== "").map(([name, value]) => `- **${name}:** ${inline(value)}`);
  return `# ${inline(session.title ?? `Session ${session.id}`)}\n\n${lines.join("\n")}\n`;
}

/** One message as a section; what the model no longer sees is marked. */
export function markdownMessage(message: Message & MarkedMessage): string {
  const mark = message.active ? "" : " · no longer in the conversation";
  return `\n## ${heading(message)} · ${message.at}${mark}\n${body(message)
    .map((part) => `\n${part}\n`)
    .join("")}`;
}

function heading(message: Message): string {
  if (message.role === "assistant") return message.model ? `Assistant (${inline(message.model)})` : "Assistant";
  if (message.role === "tool") return `${message.isError ? "Failed result" : "Result"} of ${inline(message.toolName)}`;
  return message.synthetic ? "Note to the model" : "User";
}

function body(message: Message): readonly string[] {
  if (message.role === "tool") return [fenced(text(message.content))];
  if (message.role === "user") return [text(message.content)];
  const thoughts = (message.reasoning ?? []).map((thought) => thought.text.replaceAll(/^/gm, "> "));
  const calls = (message.toolCalls ?? []).flatMap((call) => [
    `**Calls ${inline(call.name)}** (${inline(call.id)})`,
    fenced(call.malformed ?? JSON.stringify(call.args, null, 2), call.malformed === undefined ? "json" : ""),
  ]);
  return [...thoughts, ...(message.content === "" ? [] : [message.content]), ...calls];
}

function text(content: string | readonly ContentPart[]): string {
  if (typeof content === "string") return content;
  return content.map((part) => (part.type === "text" ? part.text : `_[image, ${part.mediaType}]_`)).join("\n\n");
}

/** A code block whose fence is longer than any in its text. */
function fenced(content: string, language = ""): string {
  const longest = Math.max(2, ...Array.from(content.matchAll(/`+/g), ([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${content.replace(/\n$/, "")}\n${fence}`;
}

function inline(value: string): string {
  return value.replaceAll(/\s+/g, " ").replaceAll(/[\\`*_[\]<>]/g, "\\$&");
}
