import { dirname, join } from "node:path";
import { childEnvironment, findProgram, launchCommand, readText, spawn, walkTree } from "#host";
import { programFile } from "../plugins/program-folder.ts";

/** How a plugin's own tests went. */
export interface OwnTests {
  readonly ok: boolean;
  readonly runs: readonly { readonly file: string; readonly ok: boolean; readonly output: string }[];
}

const testLimitMs = 120_000;
const notEntered: ReadonlySet<string> = new Set(["node_modules", ".git", "__pycache__", ".venv", "venv"]);

/**
 * Runs `*.test.ts` and `*.test.js` with Node, where the doors of this program can be imported, and `test_*.py` with `python3`, as
 * pytest's where they import it. Undefined where there are none.
 */
export async function ownTests(folder: string, home: string): Promise<OwnTests | undefined> {
  const files = (await walkTree(folder, { without: notEntered, most: 5000 })).map(({ path }) => path);
  const scripts = files.filter((path) => /\.test\.[cm]?[jt]s$/.test(path));
  const python = files.filter((path) => /(?:^|\/)test_[^/]*\.py$/.test(path));
  if (scripts.length + python.length === 0) return undefined;
  const runs: OwnTests["runs"][number][] = [];
  for (const file of scripts) runs.push(await run(file, folder, { home, command: nodeCommand(file) }));
  for (const file of python) runs.push(await run(file, folder, { home, command: await pythonCommand(folder, file) }));
  return { ok: runs.every(({ ok }) => ok), runs };
}

function nodeCommand(file: string): readonly string[] {
  const [node = "node"] = launchCommand();
  const preload = programFile("plugin-doors");
  const source = preload.endsWith(".ts") ? ["--conditions=talaria-source"] : [];
  return [node, ...source, "--import", preload, file];
}

async function pythonCommand(folder: string, file: string): Promise<readonly string[]> {
  const python = findProgram("python3") ?? "python3";
  const { text } = await readText(join(folder, file));
  if (/^\s*(?:import|from)\s+pytest\b/m.test(text)) return [python, "-m", "pytest", "-q", file];
  const name = file.slice(file.lastIndexOf("/") + 1);
  return [python, "-m", "unittest", "discover", "-s", dirname(file), "-t", dirname(file), "-p", name];
}

async function run(
  file: string,
  folder: string,
  { home, command }: { readonly home: string; readonly command: readonly string[] },
): Promise<OwnTests["runs"][number]> {
  const [program = "", ...words] = command;
  try {
    const env = childEnvironment({ home, extra: { PYTHONDONTWRITEBYTECODE: "1", NODE_NO_WARNINGS: "1" } });
    const { exit } = await spawn(program, words, { cwd: folder, env, timeoutMs: testLimitMs });
    const { code, timedOut, stdout, stderr } = await exit;
    const late = timedOut ? `\nno end within ${testLimitMs / 1000} s` : "";
    return { file, ok: code === 0, output: `${stdout.text}${stderr.text}${late}`.trim() };
  } catch (error) {
    return { file, ok: false, output: error instanceof Error ? error.message : String(error) };
  }
}
