import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";

/** Environment variable by which descendants are known again that left their group and lost their parent. */
export const treeVariable = "TALARIA_TREE";

interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** Together with the pid this names one process for ever; the pid alone is used again. */
  readonly started: string;
  readonly dead: boolean;
}

/** One line of /proc/<pid>/stat. The name in parentheses may hold spaces and parentheses. */
function parseStat(pid: number, stat: string): ProcessRow | undefined {
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state, parent, group] = fields;
  const started = fields[19];
  if (state === undefined || parent === undefined || group === undefined || started === undefined) return undefined;
  return { pid, parent: Number(parent), group: Number(group), started, dead: state === "Z" || state === "X" };
}

async function readOrNothing(path: string): Promise<string | undefined> {
  return readFile(path, "latin1").catch(() => undefined); // the process ended, or belongs to somebody else
}

async function rowsOfProc(): Promise<readonly ProcessRow[]> {
  const names = await readdir("/proc");
  const rows = await Promise.all(
    names
      .filter((name) => /^\d+$/.test(name))
      .map(async (name) => {
        const stat = await readOrNothing(`/proc/${name}/stat`);
        return stat === undefined ? undefined : parseStat(Number(name), stat);
      }),
  );
  return rows.filter((row) => row !== undefined);
}

async function rowsOfPs(): Promise<readonly ProcessRow[]> {
  const text = await new Promise<string>((resolve) => {
    execFile("ps", ["-A", "-o", "pid=,ppid=,pgid=,state=,lstart="], { maxBuffer: 1 << 26 }, (error, stdout) =>
      resolve(error === null ? stdout : ""),
    );
  });
  return text.split("\n").flatMap((line) => {
    const [, pid, parent, group, state, started] = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? [];
    if (pid === undefined || started === undefined) return [];
    const dead = state?.startsWith("Z") === true;
    return [{ pid: Number(pid), parent: Number(parent), group: Number(group), started, dead }];
  });
}

const readRows = (): Promise<readonly ProcessRow[]> => (process.platform === "linux" ? rowsOfProc() : rowsOfPs());

/** The start time of a process in the system's own terms; undefined when there is none with this id. */
export async function processStart(pid: number): Promise<string | undefined> {
  if (process.platform === "linux") {
    const stat = await readOrNothing(`/proc/${pid}/stat`);
    const row = stat === undefined ? undefined : parseStat(pid, stat);
    return row === undefined || row.dead ? undefined : row.started;
  }
  return (await rowsOfPs()).find((row) => row.pid === pid && !row.dead)?.started;
}

/** The living processes whose parent is `pid`. */
export async function childrenOf(pid: number): Promise<readonly number[]> {
  return (await readRows()).filter((row) => row.parent === pid && !row.dead).map((row) => row.pid);
}

/** The same for the end of our own process, where nothing can be awaited; on Linux only. */
export function childrenNow(pid: number): readonly number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1").trim().split(" ").filter(Boolean).map(Number);
  } catch {
    return []; // it has ended, or the system keeps no such list
  }
}

/** A started child: its pid is its group, the mark is its value of `treeVariable`. */
export interface Tree {
  readonly root: number;
  readonly mark: string;
  /** Once the root has been reaped its id may name a stranger; then only what carries the mark belongs to the tree. */
  readonly rootEnded: () => boolean;
}

async function carriesMark(pid: number, mark: string): Promise<boolean> {
  if (process.platform !== "linux") return false;
  const environment = await readOrNothing(`/proc/${pid}/environ`);
  if (environment === undefined) return false;
  const start = environment.indexOf(`${treeVariable}=`);
  if (start < 0) return false;
  const end = environment.indexOf("\0", start);
  return environment.slice(start, end < 0 ? undefined : end).includes(mark);
}

/** Everything alive of the tree: its group, the descendants of `known`, and marked processes whose parents are gone. */
async function living(tree: Tree, known: ReadonlyMap<number, string>): Promise<readonly ProcessRow[]> {
  const rows = await readRows();
  const found = new Map<number, ProcessRow>();
  const strangers: ProcessRow[] = [];
  const children = Map.groupBy(rows, (row) => row.parent);
  const add = (row: ProcessRow): void => {
    const queue = [row];
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
      if (found.has(next.pid) || next.pid === process.pid) continue;
      found.set(next.pid, next);
      queue.push(...(children.get(next.pid) ?? []));
    }
  };
  const reused = tree.rootEnded() && rows.some((row) => row.pid === tree.root && !row.dead);
  for (const row of rows) {
    if ((row.group === tree.root && !reused) || known.get(row.pid) === row.started) add(row);
    else strangers.push(row);
  }
  const marked = await Promise.all(
    strangers.map(async (row) => !found.has(row.pid) && !row.dead && (await carriesMark(row.pid, tree.mark))),
  );
  strangers.forEach((row, index) => {
    if (marked[index] === true) add(row);
  });
  return [...found.values()].filter((row) => !row.dead);
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (error instanceof Error && "code" in error && (error.code === "ESRCH" || error.code === "EPERM")) return;
    throw error;
  }
}

function signalAll(tree: Tree, rows: readonly ProcessRow[], signal: NodeJS.Signals): void {
  if (rows.some((row) => row.group === tree.root)) send(-tree.root, signal);
  for (const row of rows) if (row.group !== tree.root) send(row.pid, signal);
}

/**
 * Ends a tree: a polite signal, at most `graceMs` of patience, then kills until a look finds nobody.
 * A process that may not be signalled (another user's) is given up after five seconds.
 */
export async function endTree(tree: Tree, graceMs: number): Promise<void> {
  const known = new Map<number, string>();
  const look = async (): Promise<readonly ProcessRow[]> => {
    const rows = await living(tree, known);
    for (const row of rows) known.set(row.pid, row.started);
    return rows;
  };
  let rows = await look();
  signalAll(tree, rows, "SIGTERM");
  const patience = performance.now() + graceMs;
  for (let pause = 2; rows.length > 0 && performance.now() < patience; pause = Math.min(50, pause * 2)) {
    await delay(Math.min(pause, Math.max(1, patience - performance.now())));
    rows = await look();
  }
  const surrender = performance.now() + 5000;
  for (let pause = 2; rows.length > 0 && performance.now() < surrender; pause = Math.min(50, pause * 2)) {
    signalAll(tree, rows, "SIGKILL");
    await delay(pause);
    rows = await look();
  }
}

/** For the end of our own process, where nothing can be awaited. */
export function killGroupNow(group: number): void {
  send(-group, "SIGKILL");
}
