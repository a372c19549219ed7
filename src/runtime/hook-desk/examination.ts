import { execute, isDrifted, type Rule, scriptModified, shlex } from "#hooks";
import { fileFacts, findProgram, isHostError, makeExecutable } from "#host";
import { type Desk, storedSpans } from "./desk.ts";
import { occasion, syntheticPayload } from "./occasion.ts";
import { deedOf } from "./rule-list.ts";

/** One thing that `talaria hooks doctor` looked at. */
export interface HookFinding {
  /** The rule or the file. */
  readonly about: string;
  readonly where: string;
  readonly state: "ok" | "note" | "problem";
  readonly detail: string;
  readonly fixed?: true;
}

/** Looks at all hooks: files, consent, drift, programs, and what those that may run say to a trial. */
export async function examineHooks(desk: Desk, { fix }: { readonly fix: boolean }): Promise<readonly HookFinding[]> {
  const found: HookFinding[] = [];
  for (const { set, problems, omitted, rules } of desk.sources) {
    for (const { where, message, level } of set.problems)
      found.push({ about: set.source.name, where, state: level === "warning" ? "problem" : "note", detail: message });
    for (const { where, message } of problems)
      found.push({ about: set.source.name, where, state: "problem", detail: message });
    for (const { rule, reason } of omitted)
      found.push({ about: deedOf(rule), where: rule.where, state: "note", detail: `never runs: ${reason}` });
    for (const { rule } of rules) found.push(...(await examineRule(desk, rule, fix)));
  }
  return [...found, ...(await troubles(desk))];
}

async function examineRule(desk: Desk, rule: Rule, fix: boolean): Promise<readonly HookFinding[]> {
  const about = deedOf(rule);
  const at = { about, where: rule.where };
  const held = desk.trust.mayRun(rule);
  const consent: HookFinding = {
    ...at,
    state: held === undefined ? "ok" : "problem",
    detail: held ?? (rule.source.trust === "none" ? "needs no consent" : "allowed"),
  };
  if (rule.type !== "command" && rule.type !== "worker") return [consent];
  const findings = [consent, ...(await drift(desk, rule, fix)), ...(await runnable(desk, rule, fix))];
  const breach = await desk.trust.verify(rule);
  if (breach !== undefined) findings.push({ ...at, state: "problem", detail: breach });
  const sound = findings.every(({ state, fixed }) => state !== "problem" || fixed === true);
  return sound && breach === undefined && rule.type === "command" ? [...findings, await smoke(desk, rule)] : findings;
}

type ProgramRule = Extract<Rule, { readonly type: "command" | "worker" }>;

async function drift({ trust, house }: Desk, rule: ProgramRule, fix: boolean): Promise<readonly HookFinding[]> {
  const approval = trust.approvalOf(rule);
  if (rule.source.trust !== "consent" || approval === undefined) return [];
  const current = await scriptModified(rule.command, house.environment);
  const at = { about: rule.command, where: rule.where };
  if (!isDrifted(approval.scriptModifiedAt, current))
    return [{ ...at, state: "ok", detail: "unchanged since it was allowed" }];
  const detail = `the script changed after it was allowed (was ${approval.scriptModifiedAt}, is ${current})`;
  if (!fix) return [{ ...at, state: "problem", detail }];
  await trust.lists.allowed.approve(rule.eventName, rule.command);
  return [{ ...at, state: "problem", detail: `${detail}; allowed anew`, fixed: true }];
}

const interpreters = /(?:^|\/)(?:bash|sh|zsh|fish|dash|python[\d.]*|node|ruby|perl|deno|bun|env|npx|uv|lua)$/;

