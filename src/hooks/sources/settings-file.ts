import { fileFacts, isHostError, readTextIfExists } from "#host";
import { parseJson } from "./json-document.ts";
import { type Report, reportOn } from "./problems.ts";
import { type SourceMemory, staysAsBefore } from "./source-memory.ts";
import type { SourceNode } from "./source-node.ts";

const mostBytes = 8 << 20;

/** A JSON file as it was read. `node` is absent where it is broken or empty. */
export interface JsonFile {
  readonly file: string;
  readonly node: SourceNode | undefined;
  readonly report: Report;
  /** The file is there and cannot be used: what it said before may stand. */
  readonly broken: boolean;
  /** Which file it really is, whatever its name; undefined where that could not be found out. */
  readonly identity: string | undefined;
}

/**
 * Reads a JSON file whose top level is an object. Undefined where there is none; never throws, what is wrong is
 * reported. With a memory, a broken file says what it said before, and so does one whose change was refused.
 */
export async function readJsonFile(source: string, file: string, memory?: SourceMemory): Promise<JsonFile | undefined> {
  const before = memory?.json.get(file);
  if (memory?.held.has(file) === true) return heldFile(source, file, before);
  const read = await readNow(source, file, before);
  if (read?.broken === true && before !== undefined) return { ...read, node: before };
  if (read?.node === undefined) memory?.json.delete(file);
  else memory?.json.set(file, read.node);
  return read;
}

function heldFile(source: string, file: string, before: SourceNode | undefined): JsonFile | undefined {
  if (before === undefined) return undefined;
  const report = reportOn(source, file);
  report.note(undefined, "a hook refused the last change of this file; it counts as it stood before");
  return { file, node: before, report, broken: false, identity: undefined };
}

async function readNow(source: string, file: string, before: SourceNode | undefined): Promise<JsonFile | undefined> {
  const report = reportOn(source, file);
  const fate = before === undefined ? "the file is left out until it is corrected" : staysAsBefore;
  const broken = (line: number | undefined, message: string, identity?: string): JsonFile => {
    report.warn(line, `${message}; ${fate}`);
    return { file, node: undefined, report, broken: true, identity };
  };
  try {
    const [facts, read] = await Promise.all([fileFacts(file), readTextIfExists(file, { maxBytes: mostBytes })]);
    if (read === undefined) return undefined;
    const identity = facts?.identity;
    if (read.text.trim() === "") {
      if (before !== undefined)
        return broken(undefined, "the file is empty; to say nothing, write {} or delete it", identity);
      return { file, node: undefined, report, broken: false, identity };
    }
    const parsed = parseJson(read.text);
    if ("flaw" in parsed) {
      const { line, column, message } = parsed.flaw;
      return broken(line, `this is not JSON (column ${column}): ${message}`, identity);
    }
    if (parsed.node.members === undefined) return broken(1, "its top level must be an object", identity);
    for (const { key, line, firstLine } of parsed.duplicates)
      report.warn(
        line,
        `${JSON.stringify(key)} stands here a second time (first on line ${firstLine}); the last one counts`,
      );
    return { file, node: parsed.node, report, broken: false, identity };
  } catch (error) {
    if (!isHostError(error)) throw error;
    return broken(undefined, error.message);
  }
}
