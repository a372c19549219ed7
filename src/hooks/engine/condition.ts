import type { Target } from "#kernel";
import { type PatternPlace, pathMatches } from "./path-pattern.ts";
import { shellParts } from "./shell-parts.ts";

/** A tool call as a condition sees it: in the words of its dialect. */
export interface SeenCall extends Target {
  readonly input: Readonly<Record<string, unknown>>;
}

/** The rule key `if`, compiled once. */
export interface Condition {
  readonly holds: (call: SeenCall, place: PatternPlace) => boolean;
  readonly problem?: string;
}

type Test = Condition["holds"];

const written = /^([\w*.:-]+)(?:\(([\s\S]*)\))?$/;

/** One permission rule: `Tool`, `Tool(*)` or `Tool(pattern)`. What is none never holds. See docs/reference/hooks.md. */
export function condition(source: string): Condition {
  const found = written.exec(source.trim());
  const tool = found?.[1];
  if (tool === undefined) {
    const problem = `'if' must be a permission rule such as Bash(git *), but is ${JSON.stringify(source)}`;
    return { holds: () => false, problem };
  }
  const pattern = found?.[2]?.trim();
  if (pattern === undefined || pattern === "" || pattern === "*") return { holds: (call) => isTool(tool, call) };
  const test = testOf(tool, pattern);
  return { holds: (call, place) => test(call, place) };
}

const isTool = (tool: string, call: SeenCall): boolean => namesOf(call).some((name) => sameTool(tool, name));
const namesOf = ({ name, aliases }: SeenCall): readonly string[] => [name, ...aliases];
const sameTool = (tool: string, name: string): boolean =>
  tool.includes("*") ? wildcard(tool, false).test(name) : tool === name;

function testOf(tool: string, pattern: string): Test {
  if (tool === "Bash" || tool === "PowerShell" || tool === "terminal") return commandTest(tool, pattern);
  const named = parameterTest(tool, pattern);
  if (named !== undefined && tool !== "WebFetch") return named;
  if (readers[tool] !== undefined) return pathTest(readers[tool], pattern);
  if (tool === "WebFetch" || tool === "web_extract") return domainTest(tool, pattern);
  if (tool === "Agent" || tool === "Task" || tool === "delegate_task")
    return (call) => isTool(tool, call) && textAt(call, "subagent_type") === pattern;
  if (tool === "Skill")
    return (call) => isTool(tool, call) && wildcard(pattern, false).test(textAt(call, "skill") ?? "");
  return () => false;
}

const textAt = ({ input }: SeenCall, key: string): string | undefined => {
  const value = input[key];
  return typeof value === "string" ? value : undefined;
};

/** `*` is any text; a trailing ` *` or `:*` also stands for nothing at all, and needs the end of a word. */
function wildcard(pattern: string, words: boolean): RegExp {
  const open = words ? /(?::| )\*$/.exec(pattern) : null;
  const body = open === null ? pattern : pattern.slice(0, open.index);
  const source = body
    .split("*")
    .map((piece) => piece.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"))
    .join("[\\s\\S]*");
  return new RegExp(`^${source}${open === null ? "" : "(?:\\s[\\s\\S]*)?"}$`);
}

function commandTest(tool: string, pattern: string): Test {
  const glob = wildcard(pattern, true);
  // `git *` names a command; `git push *` says more, and what a substitution makes of a text can then not be told.
  const saysMore = /\s/.test(pattern.replace(/(?::| )?\*$/, "").trim());
  return (call) => {
    if (!isTool(tool, call)) return false;
    const text = textAt(call, "command");
    if (text === undefined) return false;
    const { commands, dynamic, sound } = shellParts(text);
    if (!sound || (saysMore && dynamic)) return true;
    return glob.test(text.trim()) || commands.some((command) => glob.test(command));
  };
}

/** Which tools a rule about files is for, and where their paths stand. */
const writers = ["Edit", "Write", "MultiEdit", "NotebookEdit"];
const readers: Readonly<Record<string, readonly string[]>> = {
  Edit: writers,
  patch: writers,
  Write: ["Write"],
  write_file: ["Write"],
  MultiEdit: ["MultiEdit"],
  NotebookEdit: ["NotebookEdit"],
  Read: ["Read", "Grep", "Glob"],
  read_file: ["Read"],
};

function pathTest(tools: readonly string[], pattern: string): Test {
  return (call, place) =>
    namesOf(call).some((name) => tools.includes(name)) &&
    pathsOf(call).some((path) => pathMatches(pattern, path, place));
}

function pathsOf(call: SeenCall): readonly string[] {
  const { input } = call;
  const several = Array.isArray(input["file_paths"]) ? input["file_paths"] : [];
  const all: readonly unknown[] = [input["file_path"], input["notebook_path"], input["path"], ...several];
  return all.filter((path): path is string => typeof path === "string" && path !== "");
}

function domainTest(tool: string, pattern: string): Test {
  const domain = /^domain:(.+)$/.exec(pattern)?.[1]?.trim().toLowerCase();
  if (domain === undefined) return parameterTest(tool, pattern) ?? (() => false);
  const glob = wildcard(domain, false);
  return (call) => isTool(tool, call) && addressesOf(call).some((address) => glob.test(hostOf(address)));
}

function addressesOf({ input }: SeenCall): readonly string[] {
  const several: readonly unknown[] = Array.isArray(input["urls"]) ? input["urls"] : [];
  return [input["url"], ...several].filter((address): address is string => typeof address === "string");
}

const hostOf = (address: string): string => (URL.canParse(address) ? new URL(address).hostname.toLowerCase() : "");

/** What a tool is mainly about has rules of its own. */
const primary: Readonly<Record<string, string>> = {
  Edit: "file_path",
  Write: "file_path",
  Read: "file_path",
  WebFetch: "url",
};

/** `Tool(key:value)`: a field of the input, with `*` in it. */
function parameterTest(tool: string, pattern: string): Test | undefined {
  const found = /^(\w+):([\s\S]+)$/.exec(pattern);
  const key = found?.[1];
  const value = found?.[2];
  if (key === undefined || value === undefined || primary[tool] === key || key === "domain") return undefined;
  const glob = wildcard(value.trim(), false);
  return (call) => {
    const given = call.input[key];
    if (!isTool(tool, call) || given === undefined || given === null) return false;
    return glob.test(typeof given === "string" ? given : JSON.stringify(given));
  };
}
