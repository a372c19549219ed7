import { execFile, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, test } from "vitest";
import { sessionStoreContract } from "../store-contract.ts";
import { openSqliteStore } from "./store.ts";

const fixture = join(import.meta.dirname, "process-fixture.ts");
const run = promisify(execFile);
const inProcess = (...args: string[]) => run(process.execPath, ["--conditions=talaria-source", fixture, ...args]);

describe("the SQLite store keeps the contract", () => {
  const cases = sessionStoreContract(async () => {
    const folder = await mkdtemp(join(tmpdir(), "store-"));
    const file = join(folder, "state.db");
    return {
      open: () => openSqliteStore({ file }),
      appendElsewhere: async (sessionId, count) => {
        await inProcess("append", file, sessionId, String(count));
      },
      claimAndDie: (sessionId, turnId, callId) =>
        new Promise((resolve) => {
          const child = spawn(process.execPath, [
            "--conditions=talaria-source",
            fixture,
            "claim",
            file,
            sessionId,
            turnId,
            callId,
          ]);
          child.on("exit", () => resolve());
        }),
      remove: () => rm(folder, { recursive: true }),
    };
  });
  test.each(cases)("$name", ({ run }) => run());
});
