import type { Document, DocumentOptions, LineCounter, ParseOptions, ScalarTag, SchemaOptions, Tags } from "yaml";

type Yaml = typeof import("yaml");

/** The library is loaded when a file is there to be read, not before. A bundle gives a CommonJS package as `default` alone. */
export async function yamlLibrary(): Promise<Yaml> {
  const loaded: Yaml | { readonly default: Yaml } = await import("yaml");
  return "LineCounter" in loaded ? loaded : loaded.default;
}

function scalarTag(tag: string, test: RegExp, resolve: (text: string) => unknown): ScalarTag {
  return { tag: `tag:yaml.org,2002:${tag}`, default: true, test, resolve };
}

const withoutLines = (text: string): string => text.replaceAll("_", "");

function readFloat(text: string): number {
  const lower = withoutLines(text).toLowerCase();
  if (lower.endsWith(".inf")) return lower.startsWith("-") ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  return lower.endsWith(".nan") ? Number.NaN : Number.parseFloat(lower);
}

function readOctal(text: string): number {
  const digits = withoutLines(text);
  const value = Number.parseInt(digits.replace(/^[-+]?0/, "") || "0", 8);
  return digits.startsWith("-") ? -value : value;
}

/**
 * The plain words that PyYAML reads as something else than text, so that a file written for Hermes means the same here.
 * Left out: numbers to the base of sixty (`12:30` stays text) and dates.
 */
const pythonScalars: readonly ScalarTag[] = [
  {
    ...scalarTag("null", /^(?:~|null|Null|NULL|)$/, () => null),
    identify: (value) => value === null || value === undefined,
    stringify: (_, context) => context.options.nullStr,
  },
  {
    ...scalarTag("bool", /^(?:yes|Yes|YES|true|True|TRUE|on|On|ON)$/, () => true),
    identify: (value) => value === true,
    stringify: () => "true",
  },
  {
    ...scalarTag("bool", /^(?:no|No|NO|false|False|FALSE|off|Off|OFF)$/, () => false),
    identify: (value) => value === false,
    stringify: () => "false",
  },
  scalarTag("int", /^[-+]?0b[01_]+$/, (text) => {
    const value = Number.parseInt(withoutLines(text).replace(/^[-+]?0b/, ""), 2);
    return text.startsWith("-") ? -value : value;
  }),
  scalarTag("int", /^[-+]?0x[0-9a-fA-F_]+$/, (text) => {
    const value = Number.parseInt(withoutLines(text).replace(/^[-+]?0x/, ""), 16);
    return text.startsWith("-") ? -value : value;
  }),
  scalarTag("int", /^[-+]?0[0-7_]+$/, readOctal),
  {
    ...scalarTag("int", /^[-+]?(?:0|[1-9][0-9_]*)$/, (text) => Number(withoutLines(text))),
    identify: (value) => typeof value === "number" && Number.isInteger(value),
    stringify: ({ value }) => String(value),
  },
  {
    ...scalarTag(
      "float",
      /^(?:[-+]?[0-9][0-9_]*\.[0-9_]*(?:[eE][-+][0-9]+)?|\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/,
      readFloat,
    ),
    identify: (value) => typeof value === "number",
    stringify: ({ value }) => writeFloat(Number(value)),
  },
];

function writeFloat(value: number): string {
  if (Number.isNaN(value)) return ".nan";
  if (!Number.isFinite(value)) return value > 0 ? ".inf" : "-.inf";
  const text = String(value);
  return /^-?\d+e/.test(text) ? text.replace("e", ".0e") : text;
}

export type YamlOptions = ParseOptions & DocumentOptions & SchemaOptions;

/** How configuration is read and written. Keys that stand twice are found by our own check, since PyYAML takes the last. */
export function yamlOptions(counter: LineCounter): YamlOptions {
  return {
    lineCounter: counter,
    schema: "failsafe",
    customTags: (tags: Tags) => [
      ...tags.filter((tag) => typeof tag !== "object" || tag.tag !== "tag:yaml.org,2002:null"),
      ...pythonScalars,
    ],
    merge: true,
    uniqueKeys: false,
    logLevel: "error",
    prettyErrors: false,
  };
}

export interface ParsedYaml {
  readonly document: Document.Parsed;
  readonly counter: LineCounter;
  readonly library: Yaml;
}

/** Parses without throwing; syntax errors are in `document.errors`. */
export async function parseYaml(source: string): Promise<ParsedYaml> {
  const library = await yamlLibrary();
  const counter = new library.LineCounter();
  return { document: library.parseDocument(source, yamlOptions(counter)), counter, library };
}
