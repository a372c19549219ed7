import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { findHome, homeFile, prepareHome } from "./home.ts";

let user = "";
const at = (name: string): string => join(user, name);
const find = (environment: Record<string, string> = {}, option?: string) =>
  findHome({ environment: { HOME: user, ...environment }, cwd: user, ...(option === undefined ? {} : { option }) });

beforeEach(() => {
  user = mkdtempSync(join(tmpdir(), "talaria-home-"));
});

describe("which home", () => {
  test("the option, then TALARIA_HOME, then HERMES_HOME", async () => {
    const both = { TALARIA_HOME: "/t", HERMES_HOME: "/h" };
    expect(await find(both, "mine")).toMatchObject({ path: at("mine"), from: "--home", isHermes: false });
    expect(await find(both)).toMatchObject({ path: "/t", from: "TALARIA_HOME", isHermes: false, second: undefined });
    expect(await find({ HERMES_HOME: "/h" })).toMatchObject({ path: "/h", from: "HERMES_HOME", isHermes: true });
  });

  test("nothing named and nothing there: ~/.talaria, not created", async () => {
    expect(await find()).toEqual({
      path: at(".talaria"),
      from: "default",
      exists: false,
      isWritable: true,
      isHermes: false,
      second: undefined,
    });
  });

  test("~/.hermes alone is the home, beside ~/.talaria it is the second root", async () => {
    mkdirSync(at(".hermes"));
    expect(await find()).toMatchObject({ path: at(".hermes"), isHermes: true, second: undefined });
    mkdirSync(at(".talaria"));
    expect(await find()).toMatchObject({ path: at(".talaria"), isHermes: false, second: at(".hermes") });
  });

  test.each([
    [0, true],
    [0x54414c41, false],
  ])("a state.db with the mark %i: Hermes's is %s", async (mark, isHermes) => {
    const head = Buffer.alloc(100);
    head.write("SQLite format 3\0", "latin1");
    head.writeUInt32BE(mark, 68);
    writeFileSync(at("state.db"), head);
    const home = await find({ TALARIA_HOME: user });
    expect(home.isHermes).toBe(isHermes);
    expect(homeFile.store(home)).toBe(at(isHermes ? "talaria.db" : "state.db"));
  });
});

describe("a home that cannot be used", () => {
  test("a file is refused with its source", async () => {
    writeFileSync(at("file"), "");
    await expect(find({ TALARIA_HOME: at("file") })).rejects.toThrow(
      `${at("file")} (from $TALARIA_HOME) is not a directory`,
    );
    await expect(find({ TALARIA_HOME: join(at("file"), "below") }).then(prepareHome)).rejects.toMatchObject({
      code: "not_writable",
    });
  });

  test("preparing creates it for its owner alone, with logs", async () => {
    const home = await find();
    await prepareHome(home);
    expect(await find()).toMatchObject({ exists: true });
    const { statSync } = await import("node:fs");
    expect(statSync(home.path).mode & 0o777).toBe(0o700);
    expect(statSync(join(home.path, "logs")).isDirectory()).toBe(true);
  });

  test.skipIf(process.getuid?.() !== 0)(
    "of another user it is found as one that may only be read, or refused (needs the superuser)",
    () => {
      chmodSync(user, 0o755);
      mkdirSync(at("open"), { mode: 0o755 });
      mkdirSync(at("closed/inner"), { recursive: true });
      chmodSync(at("closed"), 0o700);
      const script = `process.setgid(65534); process.setuid(65534);
      const { findHome } = await import(${JSON.stringify(join(import.meta.dirname, "home.ts"))});
      for (const name of ["open", "closed/inner"]) {
        const found = await findHome({ environment: { TALARIA_HOME: ${JSON.stringify(user)} + "/" + name }, cwd: "/" }).catch((error) => error);
        console.log(found.code ?? found.isWritable);
      }`;
      const child = spawnSync(process.execPath, ["--conditions=talaria-source", "--input-type=module", "-e", script], {
        encoding: "utf8",
        cwd: join(import.meta.dirname, "../.."),
      });
      expect(child.stdout).toBe("false\nno_home\n");
    },
  );
});
