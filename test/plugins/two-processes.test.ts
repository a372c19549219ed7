import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { folder, type Ran, run } from "../program-fixture.ts";

const code = "export const register = () => undefined;\n";

/** A home whose configuration has a comment, and folders of plugins beside it. */
function house(...names: readonly string[]) {
  const home = folder();
  mkdirSync(join(home, ".talaria"));
  writeFileSync(join(home, ".talaria", "config.yaml"), "# mine\nui:\n  language: en # stays\n");
  for (const name of names) {
    mkdirSync(join(home, "from", name), { recursive: true });
    writeFileSync(join(home, "from", name, "plugin.yaml"), `name: ${name}\nversion: 1.0.0\n`);
    writeFileSync(join(home, "from", name, "index.ts"), code);
  }
  return {
    talaria: (...words: string[]): Promise<Ran> => run(words, { home }),
    from: (name: string): string => join(home, "from", name),
    plugins: join(home, ".talaria", "plugins"),
    config: (): string => readFileSync(join(home, ".talaria", "config.yaml"), "utf8"),
  };
}

const said = (ran: Ran): string => `${ran.status} ${ran.stdout}${ran.stderr}`;

test("processes that install, disable and enable different plugins at once lose nothing of each other", async () => {
  const names = ["one", "two", "three", "four"];
  const here = house(...names);
  const installed = await Promise.all(
    names.map((name) => here.talaria("plugins", "install", here.from(name), "--enable")),
  );
  for (const ran of installed) expect(ran.status, said(ran)).toBe(0);
  const listed = (key: "enabled" | "disabled"): Promise<readonly string[]> =>
    here
      .talaria("config", "get", `plugins.${key}`, "--json")
      .then(({ stdout }) => names.filter((name) => stdout.includes(name)));
  expect(await listed("enabled")).toEqual(names);

  const switched = await Promise.all(
    names.map((name, index) => here.talaria("plugins", index % 2 === 0 ? "disable" : "enable", name)),
  );
  for (const ran of switched) expect(ran.status, said(ran)).toBe(0);
  expect(await listed("enabled")).toEqual(["two", "four"]);
  expect(await listed("disabled")).toEqual(["one", "three"]);
  expect(here.config()).toContain("# mine\nui:\n  language: en # stays\n");
}, 120_000);

test("the same plugin installed by three processes at once is there once, and whole", async () => {
  const here = house("same");
  const ran = await Promise.all([1, 2, 3].map(() => here.talaria("plugins", "install", here.from("same"), "--enable")));
  expect(
    ran.map(({ status }) => status),
    ran.map(said).join("\n"),
  ).toContain(0);
  expect(readdirSync(here.plugins).filter((name) => !name.startsWith("."))).toEqual(["same"]);
  expect(readFileSync(join(here.plugins, "same", "index.ts"), "utf8")).toBe(code);
  expect(existsSync(join(here.plugins, "same", "plugin.yaml"))).toBe(true);
  expect((await here.talaria("plugins", "list")).stdout).toContain("same");
  expect(
    ran
      .filter(({ status }) => status !== 0)
      .map(({ stderr }) => stderr)
      .filter((text) => /\n\s+at |ENOTEMPTY|EEXIST|ENOENT/.test(text)),
  ).toEqual([]);
}, 120_000);

test("a disk that is full while a plugin is installed is told, and leaves nothing of it (skipped where none may be mounted)", async ({
  skip,
}) => {
  const home = folder();
  const data = join(home, ".talaria");
  mkdirSync(data);
  if (spawnSync("mount", ["-t", "tmpfs", "-o", "size=300k", "tmpfs", data]).status !== 0)
    return skip("no file system may be mounted here");
  onTestFinished(() => void spawnSync("umount", ["-l", data]));
  mkdirSync(join(home, "big"));
  writeFileSync(join(home, "big", "plugin.yaml"), "name: big\nversion: 1.0.0\n");
  writeFileSync(join(home, "big", "index.ts"), code);
  writeFileSync(join(home, "big", "data.bin"), Buffer.alloc(900_000, 7));
  const ran = await run(["plugins", "install", join(home, "big"), "--enable"], { home });
  expect(ran.status, said(ran)).toBe(1);
  expect(ran.stderr).toContain("no space is left on the disk");
  expect(readdirSync(join(data, "plugins"))).toEqual([]);
}, 60_000);
