// `npm pack` and `npm publish` call this: `before` builds and puts the published manifest in place, `after` puts the house's own back.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
const saved = ".package.house.json";

/** What a user installs: no tools of the house, and no Node binaries (the launcher fetches one only where it is needed). */
function published(manifest) {
  const { scripts: _scripts, devDependencies: _tools, optionalDependencies, ...rest } = manifest;
  const optional = Object.entries(optionalDependencies).filter(([name]) => !/^node-/.test(name));
  return { ...rest, optionalDependencies: Object.fromEntries(optional) };
}

function restore() {
  if (existsSync(saved)) renameSync(saved, "package.json");
}

restore();
if (process.argv[2] === "before") {
  execFileSync(process.execPath, ["scripts/build.mjs", "--types"], { stdio: ["ignore", 2, 2] });
  const text = readFileSync("package.json", "utf8");
  writeFileSync(saved, text);
  writeFileSync("package.json", `${JSON.stringify(published(JSON.parse(text)), null, 2)}\n`);
}
