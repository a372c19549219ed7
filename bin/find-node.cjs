"use strict";
// Finds a Node that can run the program. Readable by any Node.
const { existsSync, readFileSync } = require("node:fs");
const { join } = require("node:path");

const floor = [22, 19];

/** Whether a version such as `v24.1.0` can run the program. */
function newEnough(version) {
  const parts = version.replace(/^v/, "").split(".").map(Number);
  return parts[0] > floor[0] || (parts[0] === floor[0] && parts[1] >= floor[1]);
}

/** npm packages that carry a Node for this machine, best first. */
function nodePackages() {
  const platform = process.platform === "win32" ? "win" : process.platform;
  return [`node-${platform}-${process.arch}`, `node-bin-${platform}-${process.arch}`];
}

/** The Node binary inside a `node_modules` folder, else the running one where it is new enough, else undefined. */
function bundledNode(modules) {
  for (const name of nodePackages()) {
    const file = join(modules, name, "bin", process.platform === "win32" ? "node.exe" : "node");
    if (existsSync(file) && newEnough(packageVersion(join(modules, name)))) return file;
  }
  return newEnough(process.version) ? process.execPath : undefined;
}

function packageVersion(folder) {
  try {
    return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")).version;
  } catch {
    return "0.0.0";
  }
}

module.exports = { floor, newEnough, nodePackages, bundledNode };
