import type { Decision, Question } from "./decision.ts";

const noWayAround =
  "Do not retry it, do not rephrase it, and do not reach the same effect in another way. Tell the person what you wanted to do and why.";

/** What the model reads of a refusal that no one was asked about. */
export function refusal({ why, reason }: Extract<Decision, { readonly type: "refuse" }>): string {
  switch (why) {
    case "hardline":
      return `BLOCKED (hardline): ${reason}. No setting and no approval allows this. ${noWayAround}`;
    case "excessive":
      return `BLOCKED: ${reason}. Write a long script to a file with write_file and run that file; keep commands short.`;
    case "sudo":
      return `BLOCKED: ${reason}. SUDO_PASSWORD is not set, and a password must not be guessed or piped in. Run it without -S, or ask the person to run it. ${noWayAround}`;
    case "cron":
      return `BLOCKED: ${reason}. In a scheduled run dangerous commands are refused (approvals.cron_mode: deny). ${noWayAround}`;
  }
}

export function refusalOfNobody({ description, keys, forced }: Question): string {
  const ways = forced
    ? "It needs a session in which somebody can answer."
    : `The person can allow it by starting with --yolo, or for good by adding ${keys.map((key) => `"${key}"`).join(", ")} to command_allowlist in config.yaml.`;
  return `BLOCKED: ${description}. It needs a person's approval and nobody can be asked here; silence is not consent. ${ways} ${noWayAround}`;
}

export const refusalOfPerson = ({ description }: Question): string =>
  `BLOCKED: the person denied this call (${description}). ${noWayAround}`;

export const refusalOfTimeout = ({ description }: Question): string =>
  `BLOCKED: nobody answered in time (${description}). Silence is not consent. ${noWayAround}`;

export const refusalOfSmartMode = ({ description }: Question): string =>
  `BLOCKED: the automatic check found this too dangerous (${description}). ${noWayAround}`;

export const refusalOfFailure = ({ description }: Question, failure: string): string =>
  `BLOCKED: the person could not be asked (${description}): ${failure}. ${noWayAround}`;

export const refusalOfHook = ({ description }: Question, reason: string | undefined): string =>
  reason ?? `BLOCKED: a permission hook denied this call (${description}). ${noWayAround}`;

export const mayRetry = "A permission hook says that this call may be tried again.";
