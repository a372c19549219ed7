#!/usr/bin/env node
"use strict";
// The launcher: any Node can read it. It turns on the compile cache and starts the program,
// or starts it on a newer Node where this one is too old (docs/reference/launcher.md).
const { join } = require("node:path");
const { newEnough } = require("./find-node.cjs");

const only = process.argv.length === 3 ? process.argv[2] : "";
if (only === "--version" || only === "-V") {
  process.stdout.write(`${require("../package.json").version}\n`);
} else if (newEnough(process.version)) {
  start();
} else {
  require("./newer-node.cjs").restart(__filename);
}

function start() {
  const { enableCompileCache } = require("node:module");
  const { homedir } = require("node:os");
  if (enableCompileCache && !process.env.NODE_COMPILE_CACHE) {
    const cache = process.env.XDG_CACHE_HOME || join(homedir(), ".cache");
    enableCompileCache(join(cache, "talaria", "compiled"));
  }
  import("../dist/main.js").catch((error) => {
    if (error?.code === "ERR_MODULE_NOT_FOUND" && String(error.message).includes("main.js")) {
      process.stderr.write(
        "talaria: the program is not built: run 'npm start' in its folder, or install the package anew\n",
      );
    } else {
      process.stderr.write(`talaria: ${error?.stack || error}\n`);
    }
    process.exitCode = 1;
  });
}