/** The program of a command line: found, and executable where it is started itself, readable where an interpreter reads it. */
async function runnable(desk: Desk, rule: ProgramRule, fix: boolean): Promise<readonly HookFinding[]> {
  const split = rule.args === undefined ? shlex(rule.command) : { words: [rule.command, ...rule.args] };
  const at = { about: deedOf(rule), where: rule.where };
  if ("problem" in split) return [{ ...at, state: "problem", detail: split.problem }];
  const words = split.words.map((word) => placed(word, desk, rule));
  const [first = ""] = words;
  if (/[;&|<>$`(){}]/.test(first) || /^\w+=/.test(first)) return [];
  const read = interpreters.test(first);
  const script = read ? words.slice(1).find((word) => !word.startsWith("-")) : first;
  if (script === undefined || !script.includes("/")) return programNamed(first, at);
  const facts = await fileFacts(script).catch((error: unknown) => {
    if (isHostError(error)) return undefined;
    throw error;
  });
  if (facts === undefined) return [{ ...at, state: "problem", detail: `${script} does not exist` }];
  if (facts.kind !== "file") return [{ ...at, state: "problem", detail: `${script} is no file` }];
  if (read || (facts.mode & 0o111) !== 0) return [{ ...at, state: "ok", detail: `${script} can be run` }];
  if (!fix) return [{ ...at, state: "problem", detail: `${script} is not executable: chmod +x ${script}` }];
  await makeExecutable(script);
  return [{ ...at, state: "problem", detail: `${script} was not executable; it is now`, fixed: true }];
}

function programNamed(program: string, at: Pick<HookFinding, "about" | "where">): readonly HookFinding[] {
  const found = findProgram(program);
  if (found !== undefined) return [{ ...at, state: "ok", detail: `${program} is ${found}` }];
  const builtin = /^(?:cd|echo|exit|export|false|printf|read|set|test|true|\[|\[\[|:|if|for|while|case|cat)$/.test(
    program,
  );
  return builtin ? [] : [{ ...at, state: "problem", detail: `${program} is not on the PATH` }];
}

function placed(word: string, desk: Desk, { source }: ProgramRule): string {
  const home = desk.house.environment["HOME"] ?? "";
  const known: Readonly<Record<string, string | undefined>> = {
    CLAUDE_PROJECT_DIR: desk.cwd,
    CLAUDE_PLUGIN_ROOT: source.root,
    CLAUDE_PLUGIN_DATA: source.dataFolder,
    HOME: home,
  };
  const filled = word.replace(/\$\{?(CLAUDE_\w+|HOME)\}?/g, (whole, name: string) => known[name] ?? whole);
  return filled.startsWith("~/")
    ? `${home}${filled.slice(1)}`
    : filled.startsWith("./")
      ? `${desk.cwd}${filled.slice(1)}`
      : filled;
}

/** A run with a made-up payload; matchers are left aside. */
async function smoke(desk: Desk, rule: Rule): Promise<HookFinding> {
  const compiled = desk.sources.flatMap(({ rules }) => rules).find((one) => one.rule === rule);
  const asked = occasion(rule.eventName) ?? occasion(rule.event);
  const at = { about: deedOf(rule), where: rule.where };
  if (compiled === undefined || asked === undefined) return { ...at, state: "note", detail: "not tried" };
  const payload = syntheticPayload({ ...asked, views: [compiled.view] }, {}, desk.cwd);
  const limit = { context: desk.context(), signal: AbortSignal.timeout(Math.min(rule.timeoutMs, 30_000)) };
  const { decoded, durationMs, exitCode } = await execute(compiled, payload, limit, desk.hooks.engine.running);
  const took = `${Math.round(durationMs)} ms`;
  // A code of its own says something of the made-up payload, not of the hook.
  const odd =
    decoded.kind === "failed" &&
    !(typeof exitCode === "number" && exitCode < 126 && decoded.reason.startsWith("exit code"));
  if (odd) return { ...at, state: "problem", detail: `a trial failed after ${took}: ${decoded.reason}` };
  const said =
    decoded.kind === "failed" ? decoded.reason : Object.keys(decoded.answer).join(", ") || "no opinion (observer only)";
  return { ...at, state: "ok", detail: `a trial ended after ${took}: ${said}` };
}

/** Breakers that opened and budgets that were used up in the last day. */
async function troubles(desk: Desk): Promise<readonly HookFinding[]> {
  const day = 86_400_000;
  const spans = await storedSpans(desk, "event");
  const since = Math.max(0, ...spans.map(({ startedAt }) => startedAt)) - day;
  return spans
    .filter(({ name, startedAt }) => (name === "hook breaker" || name === "hook budget") && startedAt > since)
    .map(({ name, startedAt, attributes }) => ({
      about: String(attributes["handler"] ?? name),
      where: new Date(startedAt).toISOString(),
      state: "note" as const,
      detail:
        name === "hook breaker"
          ? `its circuit breaker became ${attributes["state"]}`
          : `it used up the ${attributes["limitMs"]} ms that hooks may take of a turn`,
    }));
}
