import * as zod from "zod";
import { permissionReference } from "#capabilities";
import { configReference, configSchema } from "#config";
import {
  type AnyRow,
  type AnyView,
  type EventName,
  encodeClaude,
  encodeGateway,
  encodePython,
  encodeShell,
  eventNames,
  gatewayNames,
  rows,
} from "#kernel";
import { fieldMeaning, when } from "./field-meaning.ts";
import { pluginContextPage } from "./plugin-page.ts";
import { chatPage, cliPage } from "./program-pages.ts";

type JsonSchema = Readonly<Record<string, unknown>>;

/** The payload of an event as one dialect puts it on the wire. */
function wireExample(event: EventName, view: AnyView): Readonly<Record<string, unknown>> {
  const question = { event, view, payload: rows[event].row.example, place: { cwd: "/home/ada/project" } };
  if (view.dialect === "python") return encodePython(question);
  if (view.dialect === "shell") return { ...encodeShell(question, "/home/ada/project") };
  if (view.dialect === "gateway") return encodeGateway(question);
  return encodeClaude(question, {
    sessionId: "20260101_120000_ab12cd",
    transcriptPath: "/home/ada/.talaria/transcripts/20260101_120000_ab12cd.jsonl",
    cwd: "/home/ada/project",
    permissionMode: "default",
  });
}

const applies = (view: AnyView, example: object): boolean => view.when === undefined || view.when(example as never);

/** Where the JSON Schema of an event is written; a colon and a star are no part of a file's name. */
export const schemaPath = (event: EventName): string =>
  `schemas/events/${event.replace(":", ".").replace("*", "any")}.json`;

const schemaOf = (row: AnyRow): JsonSchema =>
  zod.toJSONSchema(row.payload(zod), { unrepresentable: "any", io: "input" }) as JsonSchema;

function eventSchema(event: EventName): string {
  const { row } = rows[event];
  const views = row.views
    .filter((view) => applies(view, row.example))
    .map((view) => ({ dialect: view.dialect, name: view.name, example: wireExample(event, view) }));
  const { $schema, ...schema } = schemaOf(rows[event]);
  const file = { $schema, title: event, description: row.about, ...schema, examples: [row.example], "x-views": views };
  return `${JSON.stringify(file, null, 2)}\n`;
}

const typeName = (schema: JsonSchema): string => {
  if (Array.isArray(schema["enum"])) return schema["enum"].map((one) => JSON.stringify(one)).join(" \\| ");
  if (schema["const"] !== undefined) return JSON.stringify(schema["const"]);
  const choices = schema["anyOf"];
  if (Array.isArray(choices)) return choices.map((one) => typeName(one as JsonSchema)).join(" \\| ");
  if (schema["type"] === "array") return `list of ${typeName((schema["items"] ?? {}) as JsonSchema)}`;
  if (Array.isArray(schema["type"])) return schema["type"].join(" \\| ");
  return typeof schema["type"] === "string" ? schema["type"] : "anything";
};

function keyTable(schema: JsonSchema): readonly string[] {
  const properties = Object.entries((schema["properties"] ?? {}) as Readonly<Record<string, JsonSchema>>);
  if (properties.length === 0) return [];
  const required = new Set((schema["required"] ?? []) as readonly string[]);
  const lines = properties.map(
    ([key, one]) => `| \`${key}\` | ${typeName(one)} | ${required.has(key) ? "" : "may be absent"} |`,
  );
  return ["| key | type | |", "| --- | --- | --- |", ...lines, ""];
}

const code = (text: string): string => `\`${text}\``;

function columns(view: AnyView): string {
  const notes = [
    view.exit2 === undefined
      ? ""
      : `exit code 2: ${{ verdict: "refuses", user: "shown to the user", none: "no effect" }[view.exit2]}`,
    view.failure === "verdict" ? "any other exit code but 0 refuses too" : "",
    view.plainText === undefined ? "" : `plain output: ${view.plainText}`,
    view.answers?.length === 0 ? "answers count for nothing" : "",
    view.answers && view.answers.length > 0 ? `may answer ${view.answers.map(code).join(", ")}` : "",
    view.condition ? "`if` is honoured" : "",
    view.executors ? `runs ${view.executors.join(", ")} rules only` : "",
    view.matchOn === undefined ? "" : view.matchOn === "none" ? "no matcher" : `matchers look at ${code(view.matchOn)}`,
    view.matchAs === "baseName" ? "matchers look at the last part of the path" : "",
    view.timeout === "verdict" ? "a time-out refuses" : "",
    view.limitSeconds === undefined ? "" : `${view.limitSeconds} s`,
  ];
  return notes.filter(Boolean).join("; ");
}

