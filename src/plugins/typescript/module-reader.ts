import { pathToFileURL } from "node:url";
import { after, readText, textNow } from "#host";
import { doorModules, importModule, openDoors } from "./doors.ts";
import { freshReadings, importFresh } from "./fresh-modules.ts";

type Module = Readonly<Record<string, unknown>>;

/** Codes of failures before any code of the plugin ran, which the second reader may get over. */
const unreadable = new Set([
  "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX",
  "ERR_INVALID_TYPESCRIPT_SYNTAX",
  "ERR_UNKNOWN_FILE_EXTENSION",
  "ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING",
  "ERR_UNSUPPORTED_DIR_IMPORT",
  "ERR_MODULE_NOT_FOUND",
  "MODULE_NOT_FOUND",
  "ERR_UNKNOWN_MODULE_FORMAT",
  "ERR_REQUIRE_ASYNC_MODULE",
]);

/** Modules that a process reads anew by Node itself, which is quick at once but keeps them; the others jiti reads, which is not quick at first. */
const mostFreshByNode = 5;
/** Milliseconds after such a reading in which jiti is made ready. */
const calmMs = 2_000;

/** Reads a module: by Node itself, which strips types; where that cannot be, or it was often read before, by jiti. */
export async function readModule(entry: string, { fresh }: { readonly fresh: boolean }): Promise<Module> {
  const isModule = isPlainModule(entry);
  if (fresh && (freshReadings() >= mostFreshByNode || !isModule)) return readByJiti(entry);
  if (fresh && freshReadings() === 0) after(calmMs, () => void import("jiti/static"));
  openDoors();
  try {
    if (fresh) return await importFresh(entry);
    return isModule ? await importModule(entry) : ((await import(pathToFileURL(entry).href)) as Module);
  } catch (error) {
    if (!mayBeReadOtherwise(error)) throw error;
    try {
      return await readByJiti(entry);
    } catch (second) {
      throw chosen(error, second);
    }
  }
}

/** Enums, imports without an extension, types that are imported as values: valid TypeScript that Node does not take. */
function mayBeReadOtherwise(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof SyntaxError) return true;
  return "code" in error && typeof error.code === "string" && unreadable.has(error.code);
}

/** Of two failures the one that a person can use: a missing package is named by Node, a wrong syntax with its place by jiti. */
const chosen = (native: unknown, second: unknown): unknown =>
  native instanceof SyntaxError || isMissing(second) || !isMissing(native) ? second : native;

const isMissing = (error: unknown): boolean =>
  error instanceof Error && "code" in error && /MODULE_NOT_FOUND$/.test(String(error.code));

/** Node keeps CommonJS under the file's name, however it is asked for. */
function isPlainModule(entry: string): boolean {
  if (!/\.m?[jt]s$/.test(entry)) return false;
  const text = textNow(entry) ?? "";
  if (!/^\s*(?:import|export)\b/m.test(text)) return false;
  return !/\brequire\s*\(|\bmodule\.exports\b|^\s*exports\.\w/m.test(text);
}

async function readByJiti(entry: string): Promise<Module> {
  const { createJiti } = await import("jiti/static");
  const jiti = createJiti(pathToFileURL(entry).href, {
    tryNative: false,
    moduleCache: false,
    fsCache: false,
    interopDefault: true,
    virtualModules: doorModules(),
  });
  /** What is evaluated by hand is never taken from what Node keeps. */
  const evaluated = async (isAsync: boolean): Promise<Module> => {
    const { text } = await readText(entry);
    return (await jiti.evalModule(text, { filename: entry, async: isAsync, forceTranspile: true })) as Module;
  };
  if (entry.endsWith(".cjs")) return evaluated(false);
  try {
    // As `require` does it: `import()` leaves modules of JavaScript to Node, which keeps them for ever.
    return jiti(entry) as Module;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    // It awaits something while it is loaded: Node alone reads that, and what it imports, as they are now.
    return importFresh(entry).catch(() => evaluated(true));
  }
}
