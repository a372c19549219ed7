import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";

export interface Planted {
  readonly status: number;
  readonly output: string;
}

/** Runs a checker of the house in a folder that holds only `files` and the house's own configuration. */
export function plant(files: Readonly<Record<string, string>>, tool: string, args: readonly string[]): Planted {
  const folder = mkdtempSync(join(tmpdir(), "talaria-house-"));
  try {
    for (const name of ["package.json", "tsconfig.json", "biome.json", ".dependency-cruiser.mjs", ".gitignore"]) {
      cpSync(resolve(name), join(folder, name));
    }
    symlinkSync(resolve("node_modules"), join(folder, "node_modules"));
    mkdirSync(join(folder, ".git"));
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
    const result = spawnSync(process.execPath, [resolve("node_modules", tool), ...args], {
      cwd: folder,
      encoding: "utf8",
    });
    return { status: result.status ?? -1, output: result.stdout + result.stderr };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
