import type { TurnContext } from "#agent";
import { HostError, resolvePath } from "#host";
import type { MaybePromise, Middleware } from "#kernel";
import { allowed, askHooks, askPerson, type Case, type Permit, type Permitted, refused } from "./approval.ts";
import { type Decision, decide, type Facts } from "./decision.ts";
import { findings } from "./matching.ts";
import { refusal, refusalOfNobody, refusalOfSmartMode } from "./refusal.ts";
import { type AllowList, type PermissionSettings, sessionPermission } from "./settings.ts";
import { opinion } from "./smart.ts";

/** Tools that run shell text, and the argument it is in. */
const commandArgument: Readonly<Record<string, string>> = { terminal: "command", process: "data" };

/** Back ends that keep what runs in them away from this machine. */
const containers: ReadonlySet<string> = new Set(["docker", "singularity", "modal", "daytona", "vercel_sandbox"]);

/**
 * Decides about every settled call: hardline, containers, yolo, patterns, then a person. It changes nothing of the call.
 * See docs/reference/permission.md.
 */
export function permission(settings: PermissionSettings, allowList: AllowList): Middleware<TurnContext> {
  return {
    slot: "permission",
    permit(call, context): MaybePromise<Permitted | void> {
      const command = commandOf(call);
      if (command === undefined && call.judged?.decision !== "ask") return undefined;
      const decision = decide(factsOf(call, command, { settings, allowList, context }));
      if (decision.type === "allow") return undefined;
      if (decision.type === "refuse") return refused(call, refusal(decision), context);
      const subject: Case = { call, context, command: command ?? shown(call), question: decision.question };
      return settle(decision.type, subject, { settings, allowList });
    },
  };
}

function commandOf(call: Permit): string | undefined {
  const argument = Object.hasOwn(commandArgument, call.toolName) ? commandArgument[call.toolName] : undefined;
  const command = argument === undefined ? undefined : call.args[argument];
  return typeof command === "string" ? command : undefined;
}

/** The text of a call that is no command. */
const shown = (call: Permit): string => `${call.toolName} ${JSON.stringify(call.args, undefined, 2)}`;

interface House {
  readonly settings: PermissionSettings;
  readonly allowList: AllowList;
}

function factsOf(
  call: Permit,
  command: string | undefined,
  { settings, allowList, context }: House & { readonly context: TurnContext },
): Facts {
  const { approved } = sessionPermission(context);
  const place = { home: settings.home, agentHome: settings.agentHome, cwd: folderOf(call, context) };
  return {
    findings: command === undefined ? undefined : findings(command, place),
    judged: call.judged,
    mode: settings.mode,
    yolo: settings.yolo || settings.sessionYolo(context.sessionId) || isYolo(settings, context.parentSessionId),
    container: containers.has(settings.environment),
    sudoPassword: settings.sudoPassword,
    approved: (key) => approved.has(key) || allowList.has(key),
    person: context.surface.approve !== undefined,
    cron: context.platform === "cron" ? settings.cronMode : undefined,
    autoApprove: context.depth > 0 && settings.subagentAutoApprove,
  };
}

const isYolo = (settings: PermissionSettings, sessionId: string | undefined): boolean =>
  sessionId !== undefined && settings.sessionYolo(sessionId);

function folderOf(call: Permit, context: TurnContext): string {
  const { workdir } = call.args;
  if (typeof workdir !== "string" || workdir === "") return context.cwd;
  try {
    return resolvePath(workdir, context.cwd);
  } catch (error) {
    // The tool itself refuses such a folder with a reason.
    if (error instanceof HostError) return context.cwd;
    throw error;
  }
}

async function settle(
  type: Exclude<Decision["type"], "allow" | "refuse">,
  subject: Case,
  { settings, allowList }: House,
): Promise<Permitted> {
  const { call, context, question } = subject;
  if (type === "smart") {
    const found = await opinion(subject.command, question, context);
    if (found === "deny") return refused(call, refusalOfSmartMode(question), context);
    if (found === "approve") {
      const { approved } = sessionPermission(context);
      for (const key of question.keys) approved.add(key);
      return allowed;
    }
  }
  const answer = await askHooks(subject);
  if (answer !== undefined) return answer;
  if (type === "nobody" || context.surface.approve === undefined)
    return refused(call, refusalOfNobody(question), context);
  return askPerson(subject, allowList, settings.timeoutMs);
}
