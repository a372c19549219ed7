import { type SpawnSyncReturns, spawn, spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { cleanEnvironment, folder, until } from "../program-fixture.ts";

const unwanted = new Set(["node_modules", "dist", ".git"]);

const places: string[] = [];
afterAll(() => {
  for (const place of places) rmSync(place, { recursive: true, force: true });
});

/** A folder that all tests of this file may share. */
function shared(): string {
  const place = mkdtempSync(join(tmpdir(), "talaria-pack-"));
  places.push(place);
  return place;
}

/** The project's files in a place of their own, so that packing changes nothing here. */
function copy(): string {
  const place = shared();
  for (const name of readdirSync(".")) if (!unwanted.has(name)) cpSync(name, join(place, name), { recursive: true });
  symlinkSync(resolve("node_modules"), join(place, "node_modules"));
  return place;
}

function sh(command: string, args: readonly string[], cwd: string, env = process.env): SpawnSyncReturns<string> {
  return spawnSync(command, args, { cwd, env, encoding: "utf8" });
}

test("a pack that is killed leaves the house's own package.json", async () => {
  const place = copy();
  // A build that takes no time, and a packing that never ends.
  writeFileSync(join(place, "scripts", "build.mjs"), "");
  const manifest = readFileSync(join(place, "package.json"), "utf8");
  writeFileSync(join(place, "package.json"), manifest.replace('"postpack": "', '"postpack": "sleep 60; '));
  const before = readFileSync(join(place, "package.json"), "utf8");
  const published = JSON.parse(before);
  expect(published.devDependencies).toBeDefined();
  const packing = spawn("npm", ["pack"], { cwd: place, detached: true, stdio: "ignore" });
  await until(
    "the published manifest is in place",
    () => !readFileSync(join(place, "package.json"), "utf8").includes("devDependencies"),
  );
  process.kill(-(packing.pid ?? 0), "SIGKILL");
  await until("the house's own is back", () => readFileSync(join(place, "package.json"), "utf8") === before);
  expect(existsSync(join(place, ".package.house.json"))).toBe(false);
});

describe("the published package", () => {
  let place = "";
  let reason: string | undefined;

  beforeAll(() => {
    const source = copy();
    const packed = sh("npm", ["pack", "--silent"], source);
    if (packed.status !== 0) throw new Error(packed.stderr);
    expect(JSON.parse(readFileSync(join(source, "package.json"), "utf8")).scripts.start).toBeDefined();
    place = shared();
    cpSync(join(source, packed.stdout.trim()), join(place, "talaria.tgz"));
    writeFileSync(join(place, "package.json"), '{"private":true}');
    const installed = sh(
      "npm",
      ["install", "--prefer-offline", "--no-audit", "--no-fund", "--omit=optional", "./talaria.tgz"],
      place,
    );
    if (/ENOTFOUND|ECONNREFUSED|EAI_AGAIN|ETIMEDOUT|ENOTCACHED/.test(installed.stderr))
      reason = "no package registry is in reach";
    else expect(installed.stderr).not.toContain("ERR");
  }, 300_000);

  test("gives a working program", ({ skip }) => {
    if (reason !== undefined) return skip(reason);
    const version = JSON.parse(readFileSync("package.json", "utf8")).version;
    expect(sh("npx", ["talaria", "--version"], place).stdout).toBe(`${version}\n`);
    const env = cleanEnvironment(place);
    const ran = sh("npx", ["talaria", "run", "create hello.txt with the word hi, then show it"], place, env);
    expect(ran.stdout).toMatch(/hello\.txt contains:[\s\S]*hi/);
    expect(readFileSync(join(place, "hello.txt"), "utf8")).toBe("hi\n");
    expect(ran.status).toBe(0);
  });

  test("holds the doors with their types, and no tools of the house", ({ skip }) => {
    if (reason !== undefined) return skip(reason);
    const root = join(place, "node_modules", "talaria");
    const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    expect(manifest.devDependencies).toBeUndefined();
    for (const door of Object.values<{ types: string; default: string } | string>(manifest.exports)) {
      for (const file of typeof door === "string" ? [door] : [door.types, door.default])
        expect(existsSync(join(root, file)), file).toBe(true);
    }
    const use =
      'import { createKernel } from "talaria/kernel"; import { modelServer } from "talaria/testing"; console.log(typeof createKernel, typeof modelServer);';
    expect(sh(process.execPath, ["--input-type=module", "-e", use], place).stdout).toBe("function function\n");
  });

  test("runs through the launcher where the system's Node is too old", ({ skip }) => {
    const old = oldNode();
    if (reason !== undefined || old === undefined) return skip(reason ?? "there is no older Node on this machine");
    const launcher = join(place, "node_modules", ".bin", "talaria");
    const env = cleanEnvironment(place, { TALARIA_NODE: process.execPath });
    const ran = sh(old, [launcher, "run", "write x to old.txt"], place, env);
    expect(ran.stdout).toContain("I wrote old.txt.");
    expect(ran.status).toBe(0);
    expect(sh(old, [launcher, "run"], place, env).status).toBe(2);
  });
});

/** A Node of this machine that is too old to run the program. */
function oldNode(): string | undefined {
  const places = ["/usr/bin/node", "/usr/local/bin/node", "/opt/node/bin/node"];
  return places.find((node) =>
    /^v(1\d|20|21)\./.test(spawnSync(node, ["--version"], { encoding: "utf8" }).stdout ?? ""),
  );
}

describe("the launcher", () => {
  test("explains what to do where no newer Node is found or can be fetched", ({ skip }) => {
    const old = oldNode();
    if (old === undefined) return skip("there is no older Node on this machine");
    const home = folder();
    const bin = join(home, "package", "bin");
    mkdirSync(bin, { recursive: true });
    cpSync("bin", bin, { recursive: true });
    writeFileSync(join(home, "package", "package.json"), '{"version":"9.9.9"}');
    const ran = sh(old, [join(bin, "talaria.cjs"), "run", "hello"], home, cleanEnvironment(home, { PATH: "/nowhere" }));
    expect(ran.stderr).toMatch(/needs Node 22\.19 or newer; this is v\d+/);
    expect(ran.stderr).toContain("TALARIA_NODE");
    expect(ran.status).toBe(1);
    expect(sh(old, [join(bin, "talaria.cjs"), "--version"], home).stdout).toBe("9.9.9\n");
  });

  test("a fetched Node is kept in the cache, so that no home comes into being beside that of Hermes", ({ skip }) => {
    const old = oldNode();
    if (old === undefined) return skip("there is no older Node on this machine");
    const home = folder();
    const bin = join(home, "package", "bin");
    cpSync("bin", bin, { recursive: true });
    mkdirSync(join(home, "package", "dist"));
    writeFileSync(join(home, "package", "dist", "main.js"), "console.log('started');");
    writeFileSync(join(home, "package", "package.json"), '{"version":"9.9.9","type":"module"}');
    const npm = `#!/bin/sh\nfor package; do :; done\nplace="$3/node_modules/\${package%@*}/bin"\nmkdir -p "$place"\nln -s '${process.execPath}' "$place/node"\n`;
    writeFileSync(join(home, "npm"), npm, { mode: 0o755 });
    const env = cleanEnvironment(home, { HOME: home, PATH: `${home}:/usr/bin:/bin` });
    const { TALARIA_HOME: _named, XDG_CACHE_HOME: _cache, ...without } = env;
    const first = sh(old, [join(bin, "talaria.cjs"), "run"], home, without);
    expect(first.stderr).toContain(`into ${join(home, ".cache", "talaria", "runtime")}, once`);
    expect(first.stdout).toBe("started\n");
    expect(sh(old, [join(bin, "talaria.cjs"), "run"], home, without).stderr).toBe("");
    expect(existsSync(join(home, ".talaria"))).toBe(false);
  });

  test("a signal reaches the program and its status comes back", async ({ skip }) => {
    const old = oldNode();
    if (old === undefined) return skip("there is no older Node on this machine");
    const home = folder();
    const env = cleanEnvironment(home, { TALARIA_NODE: process.execPath });
    const child = spawn(old, [resolve("bin/talaria.cjs"), "run", "--json", "run `echo begun; sleep 60`"], {
      cwd: home,
      env,
      stdio: ["ignore", "pipe", "ignore"],
    });
    let output = "";
    child.stdout.on("data", (text) => {
      output += text;
    });
    await until("the tool runs", () => output.includes('"chunk":"begun'));
    const done = new Promise((settle) => child.on("close", settle));
    child.kill("SIGTERM");
    expect(await done).toBe(143);
  });
});
