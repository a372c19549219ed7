import { registerHooks } from "node:module";
import { dirname } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const mark = "talaria-fresh";
/** What such a reading puts behind the name of a file. */
export const readingMark = /\?talaria-fresh=[^\s:)]+/g;
let isHooked = false;
let readings = 0;

/** How often a process has read modules anew by Node itself. */
export const freshReadings = (): number => readings;

/**
 * Reads a module, and what it imports of its own folder, by Node itself as they are now. Node keeps each reading for ever: for
 * readings that are few. Packages are not read anew.
 */
export async function importFresh(entry: string): Promise<Readonly<Record<string, unknown>>> {
  hook();
  readings += 1;
  const url = pathToFileURL(entry);
  url.searchParams.set(mark, `${readings}:${dirname(entry)}`);
  return (await import(url.href)) as Readonly<Record<string, unknown>>;
}

/** Whoever was read anew has its neighbours read anew. */
function hook(): void {
  if (isHooked) return;
  isHooked = true;
  registerHooks({
    resolve(specifier, context, next) {
      const found = next(specifier, context);
      const which = context.parentURL?.includes(mark) ? new URL(context.parentURL).searchParams.get(mark) : null;
      if (which === null || !found.url.startsWith("file:") || found.url.includes("/node_modules/")) return found;
      const folder = which.slice(which.indexOf(":") + 1);
      if (!fileURLToPath(found.url).startsWith(`${folder}/`) || !/\.[cm]?[jt]s$/.test(found.url)) return found;
      const url = new URL(found.url);
      url.searchParams.set(mark, which);
      return { ...found, url: url.href };
    },
  });
}
