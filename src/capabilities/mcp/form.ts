export type Fields = Readonly<Record<string, unknown>>;

/** What a server is told. */
export interface Reply {
  readonly action: "accept" | "decline" | "cancel";
  readonly content?: Fields;
}

type Ask = (text: string, choices: readonly string[]) => Promise<string | undefined>;
type Value = string | number | boolean | readonly string[];

/** Times that one field is asked for before the form is given up. */
const mostTries = 3;

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const texts = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : []);

/** Asks for the fields of a form one after another. `decline`: the person says so; `cancel`: they went away or gave up. */
export async function formAnswer(head: string, schema: Fields, ask: Ask): Promise<Reply> {
  const fields = Object.entries(isFields(schema["properties"]) ? schema["properties"] : {});
  const choice = await ask(head, [fields.length === 0 ? "accept" : "answer", "decline"]);
  if (choice === undefined) return { action: "cancel" };
  if (!/^(accept|answer|y|yes|ok)$/i.test(choice.trim())) return { action: "decline" };
  const required = new Set(texts(schema["required"]));
  const content: Record<string, Value> = {};
  for (const [name, given] of fields) {
    const value = await fieldValue(name, isFields(given) ? given : {}, { ask, isRequired: required.has(name) });
    if (value === undefined) return { action: "cancel" };
    if (value !== nothing) content[name] = value;
  }
  return { action: "accept", content };
}

const nothing = Symbol("left out");

interface Asking {
  readonly ask: Ask;
  readonly isRequired: boolean;
}

async function fieldValue(
  name: string,
  field: Fields,
  { ask, isRequired }: Asking,
): Promise<Value | typeof nothing | undefined> {
  const options = optionsOf(field);
  let complaint = "";
  for (let attempt = 0; attempt < mostTries; attempt += 1) {
    const text = `${complaint}${labelOf(name, field, isRequired)}`;
    const line = await ask(
      text,
      options.map(({ title }) => title),
    );
    if (line === undefined) return undefined;
    if (line.trim() === "") {
      const fallback = field["default"];
      if (fallback !== undefined) return fallback as Value;
      if (!isRequired) return nothing;
      complaint = "It is needed. ";
      continue;
    }
    const read = readValue(line.trim(), field, options);
    if (typeof read !== "object" || Array.isArray(read)) return read as Value;
    complaint = `${(read as Wrong).wrong} `;
  }
  return undefined;
}

function labelOf(name: string, field: Fields, isRequired: boolean): string {
  const about = [field["title"] ?? name, field["description"]].filter((part) => typeof part === "string").join(": ");
  const fallback = field["default"] === undefined ? "" : `, empty means ${JSON.stringify(field["default"])}`;
  const several = field["type"] === "array" ? ", several parted by commas" : "";
  return `${about} (${String(field["type"] ?? "text")}${isRequired ? "" : ", may be empty"}${several}${fallback})`;
}

interface Option {
  readonly value: Value;
  readonly title: string;
}

/** What can be chosen: `enum` with `enumNames`, `oneOf` or `anyOf` with `const` and `title`; yes and no. */
function optionsOf(field: Fields): readonly Option[] {
  if (field["type"] === "boolean") {
    return [
      { value: true, title: "yes" },
      { value: false, title: "no" },
    ];
  }
  const place = field["type"] === "array" && isFields(field["items"]) ? field["items"] : field;
  const titles = texts(place["enumNames"]);
  const listed = texts(place["enum"]).map((value, at) => ({ value, title: titles[at] ?? value }));
  const titled = [place["oneOf"], place["anyOf"]].flatMap((all) => (Array.isArray(all) ? all : [])).filter(isFields);
  return [
    ...listed,
    ...titled.map((one) => ({ value: String(one["const"]), title: String(one["title"] ?? one["const"]) })),
  ];
}

interface Wrong {
  readonly wrong: string;
}

function readValue(line: string, field: Fields, options: readonly Option[]): Value | Wrong {
  const { type } = field;
  if (type === "array") {
    const chosen = line.split(",").map((word) => chosenOf(word.trim(), options));
    const wrong = chosen.find((one) => typeof one === "object");
    return wrong === undefined ? (chosen as readonly string[]) : wrong;
  }
  if (options.length > 0) return chosenOf(line, options);
  if (type !== "number" && type !== "integer") return line;
  const number = Number(line);
  if (!Number.isFinite(number) || (type === "integer" && !Number.isInteger(number)))
    return { wrong: `'${line}' is no ${type === "integer" ? "whole number" : "number"}.` };
  return number;
}

function chosenOf(line: string, options: readonly Option[]): string | number | boolean | Wrong {
  if (options.length === 0) return line;
  const same = (one: string): boolean => one.toLowerCase() === line.toLowerCase();
  const found = options.find(({ title }) => same(title)) ?? options.find(({ value }) => same(String(value)));
  const value = found?.value;
  return value === undefined || typeof value === "object" ? { wrong: `'${line}' is none of the choices.` } : value;
}
