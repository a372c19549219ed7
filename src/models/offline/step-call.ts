import type { StepKind } from "./grammar.ts";
import { type Step, shellQuoted } from "./request.ts";

/** A tool call without its id. */
export interface StepCall {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

const terminal = (command: string): StepCall => ({ name: "terminal", args: { command } });
const withNewline = (text: string) => (text.endsWith("\n") ? text : `${text}\n`);
/** A path that begins with a dash is no option. */
const operand = (path: string) => shellQuoted(path.startsWith("-") ? `./${path}` : path);

/** Which real tool carries out which step. */
export const callOf: Readonly<Record<StepKind, (step: Step) => StepCall>> = {
  run: ({ text }) => terminal(text),
  read: ({ path }) => ({ name: "read_file", args: { path } }),
  "show-again": ({ path }) => ({ name: "read_file", args: { path } }),
  search: ({ text, path }) => ({
    name: "search_files",
    args: { pattern: escapedForSearch(text), path: path || ".", target: "content" },
  }),
  "find-files": ({ text, path }) => ({
    name: "search_files",
    args: { pattern: text, path: path || ".", target: "files" },
  }),
  write: ({ path, text }) => ({ name: "write_file", args: { path, content: withNewline(text) } }),
  "write-empty": ({ path }) => ({ name: "write_file", args: { path, content: "" } }),
  append: ({ path, text }) => terminal(`printf '%s\\n' ${shellQuoted(text)} >> ${operand(path)}`),
  list: ({ path }) => terminal(path ? `ls -la ${operand(path)}` : "ls -la"),
  changes: () => terminal("git status --short --branch && git diff --stat"),
  diff: () => terminal("git --no-pager diff"),
  log: () => terminal("git --no-pager log --oneline -n 10"),
  where: () => terminal("pwd"),
  date: () => terminal("date"),
  delete: ({ path }) => terminal(`rm ${operand(path)}`),
  "delete-folder": ({ path }) => terminal(`rm -r ${operand(path)}`),
  "make-folder": ({ path }) => terminal(`mkdir -p ${operand(path)}`),
  "count-lines": ({ path }) => terminal(`wc -l ${operand(path)}`),
};

/** The search tool reads regular expressions; what a person types is meant as it stands. */
function escapedForSearch(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
