import { nearest } from "#config";
import type { Rule } from "../rule.ts";
import { type Fields, isTexts } from "./fields.ts";
import type { Frame } from "./rule-frame.ts";
import { kindOf } from "./source-node.ts";

type Type = Rule["type"];
type Own<T extends Type> = Omit<Extract<Rule, { readonly type: T }>, keyof Frame | "timeoutMs">;

/** Reads the keys of one type; undefined where a key that must be there is wrong, which has been said. */
type Readers = { readonly [T in Type]: (fields: Fields) => Own<T> | undefined };

const readers: Readers = {
  command(fields) {
    const program = programOf(fields);
    if (program === undefined) return undefined;
    const asyncRewake = fields.flag("asyncRewake") ?? false;
    const async = asyncRewake || (fields.flag("async") ?? false);
    return { type: "command", ...program, shell: fields.choice("shell", ["bash", "powershell"]), async, asyncRewake };
  },
  worker(fields) {
    const program = programOf(fields);
    return program === undefined ? undefined : { type: "worker", ...program };
  },
  http(fields) {
    const url = fields.needed("url");
    if (url === undefined || !isAddress(url, fields)) return undefined;
    return { type: "http", url, headers: headersOf(fields), allowedEnvVars: fields.texts("allowedEnvVars") ?? [] };
  },
  prompt(fields) {
    const prompt = fields.needed("prompt");
    if (prompt === undefined) return undefined;
    const continueOnBlock = fields.flag("continueOnBlock") ?? false;
    return { type: "prompt", prompt, model: fields.text("model"), continueOnBlock };
  },
  agent(fields) {
    const prompt = fields.needed("prompt");
    return prompt === undefined ? undefined : { type: "agent", prompt, model: fields.text("model") };
  },
  mcp_tool(fields) {
    const server = fields.needed("server");
    const tool = fields.needed("tool");
    if (server === undefined || tool === undefined) return undefined;
    return { type: "mcp_tool", server, tool, input: fields.object("input") ?? {} };
  },
};

const types = Object.keys(readers) as readonly Type[];

/** The type of a handler; undefined where nobody knows it, which has been said. */
export function typeOf(fields: Fields): Type | undefined {
  const value = fields.find("type")?.value;
  const known = types.find((type) => type === value);
  if (known !== undefined) return known;
  if (value === undefined) {
    const guess = types.find((type) => type === "command" && fields.find("command") !== undefined);
    const advice = guess === undefined ? `write one of ${types.join(", ")}` : `write "type": "${guess}"`;
    fields.warn("type", `the handler is left out: it has no type; ${advice}`);
    return undefined;
  }
  const near = typeof value === "string" ? nearest(value, types) : undefined;
  const advice = near === undefined ? `the types are ${types.join(", ")}` : `did you mean ${near}?`;
  const shown = typeof value === "string" ? JSON.stringify(value) : kindOf(value);
  fields.warn("type", `the handler is left out: its type is ${shown}; ${advice}`);
  return undefined;
}

export type HandlerBody = { readonly [T in Type]: Own<T> }[Type];

export const bodyOf = (fields: Fields, type: Type): HandlerBody | undefined => readers[type](fields);

function programOf(
  fields: Fields,
): { readonly command: string; readonly args: readonly string[] | undefined } | undefined {
  const command = fields.needed("command");
  const args = fields.find("args")?.value;
  if (args !== undefined && !isTexts(args)) {
    fields.warn("args", `the handler is left out: its args must be a list of texts, but is ${kindOf(args)}`);
    return undefined;
  }
  return command === undefined ? undefined : { command, args };
}

function isAddress(url: string, fields: Fields): boolean {
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return true;
  fields.warn("url", `the handler is left out: its url ${JSON.stringify(url)} is no http or https address`);
  return false;
}

function headersOf(fields: Fields): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(fields.object("headers") ?? {})) {
    if (typeof value === "string") headers[name] = value;
    else if (typeof value === "number" || typeof value === "boolean") headers[name] = String(value);
    else fields.warn("headers", `the header ${name} must be a text, but is ${kindOf(value)}; it is left out`);
  }
  return headers;
}
