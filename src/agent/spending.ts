import type { Usage } from "#kernel";
import { errorText } from "./error.ts";
import type { SessionMemory } from "./session-memory.ts";
import type { AgentPorts } from "./settings.ts";
import { addUsage } from "./tokens.ts";

/** Adds what a model call used to the session. The store is told in the background; a failure there is logged. */
export function spend(memory: SessionMemory, ports: AgentPorts, usage: Usage): void {
  memory.usage = addUsage(memory.usage, usage);
  const written = ports.store.addUsage(memory.id, usage).catch((error: unknown) => {
    ports.log("warning", `the usage of session ${memory.id} was not stored: ${errorText(error)}`);
  });
  memory.accounting = Promise.all([memory.accounting, written]);
}
