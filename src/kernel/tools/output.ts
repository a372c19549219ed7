import { isRecord } from "../data.ts";
import type { Args, Place } from "./lens.ts";
import { seenCall } from "./translation.ts";

/** A call that is over: what ran and the text that came back. */
export interface Finished {
  readonly toolName: string;
  readonly args: Args;
  /** By custom a JSON text; the parts of a message where images came back. */
  readonly result: unknown;
}

/** The JSON that a tool's text holds; the text itself where it holds none. */
function parsed(result: unknown): unknown {
  if (typeof result !== "string") return result;
  const text = result.trimStart();
  if (!text.startsWith("{") && !text.startsWith("[")) return result;
  try {
    return JSON.parse(result);
  } catch {
    return result;
  }
}

const text = (value: unknown): string =>
  typeof value === "string" ? value : value === undefined || value === null ? "" : JSON.stringify(value);

/** A result as one text: what the model reads. */
export const resultText = (result: unknown): string => text(result);

/** What went wrong, as the tool says it: the `error` of its JSON, else its whole text. */
export function errorText(result: unknown): string {
  const value = parsed(result);
  return isRecord(value) && value["error"] ? text(value["error"]) : resultText(result);
}

interface Shape {
  readonly get: (own: Args, call: Finished, place: Place | undefined) => Args;
  /** Our JSON after the other side has replaced what it saw; absent: it takes the place of ours as it is. */
  readonly put?: (own: Args, seen: Args) => Args;
  /** The key without which it is no output of the tool. */
  readonly needs: string;
}

const filePath = (call: Finished, place: Place | undefined): unknown =>
  seenCall(call.toolName, call.args, undefined, place).input["file_path"];

const shapes: Readonly<Record<string, Shape>> = {
  terminal: {
    needs: "stdout",
    get: (own) => ({
      stdout: text(own["output"]),
      stderr: text(own["error"]),
      interrupted: own["interrupted"] === true,
      isImage: false,
    }),
    put: (own, seen) => ({
      ...own,
      output: text(seen["stdout"]),
      error:
        seen["stderr"] === undefined || seen["stderr"] === "" ? (own["error"] ? null : own["error"]) : seen["stderr"],
    }),
  },
  write_file: {
    needs: "filePath",
    get: (own, call, place) => ({
      ...own,
      filePath: filePath(call, place),
      success: !own["error"],
      type: own["created"] === false || own["type"] === "update" ? "update" : "create",
    }),
  },
  patch: {
    needs: "filePath",
    get: (own, call, place) => ({ ...own, filePath: filePath(call, place), success: !own["error"] }),
  },
  read_file: {
    needs: "file",
    get: (own, call, place) => ({
      type: "text",
      file: { ...own, filePath: filePath(call, place), content: text(own["content"]) },
    }),
    put: (own, seen) => ({ ...own, content: text(isRecord(seen["file"]) ? seen["file"]["content"] : seen["content"]) }),
  },
};

/** `tool_response`: the result in the shape that the claude dialect knows for the tool; else the tool's own JSON, or its text. */
export function toolResponse(call: Finished, place?: Place): unknown {
  const own = parsed(call.result);
  const shape = Object.hasOwn(shapes, call.toolName) ? shapes[call.toolName] : undefined;
  return shape && isRecord(own) ? shape.get(own, call, place) : own;
}

/**
 * Why what a hook puts in the place of `tool_response` does not have its shape; undefined: it does.
 * Results of MCP servers have no shape. docs/reference/dialects.md, "A tool's output".
 */
export function misshapen(call: Finished, seen: unknown): string | undefined {
  if (call.toolName.startsWith("mcp_")) return undefined;
  const told = toolResponse(call);
  if (kindOf(told) !== kindOf(seen)) return `it is ${kindOf(seen)}, the output is ${kindOf(told)}`;
  if (!isRecord(told) || !isRecord(seen)) return undefined;
  const needed = Object.hasOwn(shapes, call.toolName) ? shapes[call.toolName]?.needs : undefined;
  const lacking = needed === undefined ? lackingAll(told, seen) : Object.hasOwn(seen, needed) ? undefined : needed;
  if (lacking !== undefined) return `${lacking} is missing`;
  const other = Object.keys(seen).find(
    (key) => Object.hasOwn(told, key) && told[key] !== null && kindOf(told[key]) !== kindOf(seen[key]),
  );
  if (other !== undefined) return `${other} is ${kindOf(seen[other])}, not ${kindOf(told[other])}`;
  if (!isRecord(seen["file"]) || typeof seen["file"]["content"] === "string") return undefined;
  return call.toolName === "read_file" ? "file.content is no text" : undefined;
}

/** What is missing of an output where the other has nothing in common with it. */
function lackingAll(told: Args, seen: Args): string | undefined {
  const keys = Object.keys(told);
  return keys.length > 0 && !keys.some((key) => Object.hasOwn(seen, key)) ? keys.join(", ") : undefined;
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return "nothing";
  if (Array.isArray(value)) return "a list";
  return isRecord(value) ? "an object" : typeof value === "string" ? "text" : `a ${typeof value}`;
}

/** The text that takes the place of a result after a hook has replaced `tool_response`. */
export function replacedResult(call: Finished, seen: unknown): string {
  if (typeof seen === "string") return seen;
  const own = parsed(call.result);
  const put = Object.hasOwn(shapes, call.toolName) ? shapes[call.toolName]?.put : undefined;
  return JSON.stringify(put && isRecord(own) && isRecord(seen) ? put(own, seen) : seen);
}
