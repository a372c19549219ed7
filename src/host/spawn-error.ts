import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { HostError, systemCode } from "./error.ts";

/** Why a program was not started, in words that name it and what to do. */
export function spawnError(file: string, cwd: string, cause: unknown): HostError {
  const facts = { subject: file, cause };
  switch (systemCode(cause)) {
    case "ENOENT":
      if (!existsSync(cwd)) {
        return new HostError("not_found", `cannot start ${file}: its working directory ${cwd} does not exist`, facts);
      }
      if (file.includes("/") && existsSync(resolve(cwd, file))) {
        const why = "the interpreter named in its first line was not found (or that line ends in a Windows line break)";
        return new HostError("not_found", `cannot start ${file}: ${why}`, facts);
      }
      return new HostError(
        "not_found",
        file.includes("/")
          ? `cannot start ${file}: there is no such file`
          : `cannot start ${file}: no such program on PATH; install it or give its full path`,
        facts,
      );
    case "EACCES":
      return new HostError(
        "not_executable",
        `cannot start ${file}: it may not be executed; run \`chmod +x ${file}\` or check the rights of ${cwd}`,
        facts,
      );
    case "ENOEXEC":
      return new HostError(
        "not_executable",
        `cannot start ${file}: it is not a program; its first line must name an interpreter (#!/bin/sh)`,
        facts,
      );
    case "ENOTDIR":
      return new HostError("not_found", `cannot start ${file} in ${cwd}: that is not a directory`, facts);
    case "E2BIG":
      return new HostError(
        "spawn_failed",
        `cannot start ${file}: its arguments and environment are too large for the system; pass the data on standard input or in a file`,
        facts,
      );
    case "EAGAIN":
      return new HostError("spawn_failed", `cannot start ${file}: the system allows no more processes`, facts);
    case "EMFILE":
    case "ENFILE":
      return new HostError("spawn_failed", `cannot start ${file}: too many files are open; raise \`ulimit -n\``, facts);
    default: {
      const why = cause instanceof Error ? cause.message : String(cause);
      return new HostError("spawn_failed", `cannot start ${file}: ${why}`, facts);
    }
  }
}