const wireKeys = ({ extra, ...wire }: Readonly<Record<string, unknown>>): string => {
  const inner = typeof extra === "object" && extra !== null ? Object.keys(extra) : [];
  return [...Object.keys(wire).map(code), ...inner.map((key) => code(`extra.${key}`))].join(" ");
};

function viewTable(event: EventName): readonly string[] {
  const { row } = rows[event];
  if (row.views.length === 0) return ["A moment of the chain: no hook of another system sees it.", ""];
  const lines = row.views.map((view) => {
    const own = view.dialect === "gateway" ? gatewayNames({ event, view, payload: row.example }) : [view.name];
    const name = own.length > 1 ? `${code(view.name)} (here ${own.map(code).join(", ")})` : code(view.name);
    return `| ${view.dialect} | ${name} | ${wireKeys(wireExample(event, view))} | ${columns(view)} |`;
  });
  return ["| dialect | name | keys on the wire | |", "| --- | --- | --- | --- |", ...lines, ""];
}

function answerLines(row: AnyRow): readonly string[] {
  const fields = Object.keys(row.answer ?? {});
  if (fields.length === 0) return [];
  return ["Answer:", "", ...fields.map((field) => `- \`${field}\`: ${fieldMeaning(field)}`), ""];
}

const verb = (row: AnyRow): string =>
  ({
    tell: row.row.queued ? "told, nobody waits" : "told",
    ask: "asked",
    wrap: row.row.next === "many" ? "wrapped, `next` may be called again" : "wrapped, `next` once",
  })[row.strategy];

function section(event: EventName): readonly string[] {
  const row = rows[event];
  const facts = [
    verb(row),
    `per ${row.row.scope}`,
    ...(row.row.surface ? ["gateway only"] : []),
    ...(row.method === undefined ? [] : [`chain method \`${row.method}\``]),
    ...(row.row.matchOn === undefined ? [] : [`matchers look at \`${row.row.matchOn}\``]),
    ...(row.row.closed === "never" ? ["a failed rule never refuses"] : []),
    ...(row.row.settles === undefined ? [] : [`a change of \`${row.row.settles}\` is judged again`]),
    `since ${row.row.since}`,
  ];
  return [
    `## ${event}`,
    "",
    row.row.about,
    "",
    `${facts.join(" · ")}.`,
    "",
    ...(when[event] === undefined ? [] : [when[event], ""]),
    ...keyTable(schemaOf(row)),
    ...answerLines(row),
    ...viewTable(event),
  ];
}

function eventsPage(): string {
  const head = [
    "# Lifecycle events",
    "",
    "Written by `npm run generate` from the table in `src/kernel/events/`; do not edit.",
    "",
    "Keys are those of TypeScript handlers. How the wires are read and written: [dialects](dialects.md). The JSON Schema",
    "of each payload, with an example for every wire, is in `schemas/events/`. Keys that may be absent, and keys that",
    "depend on the payload, are missing from the columns `keys on the wire` where the example does not have them.",
    "",
    ...eventNames.map((event) => `- [${event}](#${event.replace(/[:*]/g, "")}): ${rows[event].row.about}`),
    "",
  ];
  return `${[...head, ...eventNames.flatMap(section)].join("\n").trimEnd()}\n`;
}

/** Every generated file, by its path from the root of the repository. */
export function reference(): ReadonlyMap<string, string> {
  return new Map([
    ...eventNames.map((event) => [schemaPath(event), eventSchema(event)] as const),
    ["docs/reference/events.md", eventsPage()],
    ["docs/reference/permission-patterns.md", permissionReference()],
    ["docs/reference/cli.md", cliPage()],
    ["docs/reference/chat.md", chatPage()],
    ["docs/reference/config.md", configReference()],
    ["docs/reference/plugin-context.md", pluginContextPage()],
    ["schemas/config.json", configSchema()],
  ]);
}
