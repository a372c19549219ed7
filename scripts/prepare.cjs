"use strict";
// Readable by any Node that npm runs on: this is what a fresh clone starts with.
const { createHash } = require("node:crypto");
const { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } = require("node:fs");
const { join } = require("node:path");
const { spawnSync } = require("node:child_process");
const { bundledNode } = require("../bin/find-node.cjs");

const root = join(__dirname, "..");
const modules = join(root, "node_modules");

function say(text) {
  process.stderr.write(`talaria: ${text}\n`);
}

function fail(text) {
  say(text);
  process.exit(1);
}

/** Installs what package-lock.json names, unless this very lock file is installed already. */
function ensureInstalled() {
  const lock = readFileSync(join(root, "package-lock.json"));
  const hash = createHash("sha256").update(lock).digest("hex");
  const stamp = join(modules, ".talaria-lock");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === hash) return;
  say("installing dependencies (once; about 20 seconds)");
  const npm = process.env.npm_execpath;
  const args = ["ci", "--include=dev", "--include=optional", "--no-audit", "--no-fund", "--loglevel=error"];
  const command = npm ? [process.execPath, [npm, ...args]] : ["npm", args];
  // Nothing of npm's goes to our standard output: a task's answer may be piped.
  const { status, error } = spawnSync(command[0], command[1], { cwd: root, stdio: ["ignore", 2, 2] });
  if (status !== 0)
    fail(
      `npm ci failed${error ? `: ${error.message}` : ""}; mend what it names above, then run the same command again`,
    );
  writeFileSync(stamp, hash);
}

/** Paths, sizes and times of all that the build reads. */
function fingerprint() {
  const hash = createHash("sha256");
  for (const name of ["package.json", "package-lock.json", "scripts/build.mjs"]) {
    const { size, mtimeMs } = statSync(join(root, name));
    hash.update(`${name}:${size}:${mtimeMs}\n`);
  }
  for (const entry of readdirSync(join(root, "src"), { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || entry.name.endsWith(".test.ts")) continue;
    const path = join(entry.parentPath || entry.path, entry.name);
    const { size, mtimeMs } = statSync(path);
    hash.update(`${path}:${size}:${mtimeMs}\n`);
  }
  return hash.digest("hex");
}

/** Builds `dist/` unless it was built from these very files. */
function ensureBuilt() {
  const stamp = join(root, "dist", ".stamp");
  const wanted = fingerprint();
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return;
  const { status, stderr } = spawnSync(node(), [join(root, "scripts/build.mjs")], { cwd: root, encoding: "utf8" });
  if (status !== 0) fail(`the build failed:\n${stderr}`);
  mkdirSync(join(root, "dist"), { recursive: true });
  writeFileSync(stamp, wanted);
}

/** The Node that everything runs on: the one that the lock file brought, else this one if it is new enough. */
function node() {
  const found = bundledNode(modules);
  if (!found)
    fail(
      `Node 22.19 or newer is needed and none was found for ${process.platform}-${process.arch}: install Node 24, then run the same command again`,
    );
  return found;
}

/** The environment in which a script finds that Node and the tools first. */
function environment() {
  const path = [join(modules, ".bin"), process.env.PATH].join(process.platform === "win32" ? ";" : ":");
  return { ...process.env, PATH: path };
}

module.exports = { root, say, fail, ensureInstalled, ensureBuilt, node, environment };
