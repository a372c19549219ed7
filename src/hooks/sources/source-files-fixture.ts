import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Rule, RuleSet } from "../rule.ts";
import { readSources, type SourcesRead } from "./read-sources.ts";
import type { SourceSearch } from "./settings-layers.ts";

/** A machine of its own: a person's home with `.talaria`, a project, a policy folder. */
export interface Machine extends Disposable {
  readonly root: string;
  readonly search: SourceSearch;
  /** Writes a file, `~` being the person's home; objects as JSON. The absolute path. */
  write(path: string, content: unknown): string;
  path(path: string): string;
  read(change?: Partial<SourceSearch>): Promise<SourcesRead>;
}

export function machine(): Machine {
  const root = mkdtempSync(join(tmpdir(), "talaria-sources-"));
  const home = join(root, "person");
  const path = (name: string): string => join(root, name.replace(/^~/, "person"));
  for (const folder of [home, path("~/.talaria"), path("project")]) mkdirSync(folder, { recursive: true });
  const search: SourceSearch = {
    home: path("~/.talaria"),
    secondHome: undefined,
    project: path("project"),
    environment: { HOME: home },
    projectTrusted: true,
    projectHooks: true,
    managedFolder: path("policy"),
  };
  return {
    root,
    search,
    path,
    write(name, content) {
      const file = path(name);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(
        file,
        typeof content === "string" || content instanceof Uint8Array ? content : JSON.stringify(content, null, 2),
      );
      return file;
    },
    read: (change = {}) => readSources({ ...search, ...change }),
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  };
}

/** A settings file with one command for an event. */
export const withCommand = (command: string, event = "PreToolUse", more: object = {}): object => ({
  ...more,
  hooks: { [event]: [{ matcher: "Bash", hooks: [{ type: "command", command }] }] },
});

export const rulesOf = ({ sets }: { readonly sets: readonly RuleSet[] }): readonly Rule[] =>
  sets.flatMap(({ rules }) => rules);

/** The commands that run, in order. */
export const commandsOf = (read: { readonly sets: readonly RuleSet[] }): readonly string[] =>
  rulesOf(read).map((rule) => ("command" in rule ? rule.command : rule.type));

export const problemsOf = ({ sets }: { readonly sets: readonly RuleSet[] }): readonly string[] =>
  sets.flatMap(({ problems }) => problems.map(({ message }) => message));

export const droppedOf = ({ sets }: { readonly sets: readonly RuleSet[] }): readonly string[] =>
  sets.flatMap(({ dropped }) => dropped.map(({ reason }) => reason));
