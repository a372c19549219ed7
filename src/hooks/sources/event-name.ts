import { type AnyView, type EventName, named, namesOf, viewsOf } from "#kernel";

type RuleDialect = "shell" | "claude";

export interface KnownEvent {
  readonly event: EventName;
  readonly view: AnyView;
}

export interface UnknownEvent {
  readonly level: "warning" | "note";
  readonly message: string;
}

/** Events of later Hermes versions that have no counterpart here; files that name them are in order. */
const elsewhere = new Set(["pre_verify", "kanban_task_claimed", "kanban_task_completed", "kanban_task_blocked"]);

const other = { shell: "claude", claude: "shell" } as const;
const filesOf = { shell: "the `hooks:` of config.yaml", claude: "settings files" } as const;

/** The longest stretch that both texts share, and the like on both sides of it: letters in common. */
function common(left: string, right: string): number {
  if (left === "" || right === "") return 0;
  let best = { length: 0, left: 0, right: 0 };
  const runs = new Array<number>(right.length + 1).fill(0);
  for (let row = 0; row < left.length; row += 1) {
    for (let column = right.length - 1; column >= 0; column -= 1) {
      const length = left[row] === right[column] ? (runs[column] ?? 0) + 1 : 0;
      runs[column + 1] = length;
      if (length > best.length) best = { length, left: row + 1 - length, right: column + 1 - length };
    }
  }
  if (best.length === 0) return 0;
  const before = common(left.slice(0, best.left), right.slice(0, best.right));
  const after = common(left.slice(best.left + best.length), right.slice(best.right + best.length));
  return before + best.length + after;
}

const plain = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");

/** Twice the letters in common over all letters, as Hermes measures it; case and signs count for nothing. */
function similarity(left: string, right: string): number {
  const total = left.length + right.length;
  return total === 0 ? 1 : (2 * common(left, right)) / total;
}

function nearestEvent(name: string, dialect: RuleDialect): string | undefined {
  if (name.length > 80) return undefined;
  const ranked = namesOf(dialect)
    .map((candidate) => ({ candidate, near: similarity(plain(name), plain(candidate)) }))
    .filter(({ near }) => near >= 0.6)
    .sort((left, right) => right.near - left.near);
  return ranked[0]?.candidate;
}

const shown = (name: string): string => JSON.stringify(name.length > 80 ? `${name.slice(0, 80)}…` : name);

/** The event that a file of this dialect means by a name, or what to tell of it. */
export function eventNamed(name: string, dialect: RuleDialect): KnownEvent | UnknownEvent {
  const known = named(dialect, name);
  if (known !== undefined) return known;
  if (elsewhere.has(name)) {
    const message = `${name} is an event of later Hermes versions that does not happen here; its hooks never run`;
    return { level: "note", message };
  }
  const foreign = named(other[dialect], name);
  const skipped = "its hooks are skipped";
  if (foreign !== undefined) {
    const [view] = viewsOf(foreign.event, dialect);
    const advice =
      view === undefined
        ? `write it in ${filesOf[other[dialect]]} instead`
        : `in ${filesOf[dialect]} it is called ${view.name}`;
    return { level: "warning", message: `unknown event ${shown(name)}; ${skipped}: ${advice}` };
  }
  const near = nearestEvent(name, dialect);
  const advice = near === undefined ? `the events are ${namesOf(dialect).join(", ")}` : `did you mean ${near}?`;
  return { level: "warning", message: `unknown event ${shown(name)}; ${skipped}: ${advice}` };
}
