import { lstat, readlink, realpath } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { fileError, HostError, systemCode } from "./error.ts";

const unfollowed = new Set(["ENOENT", "ENOTDIR", "EACCES", "ELOOP"]);

/** The file that a write to `path` reaches: all links followed, those of missing parts, too, and also those that lead to nothing yet. Throws `invalid_path` for circles. */
export async function writeTarget(path: string): Promise<string> {
  let current = resolve(path);
  const missing: string[] = [];
  for (let hops = 0; hops < 200; hops += 1) {
    try {
      return join(await realpath(current), ...missing);
    } catch (error) {
      if (!unfollowed.has(systemCode(error) ?? "")) throw fileError("write", path, error);
    }
    const facts = await lstat(current).catch(() => undefined); // missing, or not ours to see: its directory is looked at next
    if (facts?.isSymbolicLink() === true) {
      current = resolve(dirname(current), await readlink(current));
    } else {
      missing.unshift(basename(current));
      if (dirname(current) === current) return join(current, ...missing);
      current = dirname(current);
    }
  }
  throw new HostError("invalid_path", `the symbolic links of ${path} go in a circle`, { subject: path });
}
