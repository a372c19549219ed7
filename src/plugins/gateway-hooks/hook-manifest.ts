import { parseYamlText } from "#config";
import { named, namesOf } from "#kernel";

export interface HookManifest {
  readonly name: string;
  readonly description: string;
  /** Empty: the hook cannot be used, and `problems` says why. */
  readonly events: readonly string[];
  readonly problems: readonly string[];
}

/** Reads the text of a `HOOK.yaml`. Keys beyond name, description and events belong to others and pass in silence. */
export async function readManifest(source: string, folderName: string): Promise<HookManifest> {
  const unusable = (problem: string): HookManifest => ({
    name: folderName,
    description: "",
    events: [],
    problems: [`Skipping ${folderName}: ${problem}`],
  });
  const parsed = await parseYamlText(source);
  if ("problem" in parsed) return unusable(`invalid HOOK.yaml: ${parsed.problem}`);
  const { value } = parsed;
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return unusable("invalid HOOK.yaml: no mapping");
  const { name, description, events } = value as Readonly<Record<string, unknown>>;
  if (events === undefined || events === null || (Array.isArray(events) && events.length === 0))
    return unusable("no events declared");
  if (typeof events === "string") return unusable(`events must be a list; write: events: [${events}]`);
  if (!Array.isArray(events)) return unusable("events must be a list of names");
  const names = [...new Set((events as readonly unknown[]).filter((one) => typeof one === "string"))];
  const problems = (events as readonly unknown[]).flatMap((one) => remark(one) ?? []);
  const own = typeof name === "string" && name.trim() !== "" ? name.trim() : folderName;
  return {
    name: own,
    description: typeof description === "string" ? description : "",
    events: names,
    problems: problems.map((problem) => `${names.length === 0 ? "Skipping" : "Hook"} ${own}: ${problem}`),
  };
}

/** What is odd about one entry of `events`; it is kept where it is text. */
function remark(entry: unknown): string | undefined {
  if (typeof entry !== "string") return `an event must be text, not ${JSON.stringify(entry)}`;
  const known = named("gateway", entry) ?? (entry.endsWith(":*") ? prefixes().has(entry.slice(0, -1)) : undefined);
  if (known) return undefined;
  const why =
    entry === "*" ? "'*' alone matches nothing; write agent:*, session:*, … as needed" : "nothing fires it here";
  return `no event is called '${entry}': ${why}`;
}

const prefixes = (): ReadonlySet<string> =>
  new Set(namesOf("gateway").map((name) => name.slice(0, name.indexOf(":") + 1)));
