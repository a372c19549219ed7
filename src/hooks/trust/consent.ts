import { type Environment, isHostError, isSwitchedOn } from "#host";
import type { Rule, RuleSet } from "../rule.ts";
import type { AllowList, Approval } from "./allow-list.ts";
import type { FolderList } from "./folder-list.ts";
import { folderQuestion, shellQuestion } from "./questions.ts";

export interface TrustOptions {
  /** Absolute path of the home, where consent is kept. */
  readonly home: string;
  /** A second home that is only read: what was allowed there is allowed here. */
  readonly secondHome?: string | undefined;
  /** Absolute path of the project's folder. */
  readonly project: string;
  readonly environment: Environment;
  /** `--accept-hooks`. */
  readonly acceptHooks: boolean;
  /** False (`--no-project-hooks`): the project is not asked about. */
  readonly projectHooks: boolean;
  /**
   * Puts a question to a person and gives the answer as typed; undefined at the end of input or Ctrl-C. The last
   * choice is the default. Absent: nobody can be asked.
   */
  readonly askPerson?: ((question: string, choices: readonly string[]) => Promise<string | undefined>) | undefined;
  readonly log: (level: "info" | "warning", message: string) => void;
}

/** What the files of consent say. */
export interface Known {
  approvals: ReadonlyMap<string, Approval>;
  folderTrusted: boolean;
  /** What the files looked like when they were read. */
  stamp: string;
}

export const pairOf = (event: string, command: string): string => JSON.stringify([event, command]);
export const pairOfRule = (rule: Rule): string => pairOf(rule.eventName, "command" in rule ? rule.command : "");

const bypasses =
  "with --accept-hooks, with TALARIA_ACCEPT_HOOKS=1 (or HERMES_ACCEPT_HOOKS=1), or with hooks_auto_accept: true in config.yaml";

const waysOut = `allow it at a terminal, ${bypasses}`;

/** What is known of this process's life. */
export interface Session {
  accepts: boolean;
  /** Allowed for this run though it could not be recorded. */
  readonly granted: Set<string>;
  /** On the list at some time: missing now, it was revoked. */
  readonly recorded: Set<string>;
  /** Asked about, or skipped with a warning. */
  readonly settled: Set<string>;
  folder: "open" | "declined" | "granted";
}

export interface Circle {
  readonly options: TrustOptions;
  readonly known: Known;
  readonly session: Session;
  readonly allowed: AllowList;
  readonly folders: FolderList;
  readonly refresh: () => Promise<void>;
}

/** Who may run, and what is done about those who may not yet. */
export function consents(circle: Circle) {
  const { options, known, session } = circle;
  const projectTrusted = (): boolean =>
    options.projectHooks && (known.folderTrusted || session.folder === "granted" || session.accepts);
  const refusal = (rule: Rule): string | undefined => {
    if (rule.source.trust === "none") return undefined;
    if (rule.source.trust === "folder")
      return projectTrusted() ? undefined : `the folder ${options.project} is not trusted; ${folderWays(options)}`;
    const pair = pairOfRule(rule);
    if (known.approvals.has(pair) || session.granted.has(pair)) return undefined;
    if (session.recorded.has(pair)) return "its consent was revoked";
    return `it has not been allowed; ${waysOut}`;
  };
  return {
    projectTrusted,
    refusal,
    async settle(sets: readonly RuleSet[], { autoAccept }: { readonly autoAccept: boolean }): Promise<void> {
      session.accepts = options.acceptHooks || autoAccept || isSwitchedOn("ACCEPT_HOOKS", options.environment);
      const rules = sets.flatMap((set) => set.rules);
      for (const rule of rules) {
        if (rule.source.trust !== "consent" || refusal(rule) === undefined) continue;
        await settleShellHook(circle, rule);
      }
      const ofFolder = rules.filter(({ source }) => source.trust === "folder");
      if (ofFolder.length > 0 && !projectTrusted()) await settleFolder(circle, ofFolder);
    },
  };
}

const folderWays = ({ projectHooks }: TrustOptions): string =>
  projectHooks
    ? `trust it at a terminal (\`talaria hooks trust\`), or run ${bypasses}`
    : "hooks of projects are switched off (--no-project-hooks)";

async function settleShellHook(circle: Circle, rule: Rule): Promise<void> {
  const { options, session } = circle;
  const pair = pairOfRule(rule);
  if (session.settled.has(pair) || session.recorded.has(pair) || !("command" in rule)) return;
  session.settled.add(pair);
  const { eventName: event, command } = rule;
  if (session.accepts) {
    options.log("info", `shell hook for ${event} allowed without a question: ${command} (${rule.where})`);
    return grant(circle, event, command);
  }
  if (options.askPerson === undefined) {
    const what = `the shell hook for ${event} is skipped: ${command} (${rule.where})`;
    options.log("warning", `${what} has not been allowed, and there is no terminal to ask at; ${waysOut}`);
    return undefined;
  }
  if (await saysYes(options, shellQuestion(rule, command))) return grant(circle, event, command);
  return undefined;
}

async function saysYes({ askPerson }: TrustOptions, question: string): Promise<boolean> {
  const answer = await askPerson?.(question, ["y", "N"]).catch(() => undefined); // nobody there any more: not a yes
  return ["y", "yes"].includes(answer?.trim().toLowerCase() ?? "");
}

async function grant({ options, session, allowed, refresh }: Circle, event: string, command: string): Promise<void> {
  try {
    await allowed.approve(event, command);
    await refresh();
  } catch (error) {
    if (!isHostError(error)) throw error;
    session.granted.add(pairOf(event, command));
    options.log("warning", `${error.message}; the hook runs this time and will be asked about again`);
  }
}

async function settleFolder(circle: Circle, rules: readonly Rule[]): Promise<void> {
  const { options, session, folders, refresh } = circle;
  if (!options.projectHooks || session.folder !== "open") return;
  session.folder = "declined";
  if (options.askPerson === undefined) {
    const what = `${rules.length === 1 ? "one hook" : `${rules.length} hooks`} of the project ${options.project}`;
    options.log("warning", `${what} skipped: the folder is not trusted; ${folderWays(options)}`);
    return;
  }
  if (!(await saysYes(options, folderQuestion(options.project, rules)))) return;
  session.folder = "granted";
  try {
    await folders.add(options.project);
    await refresh();
  } catch (error) {
    if (!isHostError(error)) throw error;
    options.log("warning", `${error.message}; the folder is trusted this time and will be asked about again`);
  }
}
