import { variablesOf } from "./config.ts";
import { hermesPaths } from "./hermes-keys.ts";
import type { Key, Shape } from "./key.ts";
import { type KeyPath, keyAt, keyPaths } from "./keys/index.ts";
import { describeShape } from "./value.ts";

const rowOf = (path: KeyPath): Key => {
  const key = keyAt(path);
  if (key === undefined) throw new TypeError(`no such key: ${path}`);
  return key;
};

const cell = (text: string): string => text.replaceAll("|", "\\|");

function describeDefault(value: unknown): string {
  if (value === undefined) return "";
  if (Array.isArray(value) && value.length === 0) return "`[]`";
  return `\`${JSON.stringify(value)}\``;
}

function tableRow(path: KeyPath): string {
  const key = rowOf(path);
  const variables = variablesOf(key).map((name) => `\`${name}\``);
  const aliases = (key.aliases ?? []).map((name) => `\`${name}\``);
  const about = aliases.length === 0 ? key.about : `${key.about} Also read from ${aliases.join(", ")}.`;
  const cells = [`\`${path}\``, describeShape(key.shape), describeDefault(key.default), variables.join(", "), about];
  return `| ${cells.map(cell).join(" | ")} |`;
}

const introduction = `<!-- Made by \`npm run generate\` from src/config/keys. -->
# Configuration

Settings stand in \`config.yaml\` in the [home](home.md). \`talaria config check\` names every mistake with its line,
\`config get\`, \`set\` and \`edit\` read and change it, \`config path\` says where it is. Editors complete it with
\`schemas/config.json\`.

A value comes from the first of: the command line, an environment variable, the file, the default; \`talaria config get\`
says which. A value of the wrong kind is reported and costs only itself. A file that is not YAML is reported with line
and column, and the defaults are used until it is corrected. With \`TALARIA_SAFE_MODE=1\` or
\`TALARIA_IGNORE_USER_CONFIG=1\` the file is left out.

The file is read as Hermes reads it: \`yes\`, \`no\`, \`on\` and \`off\` are true and false, \`y\` and \`n\` are text, \`010\` is
eight. Two things differ: \`12:30\` is text, and dates are. Of a key that stands twice the last one counts, with a warning.
\`\${NAME}\` in a text becomes the value of that environment variable, where there is one. Keys of Hermes that Talaria
does not use pass in silence, as do keys that begin with \`x-\`.
`;

/** The page docs/reference/config.md. */
export function configReference(): string {
  const sections = Map.groupBy(keyPaths, (path) => (path.includes(".") ? (path.split(".", 1)[0] ?? "") : ""));
  const tables = [...sections].map(([section, paths]) => {
    const head = "| key | value | default | environment | about |\n| --- | --- | --- | --- | --- |";
    return `## ${section === "" ? "At the top level" : section}\n\n${head}\n${paths.map(tableRow).join("\n")}\n`;
  });
  return [introduction, ...tables].join("\n");
}

type JsonSchema = Record<string, unknown>;

function shapeSchema(shape: Shape): JsonSchema {
  switch (shape.kind) {
    case "text":
    case "time zone":
      return { type: "string" };
    case "choice":
      return { enum: [...shape.choices] };
    case "integer":
    case "number": {
      const { min, max } = shape;
      return {
        type: shape.kind,
        ...(min === undefined ? {} : { minimum: min }),
        ...(max === undefined ? {} : { maximum: max }),
      };
    }
    case "switch":
      return { type: "boolean" };
    case "texts":
      return { type: "array", items: { type: "string" } };
    case "mapping":
      return { type: "object" };
    case "list":
      return { type: "array" };
    case "anything":
      return {};
  }
}

function keySchema(key: Key): JsonSchema {
  const shape = shapeSchema(key.shape);
  const words = Object.keys(key.words ?? {}).map((word) => word === "true");
  const allowed = Array.isArray(shape["enum"]) && words.length > 0 ? { enum: [...shape["enum"], ...words] } : shape;
  return { description: key.about, ...allowed, ...(key.default === undefined ? {} : { default: key.default }) };
}

/** Puts a schema at a path of nested objects. */
function place(root: JsonSchema, path: readonly string[], schema: JsonSchema): void {
  let properties = root;
  for (const name of path.slice(0, -1)) {
    properties[name] ??= sectionSchema();
    const section = properties[name] as JsonSchema;
    const object = (Array.isArray(section["anyOf"]) ? section["anyOf"][0] : section) as JsonSchema;
    properties = object["properties"] as JsonSchema;
  }
  const name = path.at(-1) ?? "";
  const present = properties[name] as JsonSchema | undefined;
  if (present === undefined) properties[name] = schema;
  else if (present["properties"] !== undefined) properties[name] = { anyOf: [present, schema] };
}

const sectionSchema = (): JsonSchema => ({
  type: ["object", "null"],
  properties: {},
  additionalProperties: false,
  patternProperties: { "^x-": {} },
});

/** The JSON Schema of config.yaml, as the text of schemas/config.json. */
export function configSchema(): string {
  const root: JsonSchema = {};
  for (const path of keyPaths) place(root, path.split("."), keySchema(rowOf(path)));
  for (const path of keyPaths) {
    const key = rowOf(path);
    const description = `An older place of ${path}.`;
    for (const alias of key.aliases ?? [])
      place(root, alias.split("."), { ...shapeSchema(key.shape), description, deprecated: true });
  }
  for (const path of hermesPaths)
    place(root, path.split("."), { description: "A setting of Hermes that is not used here." });
  const schema = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Talaria configuration",
    ...sectionSchema(),
    properties: root,
  };
  return `${JSON.stringify(schema, null, 2)}\n`;
}
