import { decodeToolText } from "#kernel";
import type { Executor } from "../executor.ts";
import type { HookPorts } from "../hook-context.ts";
import type { McpToolRule } from "../rule.ts";
import { leash } from "./leash.ts";
import { failed, headOf, messageOf } from "./outcome.ts";

const placeholder = /\$\{([A-Za-z_][\w.-]*)\}/g;

/** The value at a path of the payload (`tool_input.file_path`, `tool_calls.0.tool_name`). */
function valueAt(wire: unknown, path: string): unknown {
  let value = wire;
  for (const key of path.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[key];
  }
  return value;
}

const asText = (value: unknown): string =>
  typeof value === "string" ? value : value === undefined || value === null ? "" : JSON.stringify(value);

/**
 * The input of the tool, filled from the payload. A text that is one placeholder and nothing else takes the value as it
 * is; inside a longer text values are written as text, objects as JSON. What the payload does not have is the empty text.
 */
export function filledInput(input: unknown, wire: unknown): unknown {
  if (typeof input === "string") {
    const whole = /^\$\{([A-Za-z_][\w.-]*)\}$/.exec(input)?.[1];
    if (whole !== undefined) return valueAt(wire, whole) ?? "";
    return input.replaceAll(placeholder, (_, path: string) => asText(valueAt(wire, path)));
  }
  if (Array.isArray(input)) return input.map((one) => filledInput(one, wire));
  if (typeof input !== "object" || input === null) return input;
  return Object.fromEntries(Object.entries(input).map(([key, value]) => [key, filledInput(value, wire)]));
}

/** A tool of an MCP server, whose text is read as a command's standard output. */
export const mcpToolExecutor =
  (ports: HookPorts): Executor<McpToolRule> =>
  async (execution) => {
    const { rule, question, wire } = execution;
    const { server, tool } = rule;
    if (ports.callTool === undefined) return failed(`the MCP server ${server} is not connected`);
    const held = leash(execution);
    const ended = Promise.withResolvers<never>();
    held.signal.addEventListener("abort", () => ended.reject(new Error(held.why())), { once: true });
    try {
      if (held.signal.aborted) return failed(held.why() ?? "was interrupted");
      const input = filledInput(rule.input, wire) as Readonly<Record<string, unknown>>;
      const call = ports.callTool({ server, tool, input, signal: held.signal });
      const { text, isError } = await Promise.race([call, ended.promise]);
      return { decoded: decodeToolText(question, text, isError), stdout: headOf(text) };
    } catch (error) {
      return failed(held.why() ?? `${server}/${tool} could not be called: ${messageOf(error)}`);
    } finally {
      held.release();
    }
  };
