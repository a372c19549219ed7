// Writes dist/plugins/index.json: the bundled plugins as the program's start needs them, so that it looks into no folder.
import { mkdirSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { type Candidate, scanRoot } from "../src/plugins/index.ts";

const root = resolve("plugins");
const problems: string[] = [];
const found = await scanRoot(root, { problems, source: "bundled" });
if (problems.length > 0) throw new Error(problems.join("\n"));

function placed(candidate: Candidate): Candidate {
  const { code } = candidate;
  if (!("folder" in code)) return candidate;
  const folder = relative(root, code.folder);
  if (code.language !== "typescript") return { ...candidate, code: { ...code, folder } };
  const entry = relative(root, code.entry).replace(/\.[cm]?ts$/, ".js");
  return { ...candidate, code: { ...code, folder, entry } };
}

mkdirSync(join("dist", "plugins"), { recursive: true });
writeFileSync(join("dist", "plugins", "index.json"), `${JSON.stringify(found.map(placed))}\n`);
