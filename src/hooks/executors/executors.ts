import type { Executors } from "../executor.ts";
import type { HookPorts } from "../hook-context.ts";
import { commandExecutor } from "./command.ts";
import { environmentFiles } from "./environment-file.ts";
import { httpExecutor } from "./http.ts";
import { mcpToolExecutor } from "./mcp-tool.ts";
import { agentExecutor, promptExecutor } from "./prompt.ts";
import { supervisor } from "./supervisor.ts";
import { workerExecutor } from "./worker.ts";

export interface ExecutorsOptions {
  /** Hosts to which `http` rules may post although their address is private: names, addresses, or `*.domain`. */
  readonly allowPrivateHosts?: readonly string[];
}

/** All executors of one runtime, and what their processes leave behind. */
export interface HookExecutors {
  readonly run: Executors;
  /** Files to source, in this order, before a terminal command of the session. Never rejects. */
  environmentFiles(sessionId: string): Promise<readonly string[]>;
  /** Settles when no background hook of the session runs any more. */
  settled(sessionId: string): Promise<void>;
  /** Ends every process, workers and background hooks included; nothing can be run afterwards. */
  close(): Promise<void>;
}

/** What runs rules, one executor for each type. See docs/reference/executors.md. */
export function executors(ports: HookPorts, options: ExecutorsOptions = {}): HookExecutors {
  const files = environmentFiles(ports.home);
  const processes = supervisor();
  const house = { ports, supervisor: processes, files };
  return {
    run: {
      command: commandExecutor(house),
      worker: workerExecutor(house),
      http: httpExecutor(ports, options.allowPrivateHosts ?? []),
      prompt: promptExecutor(ports),
      agent: agentExecutor(ports),
      mcp_tool: mcpToolExecutor(ports),
    },
    environmentFiles: files.of,
    settled: processes.settled,
    close: processes.close,
  };
}
