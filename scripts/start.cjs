"use strict";
// `npm start`: installs and builds what is missing or stale, then runs the program in the folder npm was called from.
const { constants } = require("node:os");
const { spawn } = require("node:child_process");
const { join } = require("node:path");
const { root, ensureInstalled, ensureBuilt, node, fail } = require("./prepare.cjs");

ensureInstalled();
ensureBuilt();

const child = spawn(node(), [join(root, "bin/talaria.cjs"), ...process.argv.slice(2)], {
  cwd: process.env.INIT_CWD || process.cwd(),
  stdio: "inherit",
});
// The child gets the terminal's signals itself and decides what they mean.
process.on("SIGINT", () => undefined);
process.on("SIGTERM", () => child.kill("SIGTERM"));
child.on("error", (error) => fail(`cannot start: ${error.message}`));
child.on("exit", (code, signal) => process.exit(code === null ? 128 + (constants.signals[signal] || 0) : code));
