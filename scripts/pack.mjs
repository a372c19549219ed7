// `npm pack` and `npm publish` call this: `before` builds and puts the published manifest in place, `after` puts the house's own back.
// Where npm dies in between, a watcher that `before` leaves behind puts it back.
import { execFileSync, spawn } from "node:child_process";
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

const fact = (name, pid) => execFileSync("ps", ["-o", `${name}=`, "-p", String(pid)], { encoding: "utf8" }).trim();

/** The npm that runs this script, above the shell that it may use for that; undefined where the system tells no parents. */
function npmProcess() {
  try {
    for (let pid = process.ppid; pid > 1; pid = Number(fact("ppid", pid))) {
      if (/\bnpm\b/.test(fact("args", pid)) && !/^\S*sh -c/.test(fact("args", pid))) return pid;
    }
  } catch {
    return undefined;
  }
  return undefined;
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}

function watch(pid) {
  if (isAlive(pid) && existsSync(saved)) setTimeout(watch, 200, pid);
  else restore();
}

if (process.argv[2] === "watch") watch(Number(process.argv[3]));
else restore();
if (process.argv[2] === "before") {
  execFileSync(process.execPath, ["scripts/build.mjs", "--types"], { stdio: ["ignore", 2, 2] });
  const text = readFileSync("package.json", "utf8");
  writeFileSync(saved, text);
  const npm = npmProcess();
  const watcher = [fileURLToPath(import.meta.url), "watch", String(npm)];
  if (npm !== undefined) spawn(process.execPath, watcher, { detached: true, stdio: "ignore" }).unref();
  writeFileSync("package.json", `${JSON.stringify(published(JSON.parse(text)), null, 2)}\n`);
}
