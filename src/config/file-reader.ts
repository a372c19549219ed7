import { type Environment, isHostError, readTextIfExists } from "#host";
import type { Mapping } from "./key.ts";
import type { Problem } from "./problem.ts";
import type { ParsedYaml } from "./yaml.ts";

/** A configuration file as plain values, with the places of its keys. */
export interface ConfigFile {
  readonly path: string;
  readonly exists: boolean;
  /** Empty where the file is missing or broken. `${NAME}` in texts is replaced where the environment has NAME. */
  readonly values: Mapping;
  readonly problems: readonly Problem[];
  /** The line of a key, or with a number of an item of a list, from 1; undefined when it does not stand in the file. */
  lineOf(path: readonly (string | number)[]): number | undefined;
  /** The names under a mapping with their lines, in the order of the file; undefined where there is no mapping. */
  entriesOf(path: readonly string[]): readonly FileEntry[] | undefined;
}

export interface FileEntry {
  readonly name: string;
  readonly line: number;
  readonly isMapping: boolean;
  readonly isEmpty: boolean;
}

const nothing = (path: string, exists: boolean, problems: readonly Problem[]): ConfigFile => ({
  path,
  exists,
  values: {},
  problems,
  lineOf: () => undefined,
  entriesOf: () => undefined,
});

/** Reads a YAML file. Never throws: what is wrong with it is in `problems`. */
export async function readConfigFile(path: string, environment: Environment): Promise<ConfigFile> {
  let source: string | undefined;
  try {
    source = (await readTextIfExists(path, { maxBytes: 8 << 20 }))?.text;
  } catch (error) {
    if (!isHostError(error)) throw error;
    return nothing(path, true, [
      { kind: "unreadable_file", key: "", where: path, message: `${error.message}; the defaults are used` },
    ]);
  }
  if (source === undefined) return nothing(path, false, []);
  if (source.trim() === "") return nothing(path, true, []);
  const { parseYaml } = await import("./yaml.ts");
  const parsed = await parseYaml(source);
  return interpret(path, parsed, environment);
}

function interpret(path: string, parsed: ParsedYaml, environment: Environment): ConfigFile {
  const { document, library } = parsed;
  const flaw = syntaxFlaw(parsed);
  if (flaw !== undefined) {
    const where = `${path}:${flaw.at.line}:${flaw.at.col}`;
    const message = `this is not YAML: ${flaw.message}; the defaults are used until it is corrected`;
    return nothing(path, true, [{ kind: "broken_file", key: "", where, message }]);
  }
  let values: unknown;
  try {
    values = document.toJS({ maxAliasCount: 100 });
  } catch (cause) {
    const message = `it cannot be read: ${cause instanceof Error ? cause.message : String(cause)}; the defaults are used`;
    return nothing(path, true, [{ kind: "broken_file", key: "", where: path, message }]);
  }
  if (values === null || values === undefined) return nothing(path, true, []);
  if (!library.isMap(document.contents) || typeof values !== "object") {
    const message = "its top level must be a mapping of keys; the defaults are used until it is corrected";
    return nothing(path, true, [{ kind: "broken_file", key: "", where: `${path}:1`, message }]);
  }
  const places = nodePlaces(parsed);
  return {
    path,
    exists: true,
    values: expand(values, environment) as Mapping,
    problems: duplicateKeys(path, parsed),
    ...places,
  };
}

interface Flaw {
  readonly at: { readonly line: number; readonly col: number };
  readonly message: string;
}

function syntaxFlaw({ document, counter, library }: ParsedYaml): Flaw | undefined {
  const [error] = document.errors;
  if (error !== undefined) {
    const message = error.code === "MULTIPLE_DOCS" ? "a second document begins here" : error.message;
    return { at: counter.linePos(error.pos[0]), message };
  }
  let flaw: Flaw | undefined;
  library.visit(document, {
    Alias(_, alias) {
      if (alias.resolve(document) !== undefined) return undefined;
      flaw = { at: counter.linePos(alias.range?.[0] ?? 0), message: `nothing before it is named &${alias.source}` };
      return library.visit.BREAK;
    },
  });
  return flaw;
}

type Node = ParsedYaml["document"]["contents"];
type MapNode = Extract<Node, { readonly items: readonly unknown[] }> & {
  readonly items: readonly { readonly key: unknown; readonly value: unknown }[];
};

interface Found {
  readonly key: unknown;
  readonly value: unknown;
}

function nodePlaces({ document, counter, library }: ParsedYaml): Pick<ConfigFile, "lineOf" | "entriesOf"> {
  const resolve = (node: unknown): unknown => (library.isAlias(node) ? node.resolve(document) : node);
  const lineOfNode = (node: unknown): number | undefined => {
    const start = library.isNode(node) ? node.range?.[0] : undefined;
    return start === undefined ? undefined : counter.linePos(start).line;
  };
  const stepInto = (node: unknown, step: string | number): Found | undefined => {
    const parent = resolve(node);
    if (typeof step === "number") {
      const item = library.isSeq(parent) ? parent.items[step] : undefined;
      return item === undefined ? undefined : { key: item, value: item };
    }
    if (!library.isMap(parent)) return undefined;
    return parent.items.findLast((pair) => library.isScalar(pair.key) && String(pair.key.value) === step);
  };
  const pairAt = (path: readonly (string | number)[]): Found | undefined => {
    let found: Found | undefined;
    for (const step of path) {
      found = stepInto(found === undefined ? document.contents : found.value, step);
      if (found === undefined) return undefined;
    }
    return found;
  };
  return {
    lineOf: (path) => lineOfNode(pairAt(path)?.key),
    entriesOf: (path) => {
      const map = resolve(path.length === 0 ? document.contents : pairAt(path)?.value);
      if (!library.isMap(map)) return undefined;
      return (map as MapNode).items.flatMap(({ key, value }) => {
        if (!library.isScalar(key) || typeof key.value === "symbol" || key.value === "<<") return [];
        const target = resolve(value);
        const isEmpty = target === null || (library.isScalar(target) && target.value === null);
        return [{ name: String(key.value), line: lineOfNode(key) ?? 1, isMapping: library.isMap(target), isEmpty }];
      });
    },
  };
}

function duplicateKeys(path: string, { document, counter, library }: ParsedYaml): readonly Problem[] {
  const problems: Problem[] = [];
  library.visit(document, {
    Map(_, map) {
      const lines = new Map<string, number>();
      for (const pair of map.items) {
        if (!library.isScalar(pair.key) || pair.key.range == null) continue;
        const name = String(pair.key.value);
        const { line } = counter.linePos(pair.key.range[0]);
        const first = lines.get(name);
        if (first !== undefined && name !== "<<") {
          const message = `${name} stands here a second time (first on line ${first}); the last one counts`;
          problems.push({ kind: "duplicate_key", key: name, where: `${path}:${line}`, message });
        }
        lines.set(name, line);
      }
    },
  });
  return problems;
}

/** Replaces `${NAME}` in all texts by the environment's value; unknown names stay as they are. */
function expand(value: unknown, environment: Environment): unknown {
  if (typeof value === "string") {
    return value.includes("${")
      ? value.replaceAll(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (whole, name: string) => environment[name] ?? whole)
      : value;
  }
  if (Array.isArray(value)) return value.map((item) => expand(item, environment));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, expand(item, environment)]));
}
