import { HostError } from "./error.ts";

/** Throws `invalid_path` for names that no file system takes. */
export function checkPath(path: string): void {
  if (path === "") throw new HostError("invalid_path", "the path is empty");
  if (path.includes("\0")) {
    const shown = JSON.stringify(path);
    throw new HostError("invalid_path", `the path ${shown} holds a NUL character`, { subject: path });
  }
}
