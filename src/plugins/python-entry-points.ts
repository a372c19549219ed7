import { join } from "node:path";
import { list, readText } from "#host";

/** A plugin that a Python package offers in one of the groups of entry points. */
export interface EntryPoint {
  readonly name: string;
  readonly module: string;
  readonly attribute: string;
  readonly version: string;
  readonly description: string;
}

/** Later groups win over earlier ones on one name. */
const entryPointGroups = ["hermes_agent.plugins", "talaria.plugins"] as const;

const cached = new Map<string, Promise<readonly EntryPoint[]>>();

/**
 * Reads `*.dist-info/entry_points.txt` and `*.egg-info/entry_points.txt` of `site-packages` folders; no Python is
 * started. Folders are read once for a process, `fresh` reads them again.
 */
export async function pythonEntryPoints(
  folders: readonly string[],
  { fresh = false }: { readonly fresh?: boolean } = {},
): Promise<readonly EntryPoint[]> {
  const found = await Promise.all(
    folders.map((folder) => {
      const known = fresh ? undefined : cached.get(folder);
      const reading = known ?? readFolder(folder);
      cached.set(folder, reading);
      return reading;
    }),
  );
  return found.flat();
}

async function readFolder(folder: string): Promise<readonly EntryPoint[]> {
  const entries = await list(folder).catch(() => []); // an interpreter names folders that need not be there
  const packages = entries.filter(({ name }) => /\.(?:dist|egg)-info$/.test(name));
  const found = await Promise.all(packages.map(({ name }) => readPackage(join(folder, name))));
  return found.flat();
}

async function readPackage(folder: string): Promise<readonly EntryPoint[]> {
  const text = await textOf(join(folder, "entry_points.txt"));
  if (text === undefined || !entryPointGroups.some((group) => text.includes(group))) return [];
  const metadata = (await textOf(join(folder, "METADATA"))) ?? (await textOf(join(folder, "PKG-INFO"))) ?? "";
  const version = /^Version: (.*)$/m.exec(metadata)?.[1]?.trim() ?? "";
  const description = /^Summary: (.*)$/m.exec(metadata)?.[1]?.trim() ?? "";
  return parseEntryPoints(text).map((point) => ({ ...point, version, description }));
}

const textOf = (file: string): Promise<string | undefined> =>
  readText(file, { maxBytes: 1 << 20 }).then(
    ({ text }) => text,
    () => undefined, // most packages have none
  );

/** The rows of our groups in an `entry_points.txt`: `name = package.module:attribute [extras]`. */
function parseEntryPoints(
  text: string,
): readonly { readonly name: string; readonly module: string; readonly attribute: string }[] {
  const found = new Map<string, { readonly name: string; readonly module: string; readonly attribute: string }>();
  let group = "";
  for (const raw of text.split(/\r?\n/)) {
    const line = raw.trim();
    if (line === "" || line.startsWith("#") || line.startsWith(";")) continue;
    const header = /^\[(.+)\]$/.exec(line);
    if (header !== null) group = header[1]?.trim() ?? "";
    else if (entryPointGroups.some((one) => one === group)) {
      const row = /^([^=]+?)\s*=\s*([\w.]+)\s*(?::\s*([\w.]+))?\s*(?:\[.*\])?$/.exec(line);
      if (row?.[1] !== undefined && row[2] !== undefined)
        found.set(row[1], { name: row[1], module: row[2], attribute: row[3] ?? "" });
    }
  }
  return [...found.values()];
}
