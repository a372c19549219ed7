import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { reference } from "./reference.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

const read = (path: string): string | undefined => {
  try {
    return readFileSync(join(root, path), "utf8");
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw cause;
  }
};

/** Generated files of earlier tables that no event has now. */
function left(files: ReadonlyMap<string, string>): readonly string[] {
  const found = readdirSync(join(root, "schemas/events")).map((name) => `schemas/events/${name}`);
  return found.filter((path) => path.endsWith(".json") && !files.has(path));
}

mkdirSync(join(root, "schemas/events"), { recursive: true });
const files = reference();
const stale = [...files].filter(([path, text]) => read(path) !== text).map(([path]) => path);
const superfluous = left(files);

if (process.argv.includes("--check")) {
  for (const path of [...stale, ...superfluous]) console.error(`${path} is stale: run npm run generate`);
  process.exitCode = stale.length + superfluous.length > 0 ? 1 : 0;
} else {
  for (const path of stale) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), files.get(path) ?? "");
  }
  for (const path of superfluous) rmSync(join(root, path));
  console.log(`${files.size} files, ${stale.length} written, ${superfluous.length} removed`);
}
