import { join } from "node:path";
import { type Environment, ensureDirectory, fileFacts, isHostError, now, readTextIfExists, writeAtomic } from "#host";
import { isObject } from "../sources/fields.ts";
import { withAdvisoryLock } from "./advisory-lock.ts";
import { pythonJson, pythonTime } from "./python-json.ts";
import { scriptWord, withHome } from "./script-path.ts";

/** What was allowed: this command for this event, whatever the matcher. */
export interface Approval {
  readonly event: string;
  readonly command: string;
  readonly approvedAt: string | undefined;
  readonly scriptModifiedAt: string | undefined;
}

/** The list of allowed shell hooks of one home, in Hermes's format: docs/reference/trust.md. */
export interface AllowList {
  readonly file: string;
  /** Never throws: a file that cannot be read allows nothing. */
  read(): Promise<readonly Approval[]>;
  /** Records, in one step, in place of an earlier record of the same pair. Throws a `HostError` where it cannot be written. */
  approve(event: string, command: string): Promise<void>;
  /** Takes all records of a command away; how many there were. Throws as `approve`. */
  revoke(command: string): Promise<number>;
}

const mostBytes = 8 << 20;

const allowListFile = (home: string): string => join(home, "shell-hooks-allowlist.json");

export function allowList(home: string, environment: Environment): AllowList {
  const file = allowListFile(home);
  const change = async (edit: (approvals: readonly unknown[]) => readonly unknown[]): Promise<void> => {
    await ensureDirectory(home, 0o700);
    await withAdvisoryLock(`${file}.lock`, environment, async () => {
      const content = await readContent(file);
      const approvals = edit(approvalsOf(content));
      await writeAtomic(file, pythonJson({ ...content, approvals }), { mode: 0o600 });
    });
  };
  return {
    file,
    read: async () => (await readable(file)).flatMap(approvalOf),
    async approve(event, command) {
      const scriptTime = await scriptModified(command, environment);
      const entry = {
        approved_at: pythonTime(now()),
        command,
        event,
        script_mtime_at_approval: scriptTime ?? null,
      };
      await change((approvals) => [...approvals.filter((one) => !isPair(one, event, command)), entry]);
    },
    async revoke(command) {
      let count = 0;
      if (!(await readable(file)).some((one) => isObject(one) && one["command"] === command)) return 0;
      await change((approvals) => {
        const kept = approvals.filter((one) => !isObject(one) || one["command"] !== command);
        count = approvals.length - kept.length;
        return kept;
      });
      return count;
    },
  };
}

const isPair = (entry: unknown, event: string, command: string): boolean =>
  isObject(entry) && entry["event"] === event && entry["command"] === command;

function approvalOf(entry: unknown): readonly Approval[] {
  if (!isObject(entry)) return [];
  const { event, command, approved_at: at, script_mtime_at_approval: time } = entry;
  if (typeof event !== "string" || typeof command !== "string") return [];
  const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
  return [{ event, command, approvedAt: textOf(at), scriptModifiedAt: textOf(time) }];
}

/** A file that is missing or no object is as good as empty. */
async function readContent(file: string): Promise<Readonly<Record<string, unknown>>> {
  const read = await readTextIfExists(file, { maxBytes: mostBytes }).catch((error: unknown) => {
    if (isHostError(error, "binary") || isHostError(error, "too_large")) return undefined;
    throw error;
  });
  if (read === undefined) return {};
  try {
    const content: unknown = JSON.parse(read.text);
    return isObject(content) ? content : {};
  } catch {
    return {}; // damaged: nothing is allowed, and the next approval writes it anew, as Hermes does
  }
}

const approvalsOf = (content: Readonly<Record<string, unknown>>): readonly unknown[] =>
  Array.isArray(content["approvals"]) ? content["approvals"] : [];

async function readable(file: string): Promise<readonly unknown[]> {
  try {
    return approvalsOf(await readContent(file));
  } catch (error) {
    if (!isHostError(error)) throw error;
    return []; // not ours to read: nothing in it counts
  }
}

/** When the script of a command was last changed; undefined where there is no such file. */
export async function scriptModified(command: string, environment: Environment): Promise<string | undefined> {
  try {
    const facts = await fileFacts(withHome(scriptWord(command), environment));
    return facts === undefined ? undefined : pythonTime(facts.modifiedMs);
  } catch (error) {
    if (!isHostError(error)) throw error;
    return undefined; // a path that no system takes has no time
  }
}

/** Whether a script was changed after its approval: differences below a millisecond come from rounding. */
export function isDrifted(approved: string | undefined, current: string | undefined): boolean {
  if (approved === undefined || current === undefined) return false;
  return Date.parse(current) - Date.parse(approved) >= 1;
}
