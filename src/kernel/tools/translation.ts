import type { Args, Lens, Place } from "./lens.ts";
import { absolute, milliseconds, record, words } from "./lens.ts";
import { delegation, pages, questions, tasks } from "./list.ts";
import { patching, replacing } from "./patch.ts";

/** One tool of ours as the claude dialect knows it. */
export interface Translation {
  readonly own: string;
  /** The name that is sent, then older and further names that matchers may use. */
  readonly names: readonly [string, ...string[]];
  /** Which calls look like this; absent: all. */
  readonly when?: (own: Args) => boolean;
  readonly lens: Lens<Args, Args>;
}

const filePath = { to: "file_path", value: absolute } as const;

/** The one table of tools under two names. Rows of one tool stand in the order in which they are tried. */
export const translations: readonly Translation[] = [
  {
    own: "terminal",
    names: ["Bash"],
    lens: record({ timeout: { to: "timeout", value: milliseconds }, background: { to: "run_in_background" } }, [
      "workdir",
      "pty",
      "notify_on_complete",
      "watch_patterns",
    ]),
  },
  { own: "write_file", names: ["Write"], lens: record({ path: filePath }, ["cross_profile"]) },
  { own: "read_file", names: ["Read"], lens: record({ path: filePath }) },
  { own: "patch", names: ["MultiEdit", "Edit"], when: (own) => own["mode"] === "patch", lens: patching },
  { own: "patch", names: ["Edit", "MultiEdit"], lens: replacing },
  {
    own: "search_files",
    names: ["Glob"],
    when: (own) => own["target"] === "files",
    lens: record({}, ["target", "file_glob", "limit", "offset", "output_mode", "context"]),
  },
  {
    own: "search_files",
    names: ["Grep"],
    lens: record(
      {
        file_glob: { to: "glob" },
        limit: { to: "head_limit" },
        output_mode: { to: "output_mode", value: words({ files_only: "files_with_matches" }) },
      },
      ["target"],
    ),
  },
  { own: "web_extract", names: ["WebFetch"], lens: pages },
  { own: "web_search", names: ["WebSearch"], lens: record({}, ["limit"]) },
  { own: "delegate_task", names: ["Agent", "Task"], lens: delegation },
  { own: "todo", names: ["TodoWrite"], lens: tasks },
  { own: "clarify", names: ["AskUserQuestion"], lens: questions },
];

const identity: Lens<Args, Args> = { get: (own) => own, put: (_own, seen) => seen };

const translationOf = (toolName: string, args: Args): Translation | undefined =>
  translations.find((row) => row.own === toolName && (row.when === undefined || row.when(args)));

/** A tool call in the claude dialect. */
export interface SeenCall {
  readonly name: string;
  /** Names that a matcher may use for this call besides `name`: older ones, further ones, our own. */
  readonly aliases: readonly string[];
  readonly input: Args;
}

const sanitised = (name: string): string => name.replace(/[^A-Za-z0-9_]/g, "_");

/** `mcp_<server>_<tool>` as `mcp__<server>__<tool>`; without the server's name it ends at the first underscore. */
function mcpName(toolName: string, server: string | undefined): string | undefined {
  if (!toolName.startsWith("mcp_") || toolName.startsWith("mcp__")) return undefined;
  const prefix = server === undefined ? undefined : `mcp_${sanitised(server)}_`;
  if (server !== undefined && prefix !== undefined && toolName.startsWith(prefix))
    return `mcp__${server}__${toolName.slice(prefix.length)}`;
  const split = /^mcp_([^_]+)_(.+)$/.exec(toolName);
  return split ? `mcp__${split[1]}__${split[2]}` : undefined;
}

/** What the claude dialect sees of a call of ours. Tools without a translation keep name and arguments. */
export function seenCall(toolName: string, args: Args, server?: string, place?: Place): SeenCall {
  const row = translationOf(toolName, args);
  const [name, ...aliases] = row ? row.names : [mcpName(toolName, server) ?? toolName];
  return {
    name,
    aliases: name === toolName ? aliases : [...aliases, toolName],
    input: (row?.lens ?? identity).get(args, place),
  };
}

/** Our arguments after the claude dialect has replaced what it saw of them. */
export const ownArgs = (toolName: string, args: Args, seen: Args, place?: Place): Args =>
  (translationOf(toolName, args)?.lens ?? identity).put(args, seen, place);

/** The names of our tools that a name of the claude dialect stands for; empty for one that is not known. */
export function ownToolNames(seen: string): readonly string[] {
  const found = translations.filter((row) => row.names.includes(seen)).map((row) => row.own);
  const mcp = /^mcp__(.+?)__(.+)$/.exec(seen);
  return mcp ? [`mcp_${sanitised(`${mcp[1]}`)}_${sanitised(`${mcp[2]}`)}`] : [...new Set(found)];
}
