import { isRecord } from "../data.ts";
import type { EventName } from "../lifecycle.ts";
import { type AnyView, type Decoded, noOpinion, project, type Question, viewsOf } from "./question.ts";
import { readSpelling, readText } from "./spelling.ts";

const versions = { telemetry_schema_version: "hermes.observer.v1" };
const middlewareVersions = { ...versions, middleware_schema_version: "hermes.middleware.v1" };

/** The keyword arguments of a Python callback. The host passes those that its signature accepts. */
export const encodePython = (question: Question): Readonly<Record<string, unknown>> => ({
  ...(question.view.middleware ? middlewareVersions : versions),
  ...project(question),
});

/** What a Python callback returned, as JSON. */
export function decodePython(question: Question, returned: unknown): Decoded {
  if (typeof returned === "string") return readText(question, returned);
  return isRecord(returned) ? readSpelling(question, returned, { anyContext: true }) : noOpinion();
}

/** The view whose rules hold for handlers in this process: that of Python plugins, or every field where there is none. */
export const nativeView = (event: EventName): AnyView =>
  viewsOf(event, "python")[0] ?? { dialect: "python", name: event };

/** What a handler in this process returned: fields of the row, or the spellings of plugins. */
export function decodeNative(question: Question, returned: unknown): Decoded {
  if (typeof returned === "string") return readText(question, returned);
  if (!isRecord(returned)) return noOpinion();
  return readSpelling(question, returned, {
    fields: true,
    blocked: "blocked by a plugin that gave no reason",
  });
}
