import { fileFacts, isHostError, isSwitchedOn } from "#host";
import type { Rule, RuleSet } from "../rule.ts";
import { type AllowList, type Approval, allowList } from "./allow-list.ts";
import { consents, type Known, pairOf, pairOfRule, type Session, type TrustOptions } from "./consent.ts";
import { type FolderList, folderList } from "./folder-list.ts";
import { heldRules } from "./held-rules.ts";
import { type PinList, pinList } from "./pin-list.ts";

/** Which rules may run. Rules: docs/reference/trust.md. */
export interface HookTrust {
  /**
   * Brings the consent of rules in order: records what a bypass takes, asks a person, or says once what is skipped.
   * Each rule is asked about once in the life of the process. Never rejects.
   */
  settle(sets: readonly RuleSet[], switches: { readonly autoAccept: boolean }): Promise<void>;
  /** Undefined where the rule may run, else why not. From what was last seen; nothing is looked up. */
  mayRun(rule: Rule): string | undefined;
  /** Looks now whether a pinned rule still runs what was approved; undefined where it does, or is not pinned. Never rejects. */
  verify(rule: Rule): Promise<string | undefined>;
  /** Looks whether somebody allowed, revoked or pinned something, and at the files of the pinned rules settled last. Never rejects. */
  refresh(): Promise<void>;
  /** Whether the project's folder is trusted: its switches count, its rules may run. */
  projectTrusted(): boolean;
  /** When a shell hook was allowed; undefined where it was not. */
  approvalOf(rule: Rule): Approval | undefined;
  isPinned(rule: Rule): boolean;
  readonly lists: { readonly allowed: AllowList; readonly folders: FolderList; readonly pins: PinList };
}

/** Reads what was allowed so far. */
export async function hookTrust(options: TrustOptions): Promise<HookTrust> {
  const { home, secondHome, environment, project } = options;
  const allowed = allowList(home, environment);
  const second = secondHome === undefined ? undefined : allowList(secondHome, environment);
  const folders = folderList(home);
  const pins = pinList(home, { project, environment });
  const files = [allowed.file, second?.file, folders.file, pins.file].filter((file) => file !== undefined);
  const known: Known = {
    approvals: new Map(),
    folderTrusted: false,
    stamp: "",
  };
  const session: Session = {
    accepts: options.acceptHooks || isSwitchedOn("ACCEPT_HOOKS", environment),
    granted: new Set(),
    recorded: new Set(),
    settled: new Set(),
    folder: "open",
  };

  const held = heldRules(pins);

  async function refresh(): Promise<void> {
    await readLists();
    await held.look();
  }

  async function readLists(): Promise<void> {
    const stamp = await stampOf(files);
    if (stamp === known.stamp) return;
    const [theirs, ours, trusted, pinned] = await Promise.all([
      second?.read() ?? [],
      allowed.read(),
      folders.has(project),
      pins.read(),
    ]);
    known.approvals = new Map([...theirs, ...ours].map((one) => [pairOf(one.event, one.command), one]));
    for (const pair of known.approvals.keys()) session.recorded.add(pair);
    known.folderTrusted = trusted;
    held.load(pinned);
    known.stamp = stamp;
  }

  await refresh();
  const consent = consents({ options, known, session, allowed, folders, refresh: readLists });
  return {
    refresh,
    async settle(sets, switches) {
      await consent.settle(sets, switches);
      held.watch(sets);
      await held.look();
    },
    mayRun: (rule) => consent.refusal(rule) ?? held.reasonOf(rule),
    verify: held.verify,
    projectTrusted: consent.projectTrusted,
    approvalOf: (rule) => known.approvals.get(pairOfRule(rule)),
    isPinned: held.isPinned,
    lists: { allowed, folders, pins },
  };
}

async function stampOf(files: readonly string[]): Promise<string> {
  const facts = await Promise.all(files.map(lookAt));
  return facts.join("\n");
}

async function lookAt(file: string): Promise<string> {
  try {
    const facts = await fileFacts(file);
    return facts === undefined ? "-" : `${facts.identity} ${facts.bytes} ${facts.modifiedMs} ${facts.changedMs}`;
  } catch (error) {
    if (!isHostError(error)) throw error;
    return error.code; // not ours to look at; reading it says the same
  }
}
