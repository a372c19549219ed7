import { isRecord } from "../field.ts";
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
}

const filePath = (call: Finished, place: Place | undefined): unknown =>
  seenCall(call.toolName, call.args, undefined, place).input["file_path"];

const shapes: Readonly<Record<string, Shape>> = {
  terminal: {
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
    get: (own, call, place) => ({
      ...own,
      filePath: filePath(call, place),
      success: !own["error"],
      type: own["created"] === false || own["type"] === "update" ? "update" : "create",
    }),
  },
  patch: {
    get: (own, call, place) => ({ ...own, filePath: filePath(call, place), success: !own["error"] }),
  },
  read_file: {
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

/** The text that takes the place of a result after a hook has replaced `tool_response`. */
export function replacedResult(call: Finished, seen: unknown): string {
  if (typeof seen === "string") return seen;
  const own = parsed(call.result);
  const put = Object.hasOwn(shapes, call.toolName) ? shapes[call.toolName]?.put : undefined;
  return JSON.stringify(put && isRecord(own) && isRecord(seen) ? put(own, seen) : seen);
}
