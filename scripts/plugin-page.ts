import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const files = ["plugin-context.ts", "registration.ts", "provider.ts", "manifest.ts"];

interface Declared {
  readonly name: string;
  readonly about: string;
  readonly code: string;
  readonly members: readonly Member[];
}
interface Member {
  readonly name: string;
  readonly about: string;
  readonly signature: string;
}

/** The sentences of the doc comment before a node, on one line. */
function aboutOf(node: ts.Node, source: ts.SourceFile): string {
  const comments = ts.getLeadingCommentRanges(source.text, node.getFullStart()) ?? [];
  const last = comments.map(({ pos, end }) => source.text.slice(pos, end)).findLast((text) => text.startsWith("/**"));
  return (last ?? "")
    .replace(/^\/\*\*|\*\/$/g, "")
    .replaceAll(/^\s*\* ?/gm, "")
    .replaceAll(/\s+/g, " ")
    .trim();
}

/** Methods may be declared more than once: each is a member. */
function membersOf(node: ts.InterfaceDeclaration, source: ts.SourceFile): readonly Member[] {
  return node.members.map((member) => ({
    name: member.name?.getText(source) ?? "",
    about: aboutOf(member, source),
    signature: plain(member.getText(source)),
  }));
}

const plain = (text: string): string => text.replaceAll(/^\s*\/\*\*.*\*\/\n/gm, "").replaceAll(/\breadonly /g, "");

function declarations(): readonly Declared[] {
  return files.flatMap((file) => {
    const path = fileURLToPath(new URL(`../src/plugins/${file}`, import.meta.url));
    const source = ts.createSourceFile(file, readFileSync(path, "utf8"), ts.ScriptTarget.Latest);
    return source.statements.flatMap((node): readonly Declared[] => {
      if (!ts.isInterfaceDeclaration(node) && !ts.isTypeAliasDeclaration(node)) return [];
      if (!node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) return [];
      const members = ts.isInterfaceDeclaration(node) ? membersOf(node, source) : [];
      return [{ name: node.name.text, about: aboutOf(node, source), code: plain(node.getText(source)), members }];
    });
  });
}

/** What the types of a text name, in the order in which they stand in the files. */
const mentioned = (text: string, all: readonly Declared[]): readonly Declared[] =>
  all.filter(({ name }) => new RegExp(`\\b${name}\\b`).test(text));

function reached(start: Declared, all: readonly Declared[]): readonly Declared[] {
  const found = new Set([start]);
  for (const one of found) for (const other of mentioned(one.code, all)) found.add(other);
  return all.filter((one) => one !== start && found.has(one));
}

const snakeCase = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

function memberText({ name, about, signature }: Member): string {
  const python = snakeCase(name) === name ? "" : ` (Python: \`${snakeCase(name)}\`)`;
  return `### ${name}\n\n${[about, python.trim()].filter(Boolean).join(" ")}\n\n\`\`\`ts\n${signature}\n\`\`\`\n`.replace(
    /\n{3,}/g,
    "\n\n",
  );
}

/** docs/reference/plugin-context.md: `PluginContext` and every type that it leads to, from the sources. */
export function pluginContextPage(): string {
  const all = declarations();
  const context = all.find(({ name }) => name === "PluginContext");
  if (context === undefined) throw new Error("src/plugins/plugin-context.ts has no PluginContext");
  const types = reached(context, all).map(
    ({ name, about, code }) =>
      `### ${name}\n\n${about === "" ? "" : `${about}\n\n`}\`\`\`ts\n${code.replace(/^export /, "")}\n\`\`\`\n`,
  );
  return [
    "# PluginContext\n",
    "Made from the types by `npm run generate`. How to begin: [write a plugin in ten minutes](../guide/write-a-plugin.md). What each registration does in",
    "the running program: [plugins in use](plugins-in-use.md). The types can be imported from `talaria/plugin`; `readonly` is left out here.\n",
    `${context.about}\n`,
    "## Methods and values\n",
    ...context.members.map(memberText),
    "## Types\n",
    ...types,
  ].join("\n");
}
