import type { Tool, ToolOutcome, TurnContext } from "#agent";
import { fileFacts, list, resolvePath } from "#host";
import { type Arguments, countArgument, textArgument } from "../argument.ts";
import { answer, failure } from "../outcome.ts";
import { remember } from "./session.ts";
import type { FilesystemSettings } from "./settings.ts";
import { similarNames } from "./similar-names.ts";
import { type LoadedText, loadText, refusal } from "./text-file.ts";

const usualLines = 500;
const mostLines = 2_000;
const lineCharacters = 2_000;
const listedEntries = 200;

const parameters = {
  type: "object",
  properties: {
    path: { type: "string", description: "The file: absolute, relative to the session's folder, or with ~." },
    offset: { type: "integer", minimum: 1, description: "First line to read; 1 by default." },
    limit: { type: "integer", minimum: 1, maximum: mostLines, description: `Lines to read; ${usualLines} by default.` },
  },
  required: ["path"],
} as const;

/** The tool `read_file`. */
export function readFileTool(settings: FilesystemSettings): Tool {
  return {
    name: "read_file",
    readOnly: true,
    toolset: "file",
    description:
      "Read a text file with line numbers (`12|text`). Long files are read in parts with offset and limit. Prefer it to cat, head, tail and sed.",
    parameters,
    concurrency: "by-path",
    paths: targets,
    resultLimit: Number.POSITIVE_INFINITY,
    summary: (args) => textArgument(args, "path") ?? "",
    run: async (args, { context }) => {
      const given = textArgument(args, "path");
      if (given === undefined || given === "") return failure("path is missing");
      try {
        return await read(resolvePath(given, context.cwd), { args, context, settings });
      } catch (error) {
        return failure(refusal(error), { path: given });
      }
    },
  };
}

/** The one path of a call; none where it is missing or no path. */
export function targets(args: Arguments, context: TurnContext): readonly string[] {
  const path = textArgument(args, "path");
  return path === undefined || path === "" || path.includes("\0") ? [] : [resolvePath(path, context.cwd)];
}

interface Call {
  readonly args: Arguments;
  readonly context: TurnContext;
  readonly settings: FilesystemSettings;
}

async function read(path: string, call: Call): Promise<ToolOutcome> {
  const facts = await fileFacts(path);
  if (facts === undefined) return notFound(path);
  if (facts.kind === "directory") return folder(path);
  const file = await loadText(path);
  if (file === undefined) return notFound(path);
  remember(call.context, path, file.facts);
  return page(file, call);
}

async function notFound(path: string): Promise<ToolOutcome> {
  const similar = await similarNames(path);
  return failure(`there is no file ${path}`, similar.length === 0 ? {} : { similar_files: similar });
}

async function folder(path: string): Promise<ToolOutcome> {
  const entries = await list(path);
  const names = entries
    .slice(0, listedEntries)
    .map((entry) => (entry.kind === "directory" ? `${entry.name}/` : entry.name));
  return failure(`${path} is a folder. To find files in it use search_files with target "files".`, {
    entries: names,
    total_entries: entries.length,
  });
}

function page(file: LoadedText, { args, settings }: Call): ToolOutcome {
  const lines = textLines(file.text);
  const about = {
    total_lines: lines.length,
    file_size: file.facts.bytes,
    ...(file.encoding === "utf-8" ? {} : { encoding: file.encoding }),
    ...(file.text.includes("\r\n") ? { line_endings: "crlf" } : {}),
  };
  if (lines.length === 0) return answer({ content: "", ...about, truncated: false, hint: "the file is empty" });
  const offset = countArgument(args, "offset", { least: 1, most: Number.MAX_SAFE_INTEGER, fallback: 1 });
  const limit = countArgument(args, "limit", { least: 1, most: mostLines, fallback: usualLines });
  if (offset > lines.length)
    return failure(`offset ${offset} is past the end: the file has ${lines.length} lines`, about);
  const { shown, cutLines } = numbered(lines, { offset, limit, characters: settings.readCharacters ?? 100_000 });
  const next = offset + shown.length;
  const truncated = next <= lines.length;
  const hints = [
    ...(truncated ? [`lines ${offset} to ${next - 1} of ${lines.length}; go on with offset ${next}`] : []),
    ...(cutLines > 0
      ? [
          `${cutLines} lines are longer than ${lineCharacters} characters and were cut; read them with terminal (cut -c)`,
        ]
      : []),
  ];
  const hint = hints.length === 0 ? {} : { hint: hints.join(". ") };
  return answer({ content: shown.join("\n"), ...about, truncated, ...hint });
}

/** The lines of a text; a newline at its end begins no further line. */
export function textLines(text: string): string[] {
  if (text === "") return [];
  const lines = text.split("\n").map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line));
  if (lines.at(-1) === "" && text.endsWith("\n")) lines.pop();
  return lines;
}

function numbered(
  lines: readonly string[],
  part: { readonly offset: number; readonly limit: number; readonly characters: number },
): { readonly shown: readonly string[]; readonly cutLines: number } {
  const shown: string[] = [];
  let cutLines = 0;
  let characters = 0;
  for (let index = part.offset - 1; index < lines.length && shown.length < part.limit; index += 1) {
    const line = lines[index] as string;
    const cut = line.length > lineCharacters;
    const text = `${index + 1}|${cut ? `${line.slice(0, lineCharacters)}… [${line.length - lineCharacters} more characters]` : line}`;
    characters += text.length + 1;
    if (characters > part.characters && shown.length > 0) break;
    if (cut) cutLines += 1;
    shown.push(text);
  }
  return { shown, cutLines };
}
