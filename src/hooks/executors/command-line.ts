import { findProgram, readTextIfExists, userHome } from "#host";
import type { CommandRule, WorkerRule } from "../rule.ts";
import { shlex } from "../shlex.ts";
import { pluginOption } from "./process-environment.ts";

/** What is started. With `problem`: why nothing can be. */
export type CommandLine =
  | {
      readonly file: string;
      readonly args: readonly string[];
      /** What a shell is to read, where it is one of the usual kind. */
      readonly shellText?: string;
    }
  | { readonly problem: string };

type Environment = Readonly<Record<string, string>>;
type ProgramRule = CommandRule | WorkerRule;

const placeholders = ["CLAUDE_PROJECT_DIR", "CLAUDE_PLUGIN_ROOT", "CLAUDE_PLUGIN_DATA"];
const placeholder = new RegExp(`\\$\\{(${placeholders.join("|")})\\}`, "g");
const option = /\$\{user_config\.([A-Za-z0-9_.-]+)\}/g;
/** A path with any of these would be read as shell syntax; the shell then takes it from the environment instead. */
const shellSyntax = /["'`$\\!;&|<>()*?[\]{}#~\n\r]/;

/** How a rule's command becomes a program and its arguments, as docs/reference/executors.md says for each dialect. */
export async function commandLine(rule: ProgramRule, env: Environment): Promise<CommandLine> {
  if (rule.source.dialect === "shell") return wordsOf(rule.command, env);
  if (rule.args !== undefined) return exact(rule, env);
  const forbidden = rule.command.match(option);
  if (forbidden !== null)
    return {
      problem: `${forbidden[0]} is filled in only where the rule has "args"; in a shell command use the variable CLAUDE_PLUGIN_OPTION_…`,
    };
  if (rule.type === "command" && rule.shell === "powershell") return powershell(rule.command, env);
  const command = rule.command.replaceAll(placeholder, (text, name: string) => {
    const value = env[name];
    return value === undefined || shellSyntax.test(value) ? text : value;
  });
  return { file: shellOf(env), args: ["-c", command], shellText: command };
}

let known: { readonly path: string | undefined; readonly shell: string } | undefined;

function shellOf(env: Environment): string {
  const path = env["PATH"];
  if (known === undefined || known.path !== path) known = { path, shell: findProgram("bash", env) ?? "/bin/sh" };
  return known.shell;
}

/** Nothing is interpreted; placeholders are filled in. */
function exact(rule: ProgramRule, env: Environment): CommandLine {
  let problem: string | undefined;
  const fill = (text: string): string =>
    text
      .replaceAll(placeholder, (given, name: string) => env[name] ?? given)
      .replaceAll(option, (given, name: string) => {
        const value = pluginOption(rule.source, name);
        if (value === undefined) problem ??= `${given} names an option that the plugin does not have`;
        return value ?? "";
      });
  const file = fill(rule.command);
  const args = (rule.args ?? []).map(fill);
  return problem === undefined ? { file, args } : { problem };
}

function powershell(command: string, env: Environment): CommandLine {
  const file = findProgram("pwsh", env) ?? findProgram("powershell", env);
  if (file === undefined) return { problem: "PowerShell was not found on PATH; install pwsh or leave out `shell`" };
  const text = command.replaceAll(placeholder, (_, name: string) => `\${env:${name}}`);
  return { file, args: ["-NoProfile", "-NonInteractive", "-Command", text] };
}

async function wordsOf(command: string, env: Environment): Promise<CommandLine> {
  const split = shlex(await homeExpanded(command, env));
  if ("problem" in split) return { problem: `the command cannot be split into words: ${split.problem}` };
  const [file, ...args] = split.words;
  return file === undefined ? { problem: "the command is empty" } : { file, args };
}

/** `~` and `~user` at the very beginning; elsewhere they stand for themselves. */
async function homeExpanded(command: string, env: Environment): Promise<string> {
  if (!command.startsWith("~")) return command;
  const end = command.indexOf("/");
  const user = command.slice(1, end < 0 ? undefined : end);
  const home = user === "" ? userHome(env) : await homeOf(user);
  return home === undefined ? command : `${home.replace(/\/+$/, "")}${end < 0 ? "" : command.slice(end)}`;
}

async function homeOf(user: string): Promise<string | undefined> {
  const accounts = await readTextIfExists("/etc/passwd");
  const line = accounts?.text.split("\n").find((one) => one.startsWith(`${user}:`));
  return line?.split(":")[5];
}
