import { fileFacts, isHostError, readTextIfExists } from "#host";
import { parseJson } from "./json-document.ts";
import { type Report, reportOn } from "./problems.ts";
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

/** Reads a JSON file whose top level is an object. Undefined where there is none; never throws, what is wrong is reported. */
export async function readJsonFile(source: string, file: string): Promise<JsonFile | undefined> {
  const report = reportOn(source, file);
  const result = (node: SourceNode | undefined, broken: boolean, identity?: string): JsonFile => ({
    file,
    node,
    report,
    broken,
    identity,
  });
  try {
    const [facts, read] = await Promise.all([fileFacts(file), readTextIfExists(file, { maxBytes: mostBytes })]);
    if (read === undefined) return undefined;
    const identity = facts?.identity;
    if (read.text.trim() === "") return result(undefined, false, identity);
    const parsed = parseJson(read.text);
    if ("flaw" in parsed) {
      const { line, column, message } = parsed.flaw;
      report.warn(line, `this is not JSON (column ${column}): ${message}; the file is left out until it is corrected`);
      return result(undefined, true, identity);
    }
    for (const { key, line, firstLine } of parsed.duplicates)
      report.warn(
        line,
        `${JSON.stringify(key)} stands here a second time (first on line ${firstLine}); the last one counts`,
      );
    if (parsed.node.members !== undefined) return result(parsed.node, false, identity);
    report.warn(1, "its top level must be an object; the file is left out until it is corrected");
    return result(undefined, true, identity);
  } catch (error) {
    if (!isHostError(error)) throw error;
    report.warn(undefined, `${error.message}; the file is left out`);
    return result(undefined, true);
  }
}
