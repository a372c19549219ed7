import { createRequire, registerHooks } from "node:module";
import { pathToFileURL } from "node:url";

const own = createRequire(import.meta.url);
const doors = ["talaria", "talaria/kernel", "talaria/plugin", "talaria/testing"] as const;
/** Files by what plugins may import from anywhere without installing it; found before the hook stands, which would ask itself. */
const files = new Map<string, string>();
const addressOf = (specifier: string): string => pathToFileURL(files.get(specifier) ?? specifier).href;

/** Files that are ES modules for sure, by address: Node need not find that out, for which it would read them twice. */
const modules = new Map<string, string>();

/** Imports a file whose text is that of an ES module. */
export function importModule(entry: string): Promise<Readonly<Record<string, unknown>>> {
  openDoors();
  const { href } = pathToFileURL(entry);
  modules.set(href, /\.m?ts$/.test(entry) ? "module-typescript" : "module");
  return import(href) as Promise<Readonly<Record<string, unknown>>>;
}

/** Lets the doors, and `zod` where a plugin brings none, be imported from any folder. */
export function openDoors(): void {
  if (files.size > 0) return;
  for (const name of [...doors, "zod"]) files.set(name, own.resolve(name));
  registerHooks({
    resolve(specifier, context, next) {
      const format = modules.get(specifier);
      if (format !== undefined) return { url: specifier, format, shortCircuit: true };
      if (specifier !== "zod")
        return files.has(specifier) ? { url: addressOf(specifier), shortCircuit: true } : next(specifier, context);
      try {
        return next(specifier, context);
      } catch {
        return { url: addressOf(specifier), shortCircuit: true }; // the plugin brings none: ours
      }
    },
  });
}

/** The very modules that the program has, loaded when they are asked for: a plugin that is read anew gets no copies. */
export function doorModules(): Record<string, unknown> {
  openDoors();
  const found: Record<string, unknown> = {};
  for (const name of doors)
    Object.defineProperty(found, name, { enumerable: true, get: () => own(files.get(name) ?? name) as unknown });
  return found;
}
