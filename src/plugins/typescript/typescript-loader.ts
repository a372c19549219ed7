import { PluginError, thrownText } from "../error.ts";
import type { IsolationPorts } from "../isolate/isolated-plugin.ts";
import type { PluginLoader } from "../loader.ts";
import type { PluginContext, PluginModule } from "../plugin-context.ts";
import { readingMark } from "./fresh-modules.ts";
import { readModule } from "./module-reader.ts";

type Register = PluginModule["register"];

export interface TypescriptParts {
  /** The code of plugins, by key, that is at hand already. */
  readonly given?: ReadonlyMap<string, PluginModule>;
  /** Absent: no plugin can have a process of its own. */
  readonly isolation?: IsolationPorts;
}

/**
 * Loads TypeScript and JavaScript plugins into this process, and those that say `isolate: true` into one of their own. Nothing
 * is kept of a module that was read anew.
 */
export function typescriptLoader({ given, isolation }: TypescriptParts = {}): PluginLoader<"typescript"> {
  return {
    language: "typescript",
    async load(candidate, context, { fresh }) {
      const { key, code, manifest } = candidate;
      if (code.language !== "typescript") throw new PluginError("not_loadable", `${key} is no TypeScript plugin`);
      const isAlone = context.config["isolate"] ?? manifest.raw["isolate"];
      if (isAlone === true && given?.has(key) !== true) {
        if (isolation === undefined)
          throw new PluginError("not_loadable", `${key}: no process of its own can be had here`);
        const { IsolatedPlugin } = await import("../isolate/isolated-plugin.ts");
        const isolated = new IsolatedPlugin(candidate, context, isolation);
        await isolated.load();
        return { unload: () => isolated.unload() };
      }
      await loadModule(code.entry, context, { fresh, given: given?.get(key) });
      return { unload: async () => undefined };
    },
    close: async () => undefined,
  };
}

/** Reads a plugin's module and runs its `register`. */
export async function loadModule(
  entry: string,
  context: PluginContext,
  { fresh, given }: { readonly fresh: boolean; readonly given?: PluginModule | undefined },
): Promise<void> {
  let module: Readonly<Record<string, unknown>>;
  try {
    module = given === undefined ? await readModule(entry, { fresh }) : { default: given };
  } catch (error) {
    throw new PluginError("not_loadable", importFailure(entry, error), error);
  }
  const register = registerOf(module);
  if (register === undefined)
    throw new PluginError(
      "no_register",
      `no register() function in ${entry}: export it by name, or an object with it by default`,
    );
  await register(await configured(module, context));
}

/** `register` by name, or the default export: the function itself, or an object that has it. CommonJS included. */
function registerOf(module: Readonly<Record<string, unknown>>): Register | undefined {
  const inner = module["default"];
  const candidates = [
    module,
    inner,
    typeof inner === "object" && inner !== null ? (inner as Readonly<Record<string, unknown>>)["default"] : undefined,
  ];
  for (const candidate of candidates) {
    if (typeof candidate === "function") return candidate as Register;
    if (typeof candidate !== "object" || candidate === null) continue;
    const { register } = candidate as { readonly register?: unknown };
    if (typeof register === "function") return (given) => (register as Register).call(candidate, given);
  }
  return undefined;
}

/** The context with what the plugin's own schema makes of its configuration. */
async function configured(module: Readonly<Record<string, unknown>>, context: PluginContext): Promise<PluginContext> {
  const schemaOf = exported(module, "config");
  if (typeof schemaOf !== "function") return context;
  const z = await import("zod");
  const schema = schemaOf(z) as { safeParse(given: unknown): { success: boolean; data?: unknown; error?: Error } };
  const parsed = schema.safeParse(context.config);
  if (parsed.success)
    return Object.defineProperties({} as PluginContext, {
      ...Object.getOwnPropertyDescriptors(context),
      config: { value: parsed.data, enumerable: true },
    });
  const { issues = [] } = parsed.error as unknown as { readonly issues?: readonly Issue[] };
  const told = issues.map(({ path, message }) => `${["plugins.entries", context.key, ...path].join(".")}: ${message}`);
  throw new PluginError("not_loadable", told.join("; "), parsed.error);
}

interface Issue {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

function exported(module: Readonly<Record<string, unknown>>, name: string): unknown {
  const inner = module["default"];
  if (typeof inner === "object" && inner !== null && name in inner)
    return (inner as Readonly<Record<string, unknown>>)[name];
  return module[name];
}

/** A wrong syntax as jiti tells it: the place stands behind the words. */
const placedBehind = /^(ParseError: .*?)\s*\n\s*(\S+:\d+:\d+)\s*$/;
const missingPackage = /Cannot find (?:package|module) '([^']+)'/;

function importFailure(entry: string, error: unknown): string {
  const text = thrownText(error).replaceAll(readingMark, "");
  const missing = missingPackage.exec(text)?.[1];
  if (missing !== undefined)
    return /^[./]/.test(missing)
      ? `${entry}: there is no ${missing}`
      : `${entry}: the package '${missing}' is missing: install it into the plugin's folder`;
  const [, message, where] = placedBehind.exec(text) ?? [];
  if (message !== undefined) return `${where}: ${message}`;
  const place = text.includes(entry) ? "" : `${placeOf(entry, error) ?? entry}: `;
  return `${place}${text}`;
}

/** The line at which an error arose, as `file:line:column`. */
function placeOf(entry: string, error: unknown): string | undefined {
  if (!(error instanceof Error) || error.stack === undefined) return undefined;
  const folder = entry.slice(0, entry.lastIndexOf("/") + 1);
  const stack = error.stack.replaceAll(readingMark, "");
  const at = stack.indexOf(folder);
  return at < 0 ? undefined : /^\S+?:\d+(?::\d+)?/.exec(stack.slice(at))?.[0];
}
