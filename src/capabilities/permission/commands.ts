import { expand, grown, printed, type Scope } from "./expand.ts";
import { expansionsIn, type Part, type Token } from "./lexer.ts";

/** One simple command, its words as the shell would make them. */
export interface Command {
  readonly words: string[];
  /** Shell text that runs to make its words: command and process substitutions. */
  readonly sources: string[];
  /** `> target`, without the descriptor. */
  readonly redirects: string[];
  /** What here-documents and here-strings give it. */
  readonly bodies: string[];
  /** What ends it: `;` also for the end of a line, empty at the end of the text. */
  operator: string;
}

interface Building {
  readonly commands: Command[];
  readonly scope: Scope;
  current: Command;
  depth: number;
  /** Words so far allow that the next one assigns a variable. */
  assigning: boolean;
}

const keywords = new Set(["if", "then", "elif", "else", "fi", "do", "done", "while", "until", "{", "}", "!", "esac"]);

/** Groups tokens to simple commands; words of the shell's own grammar are commands of their own. Notes assignments in `scope`. */
export function commandsOf(tokens: readonly Token[], scope: Scope): readonly Command[] {
  const building: Building = { commands: [], scope, current: empty(), depth: 0, assigning: true };
  for (let index = 0; index < tokens.length && !scope.excessive; index++) {
    const token = tokens[index] as Token;
    if (token.type === "redirect") index += addRedirect(building, token, tokens[index + 1]);
    else if (token.type === "operator") addOperator(building, token.text);
    else addWord(building, token.parts);
  }
  close(building, "");
  return building.commands;
}

const empty = (): Command => ({ words: [], sources: [], redirects: [], bodies: [], operator: "" });

function close(building: Building, operator: string): void {
  building.current.operator = operator;
  building.commands.push(building.current);
  building.current = empty();
  building.assigning = true;
}

function addOperator(building: Building, operator: string): void {
  if (operator === "\n" && continues(building)) return;
  close(building, operator === "\n" ? ";" : operator);
  if (operator === "(") building.depth++;
  if (operator !== ")") return;
  if (building.depth > 0) building.depth--;
  else markPattern(building.commands);
}

/** A line may end after `|`, `&&` and `||`; the command goes on in the next. */
const continues = ({ commands, current }: Building): boolean =>
  current.words.length === 0 && /^(?:\|&?|&&|\|\|)$/.test(commands.at(-1)?.operator ?? "");

/** A bracket that closes nothing ends a pattern of `case`: its words are no command. */
function markPattern(commands: readonly Command[]): void {
  for (const [place, command] of commands.toReversed().entries()) {
    if (place > 0 && command.operator !== "|") return;
    command.words.unshift("case:");
  }
}

function addWord(building: Building, parts: readonly Part[]): void {
  const { current: command, scope } = building;
  addSources(command, parts, scope);
  const words = expand(parts, scope);
  const first = parts[0];
  const named = first?.type === "text" ? /^([A-Za-z_]\w*)\+?=/.exec(first.text)?.[1] : undefined;
  if (named !== undefined && building.assigning) {
    const assignment = words.join(" ");
    const before = /^\w+\+=/.test(assignment) ? (scope.variables.get(named) ?? "") : "";
    scope.variables.set(named, grown(before + assignment.slice(assignment.indexOf("=") + 1), scope));
    command.words.push(assignment);
    return;
  }
  building.assigning = building.assigning && words.every((word) => beforeAssignment.test(word));
  command.words.push(...words);
  noteLoops(command.words, scope);
  const [head = ""] = command.words;
  if (command.words.length === (head === "function" ? 2 : 1) && (head === "function" || keywords.has(head)))
    close(building, "");
  else if (head === "coproc" && words.at(-1) === "{") close(building, "");
}

const deepestSources = 12;

function addSources(command: Command, parts: readonly Part[], scope: Scope, depth = 0): void {
  if (depth > deepestSources) scope.excessive = true;
  if (depth > deepestSources) return;
  for (const part of parts) {
    if (part.type === "substitution") command.sources.push(part.source);
    else addSources(command, expansionsIn(insideOf(part)), scope, depth + 1);
  }
}

/** Text inside a part in which the shell expands once more. */
function insideOf(part: Exclude<Part, { type: "substitution" }>): string {
  const text = part.type === "variable" ? part.operation : (part.inside ?? "");
  return /[$`]/.test(text) ? text : "";
}

const beforeAssignment = /^(?:[A-Za-z_]\w*\+?=|(?:export|declare|local|readonly|typeset|env|sudo)$|-)/;

const mostLoopWords = 200;

function noteLoops(words: readonly string[], scope: Scope): void {
  if (!/^(?:for|select|set|printf)$/.test(words[0] ?? "")) return;
  const [head = "", name = "", ...rest] = words.slice(0, mostLoopWords);
  if (/^(?:for|select)$/.test(head) && rest[0] === "in") scope.variables.set(name, rest.slice(1).join(" "));
  if (head === "printf" && name === "-v") scope.variables.set(rest[0] ?? "", printed(rest.slice(1)));
  if (head !== "set" || name !== "--") return;
  scope.variables.set("@", rest.join(" "));
  for (const [index, value] of rest.slice(0, 9).entries()) scope.variables.set(`${index + 1}`, value);
}

/** Returns how many tokens belong to it besides itself. */
function addRedirect({ current, scope }: Building, token: Redirect, next: Token | undefined): 0 | 1 {
  const parts = token.body === undefined && next?.type === "word" ? next.parts : undefined;
  addSources(current, token.expands === true ? expansionsIn(token.body ?? "") : (parts ?? []), scope);
  const target = expand(parts ?? [], scope).join(" ");
  if (token.operator === "<<<") addHereString(current, target, scope);
  if (token.body !== undefined) current.bodies.push(token.body);
  current.redirects.push(`${token.operator.replace(/^(?:\d+|\{\w+\})/, "")} ${target}`.trim());
  return parts === undefined ? 0 : 1;
}

/** `read a b <<< 'rm -rf /'` assigns words of it. */
function addHereString(current: Command, text: string, scope: Scope): void {
  current.bodies.push(text);
  if (current.words[0] !== "read") return;
  const names = current.words.slice(1).filter((word) => !word.startsWith("-"));
  const values = text.split(/\s+/);
  for (const [index, name] of names.entries())
    scope.variables.set(name, index === names.length - 1 ? values.slice(index).join(" ") : (values[index] ?? ""));
}

type Redirect = Extract<Token, { readonly type: "redirect" }>;
