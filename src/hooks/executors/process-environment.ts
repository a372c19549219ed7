import type { Execution } from "../executor.ts";
import type { HookPorts } from "../hook-context.ts";
import type { HookSource } from "../rule.ts";

const optionText = (value: unknown): string => (typeof value === "string" ? value : (JSON.stringify(value) ?? ""));

/** The value of a plugin's option as text: strings as they are, all else as JSON; undefined where it is not set. */
export function pluginOption(source: HookSource, name: string): string | undefined {
  const { pluginOptions: options } = source;
  return options !== undefined && Object.hasOwn(options, name) ? optionText(options[name]) : undefined;
}

/** Names that tell a script which host it runs under; an outer host's values would mislead it. */
const ownNames = ["CLAUDE_PLUGIN_ROOT", "CLAUDE_PLUGIN_DATA", "CLAUDE_ENV_FILE"];

/**
 * The environment of a hook's process: the person's own, and beside it what its dialect promises. The variables are
 * listed in docs/reference/executors.md.
 */
export function processEnvironment(
  { rule, question, context }: Pick<Execution, "rule" | "question" | "context">,
  ports: HookPorts,
): Record<string, string> {
  const env: Record<string, string> = { ...ports.environment(context) };
  env["TALARIA_HOME"] ??= ports.home;
  env["HERMES_HOME"] ??= ports.home;
  // Below this level bash takes a socket as standard input for a remote login and reads the person's start-up files.
  if (!(Number(env["SHLVL"]) >= 1)) env["SHLVL"] = "1";
  const { source } = rule;
  if (source.dialect === "shell") return env;
  for (const name of ownNames) delete env[name];
  env["CLAUDE_PROJECT_DIR"] = ports.projectFolder(context);
  env["CLAUDE_HOOK_EVENT_NAME"] = question.view.name;
  env["CLAUDE_CODE_SESSION_ID"] = context.rootSessionId ?? context.sessionId;
  env["CLAUDECODE"] = "1";
  if (source.root !== undefined) env["CLAUDE_PLUGIN_ROOT"] = source.root;
  if (source.dataFolder !== undefined) env["CLAUDE_PLUGIN_DATA"] = source.dataFolder;
  for (const name of Object.keys(source.pluginOptions ?? {}))
    env[`CLAUDE_PLUGIN_OPTION_${name.toUpperCase()}`] = pluginOption(source, name) ?? "";
  return env;
}
