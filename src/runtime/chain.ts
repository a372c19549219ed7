import { join } from "node:path";
import type { TurnContext } from "#agent";
import {
  agentsMd,
  askUser,
  defaultSystemPrompt,
  filesystem,
  permission,
  subAgent,
  terminal,
  todo,
} from "#capabilities";
import { isTruthy, machineName, now, redact, ticks, userHome, variable } from "#host";
import type { Layer } from "#kernel";
import { allowList } from "./allow-list.ts";
import type { House } from "./house.ts";

export interface ChainOptions {
  readonly yolo: boolean;
  /** Sessions in which a person has switched the questions off. */
  readonly sessionYolo: (sessionId: string) => boolean;
  /** What `terminal.shell` names, by its path. */
  readonly shell: string | undefined;
  /** Put last on the PATH of children: a `hermes` command that is this program. */
  readonly shimDirectory: string | undefined;
  /** Files of hooks that a command of the session begins with. */
  readonly environmentFiles: (context: TurnContext) => Promise<readonly string[]>;
}

/** Puts every ability into its slot. The kernel's blueprint says in which order they stand. */
export function addCapabilities(layer: Layer<TurnContext>, house: House, options: ChainOptions): void {
  const { home, config, environment } = house;
  const { settings } = config;
  const { shimDirectory, environmentFiles } = options;
  const shell = options.shell ?? environment["SHELL"] ?? "/bin/bash";
  const claudeHome = environment["CLAUDE_CONFIG_DIR"] ?? join(userHome(environment), ".claude");
  layer.add(defaultSystemPrompt({ agentHome: home.path, system: machineName(), shell, now }));
  layer.add(
    agentsMd({
      agentHome: home.path,
      claudeHome,
      userHome: userHome(environment),
      maxCharacters: settings.context_file_max_chars,
    }),
  );
  layer.add(filesystem({ home: home.path, readCharacters: settings.file_read_max_chars }));
  layer.add(
    terminal({
      home: home.path,
      shell: options.shell,
      shimDirectory,
      environmentFiles,
      redact: settings["security.redact_secrets"] ? redact : (text) => text,
      timeoutSeconds: settings["terminal.timeout"],
      longestTimeoutSeconds: settings["terminal.max_foreground_timeout"],
      output: {
        bytes: settings["tool_output.max_bytes"],
        lines: settings["tool_output.max_lines"],
        lineCharacters: settings["tool_output.max_line_length"],
      },
    }),
  );
  layer.add(todo());
  layer.add(permission(permissionSettings(house, options), allowList(house)));
  layer.add(askUser());
  layer.add(subAgent({ maxSpawnDepth: settings["delegation.max_spawn_depth"], ticks }));
}

function permissionSettings(
  { home, config, environment }: House,
  { yolo, sessionYolo }: ChainOptions,
): Parameters<typeof permission>[0] {
  const { settings } = config;
  return {
    mode: settings["approvals.mode"],
    yolo: yolo || isTruthy(variable("YOLO_MODE", environment)),
    sessionYolo,
    cronMode: settings["approvals.cron_mode"] === "deny" ? "deny" : "approve",
    timeoutMs: settings["approvals.timeout"] * 1000,
    // Commands run on this machine whatever `terminal.backend` says: nothing is let through because of a container.
    environment: "local",
    subagentAutoApprove: settings["delegation.subagent_auto_approve"],
    sudoPassword: (environment["SUDO_PASSWORD"] ?? "") !== "",
    home: userHome(environment),
    agentHome: home.path,
  };
}
