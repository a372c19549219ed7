type Schema = Readonly<Record<string, unknown>>;

const isSchema = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A value that a JSON schema allows, as plain as can be: of an object the required properties only. */
export function exampleOf(schema: unknown, depth = 0): unknown {
  if (!isSchema(schema) || depth > 8) return "example";
  const { const: constant, enum: choices, default: usual, examples } = schema;
  if (constant !== undefined) return constant;
  const [first] = [...list(examples), ...list(choices)];
  if (first !== undefined) return first;
  if (usual !== undefined) return usual;
  const [branch] = [...list(schema["anyOf"]), ...list(schema["oneOf"])];
  if (branch !== undefined) return exampleOf(branch, depth + 1);
  return byType(schema, depth);
}

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

function byType(schema: Schema, depth: number): unknown {
  const type = Array.isArray(schema["type"]) ? schema["type"][0] : schema["type"];
  switch (type) {
    case "object": {
      const properties = isSchema(schema["properties"]) ? schema["properties"] : {};
      const names = list(schema["required"]).filter((name): name is string => typeof name === "string");
      return Object.fromEntries(names.map((name) => [name, exampleOf(properties[name], depth + 1)]));
    }
    case "array":
      return Number(schema["minItems"] ?? 0) > 0 ? [exampleOf(schema["items"], depth + 1)] : [];
    case "integer":
    case "number":
      return typeof schema["minimum"] === "number" ? schema["minimum"] : 1;
    case "boolean":
      return false;
    case "null":
      return null;
    default:
      return "example";
  }
}
