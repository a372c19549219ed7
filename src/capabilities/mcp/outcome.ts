import type { CallToolResult, ReadResourceResult } from "@modelcontextprotocol/client";
import type { ToolOutcome } from "#agent";
import type { ContentPart } from "#kernel";

type Block = CallToolResult["content"][number];

/** A piece of a result as the model sees it: what is neither text nor image is named. */
export function partOf(block: Block): ContentPart {
  switch (block.type) {
    case "text":
      return { type: "text", text: block.text };
    case "image":
      return { type: "image", data: block.data, mediaType: block.mimeType };
    case "audio":
      return { type: "text", text: `[audio, ${block.mimeType}, ${bytesOf(block.data)} bytes]` };
    case "resource_link":
      return { type: "text", text: `[${block.name}: ${block.uri}]` };
    case "resource": {
      return blockOf(block.resource);
    }
    default:
      return { type: "text", text: JSON.stringify(block) };
  }
}

type Resource = ReadResourceResult["contents"][number];

/** A resource: its text, a picture, or what it is. */
export function blockOf(resource: Resource): ContentPart {
  if ("text" in resource) return { type: "text", text: resource.text };
  const kind = resource.mimeType ?? "binary";
  if (/^image\/(png|jpeg|gif|webp)$/.test(kind)) return { type: "image", data: resource.blob, mediaType: kind };
  return { type: "text", text: `[${resource.uri}, ${kind}, ${bytesOf(resource.blob)} bytes]` };
}

const bytesOf = (base64: string): number => Math.floor((base64.length * 3) / 4);

function partsOf({ content, structuredContent }: CallToolResult): readonly ContentPart[] {
  if (content.length > 0 || structuredContent === undefined) return content.map(partOf);
  return [{ type: "text", text: JSON.stringify(structuredContent) }];
}

const joined = (parts: readonly ContentPart[]): string =>
  parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");

/** The texts of a result, joined by line breaks. */
export const resultText = (result: CallToolResult): string => joined(partsOf(result));

/** Texts in one piece, images after them. */
export function joinedParts(parts: readonly ContentPart[]): string | readonly ContentPart[] {
  const text = joined(parts);
  const images = parts.filter(({ type }) => type === "image");
  return images.length === 0 ? text : [...(text === "" ? [] : [{ type: "text", text } as const]), ...images];
}

/** A result for the model: texts in one piece, images after them. */
export function resultOutcome(result: CallToolResult): ToolOutcome {
  const content = joinedParts(partsOf(result));
  return result.isError === true ? { content, isError: true } : { content };
}
