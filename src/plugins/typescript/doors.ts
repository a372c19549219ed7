import { createRequire, registerHooks } from "node:module";
import { pathToFileURL } from "node:url";

const own = createRequire(import.meta.url);
const doors = ["talaria", "talaria/kernel", "talaria/plugin", "talaria/testing"] as const;
/** Files by what plugins may import from anywhere without installing it; found before the hook stands, which would ask itself. */
const files = new Map<string, string>();
const addressOf = (specifier: string): string => pathToFileURL(files.get(specifier) ?? specifier).href;

/** Lets the doors, and `zod` where a plugin brings none, be imported from any folder. */
export function openDoors(): void {
  if (files.size > 0) return;
  for (const name of [...doors, "zod"]) files.set(name, own.resolve(name));
  registerHooks({
    resolve(specifier, context, next) {
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
