"use strict";
// Starts the program again on a newer Node. Readable by any Node.
const { existsSync } = require("node:fs");
const { homedir, constants } = require("node:os");
const { join } = require("node:path");
const { spawn, spawnSync } = require("node:child_process");
const { floor, newEnough, nodePackages } = require("./find-node.cjs");

const wanted = "24.21.0";

/** Where a fetched Node is kept: not in the home, whose existence decides whether Hermes's is used. */
function runtimeFolder() {
  return join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "talaria", "runtime");
}

function binary(modules, name) {
  return join(modules, name, "bin", process.platform === "win32" ? "node.exe" : "node");
}

/** A Node that was named, came beside this package, or was fetched by an earlier start. */
function find() {
  const places = [
    join(__dirname, "..", "node_modules"),
    join(__dirname, "..", ".."),
    join(runtimeFolder(), "node_modules"),
  ];
  const candidates = process.env.TALARIA_NODE ? [process.env.TALARIA_NODE] : [];
  for (const place of places) for (const name of nodePackages()) candidates.push(binary(place, name));
  return candidates.find((file) => existsSync(file) && newEnough(version(file)));
}

function version(file) {
  const { stdout } = spawnSync(file, ["--version"], { encoding: "utf8" });
  return stdout ? stdout.trim() : "0.0.0";
}

/** Fetches a Node from the npm registry into the cache, once. */
function fetchNode() {
  const runtime = runtimeFolder();
  const name = nodePackages()[0];
  process.stderr.write(
    `talaria: Node ${process.version} is too old (needs ${floor.join(".")}); fetching ${name}@${wanted} into ${runtime}, once\n`,
  );
  const args = [
    "install",
    "--prefix",
    runtime,
    "--no-save",
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
    "--no-update-notifier",
    "--loglevel=error",
    `${name}@${wanted}`,
  ];
  const npm = process.platform === "win32" ? "npm.cmd" : "npm";
  spawnSync(npm, args, { stdio: ["ignore", 2, 2], shell: process.platform === "win32" });
  const file = binary(join(runtime, "node_modules"), name);
  return existsSync(file) ? file : undefined;
}

function explain() {
  process.stderr.write(
    `talaria: needs Node ${floor.join(".")} or newer; this is ${process.version}, and a newer one could not be fetched.\n` +
      `  Either install Node 24 and run the same command again,\n` +
      `  or, with the npm registry in reach: npm install --prefix ${runtimeFolder()} ${nodePackages()[0]}@${wanted}\n` +
      `  (TALARIA_NODE may name a Node binary.)\n`,
  );
  process.exitCode = 1;
}

function restart(launcher) {
  const node = find() || fetchNode();
  if (!node) return explain();
  const child = spawn(node, [launcher, ...process.argv.slice(2)], { stdio: "inherit" });
  const forward = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2"];
  // A terminal sends SIGINT to both; the child alone decides what it means.
  for (const signal of forward) process.on(signal, () => signal !== "SIGINT" && child.kill(signal));
  child.on("error", (error) => {
    process.stderr.write(`talaria: cannot start ${node}: ${error.message}\n`);
    process.exitCode = 1;
  });
  child.on("exit", (code, signal) => {
    process.exitCode = code === null ? 128 + (constants.signals[signal] || 0) : code;
  });
}

module.exports = { restart };
