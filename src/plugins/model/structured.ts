import type { ContentPart } from "#kernel";
import { PluginError, thrownText } from "../error.ts";
import type { StructuredInput, StructuredOptions } from "../plugin-context.ts";

type Schema = Readonly<Record<string, unknown>>;

const jsonOnly = "Answer with one JSON object and nothing else: no prose before or after it, no code fences.";

/** The prompt of a structured call. Throws `invalid_request` for empty instructions, empty input, or parts of an unknown shape. */
export function structuredPrompt(options: StructuredOptions): {
  readonly system: string;
  readonly content: readonly ContentPart[];
} {
  const { instructions, input, systemPrompt, schemaName, jsonSchema } = options;
  if (typeof instructions !== "string" || instructions.trim() === "") throw invalid("instructions must not be empty");
  const inputs = partsOf(input);
  const lead = [
    instructions.trim(),
    ...(schemaName === undefined ? [] : [`Schema name: ${schemaName}`]),
    ...(jsonSchema === undefined ? [] : [`JSON schema:\n${sortedJson(jsonSchema)}`]),
  ];
  return {
    system: [systemPrompt?.trim(), wantsJson(options) ? jsonOnly : ""].filter(Boolean).join("\n\n"),
    content: [{ type: "text", text: lead.join("\n\n") }, ...inputs],
  };
}

export const wantsJson = ({ jsonMode, jsonSchema }: StructuredOptions): boolean =>
  jsonMode === true || jsonSchema !== undefined;

function invalid(what: string): PluginError {
  return new PluginError("invalid_request", `completeStructured: ${what}`);
}

function partsOf(input: StructuredInput): readonly ContentPart[] {
  if (typeof input === "string") {
    if (input.trim() === "") throw invalid("input must not be empty");
    return [{ type: "text", text: input }];
  }
  if (!Array.isArray(input) || input.length === 0) throw invalid("input must not be empty");
  return input.map(partOf);
}

function partOf(part: unknown, index: number): ContentPart {
  const block = (typeof part === "object" && part !== null ? part : {}) as Schema;
  const { type, text, data, url } = block;
  if (type === "text") {
    if (typeof text === "string") return { type, text };
    throw invalid(`input ${index + 1} is a text without text`);
  }
  if (type !== "image") throw invalid(`input ${index + 1} is neither a text nor an image`);
  const given = block["mimeType"] ?? block["mime_type"];
  const mediaType = typeof given === "string" && given !== "" ? given : "image/png";
  if (data instanceof Uint8Array) return { type, data: Buffer.from(data).toString("base64"), mediaType };
  if (typeof data === "string" && data !== "") return { type, ...fromDataUrl(data, mediaType) };
  if (typeof url === "string" && url !== "") return { type, ...fromDataUrl(url, "image/*") };
  throw invalid(`input ${index + 1} is an image without data and without url`);
}

function fromDataUrl(text: string, mediaType: string): { readonly data: string; readonly mediaType: string } {
  const found = /^data:([^;,]+);base64,(.*)$/s.exec(text);
  return found === null ? { data: text, mediaType } : { data: found[2] ?? "", mediaType: found[1] ?? mediaType };
}

function sortedJson(value: unknown): string {
  const sorted = (given: unknown): unknown => {
    if (Array.isArray(given)) return given.map(sorted);
    if (typeof given !== "object" || given === null) return given;
    const entries = Object.entries(given).sort(([one], [other]) => (one < other ? -1 : 1));
    return Object.fromEntries(entries.map(([key, item]) => [key, sorted(item)]));
  };
  return JSON.stringify(sorted(value), undefined, 2);
}

/** The JSON of an answer: that of its first fenced block, else all of it. Undefined: it is none. */
export function parsedJson(text: string): { readonly value: unknown } | undefined {
  const fenced = /```(?:[a-zA-Z0-9_-]*)[ \t]*\r?\n([\s\S]*?)```/.exec(text);
  try {
    return { value: JSON.parse((fenced?.[1] ?? text).trim()) };
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Throws `schema_mismatch` when the value is not as the schema wants it. A schema that cannot be read is not checked. */
export async function checkSchema(value: unknown, schema: Schema, debug: (message: string) => void): Promise<void> {
  const { z } = await import("zod");
  let shape: ReturnType<typeof z.fromJSONSchema>;
  try {
    shape = z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]);
  } catch (error) {
    debug(`the answer is not checked against its schema: ${thrownText(error)}`);
    return;
  }
  const { error } = shape.safeParse(value);
  if (error === undefined) return;
  const issues = error.issues.slice(0, 5).map(({ path, message }) => `${path.join(".") || "(top)"}: ${message}`);
  throw new PluginError("schema_mismatch", `the model's answer does not match the schema: ${issues.join("; ")}`);
}
