import { execFileSync } from "node:child_process";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { exists, fileFacts, list } from "./file-facts.ts";
import { appendLine, ensureDirectory, readStart, readText, readTextIfExists, remove, writeAtomic } from "./files.ts";
import { encodeText } from "./text-encoding.ts";

let directory = "";
const at = (name: string): string => join(directory, name);

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "talaria-files-"));
});

describe("reading text", () => {
  test.each([
    ["utf-8", Buffer.from("é\n"), "é\n", "lf"],
    ["utf-8-bom", Buffer.from("\ufeffé\r\n"), "é\r\n", "crlf"],
    ["utf-16le", Buffer.from("\ufeffhé\n", "utf16le"), "hé\n", "lf"],
    ["utf-16be", Buffer.from("\ufeffhé\n", "utf16le").swap16(), "hé\n", "lf"],
    ["utf-16le", Buffer.from("plain words", "utf16le"), "plain words", "none"],
    ["utf-16be", Buffer.from("plain words", "utf16le").swap16(), "plain words", "none"],
    ["latin1", Buffer.from("caf\xe9\nna\xefve\r\n", "latin1"), "café\nnaïve\r\n", "mixed"],
    ["utf-8", Buffer.from(""), "", "none"],
    ["utf-8", Buffer.from("\x1b[31mred\x1b[0m\t"), "\x1b[31mred\x1b[0m\t", "none"],
  ] as const)("%s %j", async (encoding, bytes, text, lineEnding) => {
    writeFileSync(at("f"), bytes);
    expect(await readText(at("f"))).toEqual({ text, encoding, lineEnding, bytes: bytes.length });
    const written = encodeText(text, encoding);
    await writeAtomic(at("g"), text, { encoding });
    expect(readFileSync(at("g"))).toEqual(written);
    expect((await readText(at("g"))).text).toBe(text);
  });

  test.each([
    [Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d]), "a PNG image"],
    [Buffer.from("%PDF-1.7"), "a PDF document"],
    [Buffer.from("a\0b\x01\x02"), "byte 1 is NUL"],
    [Buffer.from([0x80, 0x01, 0x02, 0x03, 0x04, 0x80]), "control bytes"],
  ])("binary %j is refused with the reason", async (bytes, reason) => {
    writeFileSync(at("f"), bytes);
    await expect(readText(at("f"))).rejects.toMatchObject({ code: "binary", subject: at("f") });
    await expect(readText(at("f"))).rejects.toThrow(reason);
  });

  test("a directory, a device, a pipe, a missing and a large file are refused, not waited for", async () => {
    execFileSync("mkfifo", [at("pipe")]);
    writeFileSync(at("large"), "x".repeat(100));
    await expect(readText(directory)).rejects.toMatchObject({ code: "not_a_file" });
    await expect(readText("/dev/zero")).rejects.toThrow("it is a device");
    await expect(readText(at("pipe"))).rejects.toThrow("it is a named pipe");
    await expect(readText(at("none"))).rejects.toMatchObject({ code: "not_found" });
    await expect(readText(at("large"), { maxBytes: 99 })).rejects.toMatchObject({ code: "too_large" });
    await expect(readText("a\0b")).rejects.toMatchObject({ code: "invalid_path" });
    await expect(readText("")).rejects.toMatchObject({ code: "invalid_path" });
    expect(await readTextIfExists(at("none"))).toBeUndefined();
    expect(await readStart(at("large"), 3)).toEqual(Buffer.from("xxx"));
    expect(await readStart(at("none"), 3)).toBeUndefined();
  });
});

describe("writing", () => {
  test("keeps the mode and leaves nothing beside", async () => {
    writeFileSync(at("f"), "old");
    chmodSync(at("f"), 0o741);
    await writeAtomic(at("f"), "new", { sync: true });
    expect([readFileSync(at("f"), "utf8"), statSync(at("f")).mode & 0o777]).toEqual(["new", 0o741]);
    await writeAtomic(at("g"), "x", { mode: 0o600 });
    expect(statSync(at("g")).mode & 0o777).toBe(0o600);
    expect(readdirSync(directory)).toEqual(["f", "g"]);
  });

  test("goes through links, also one that leads to nothing yet", async () => {
    mkdirSync(at("real"));
    symlinkSync("real/file", at("link"));
    symlinkSync("link", at("second"));
    await writeAtomic(at("second"), "one");
    await writeAtomic(at("link"), "two");
    expect(readFileSync(at("real/file"), "utf8")).toBe("two");
    expect(lstatSync(at("link")).isSymbolicLink() && lstatSync(at("second")).isSymbolicLink()).toBe(true);
    symlinkSync("circle", at("circle"));
    await expect(writeAtomic(at("circle"), "")).rejects.toMatchObject({ code: "invalid_path" });
  });

  test("a missing directory, a directory and a device are refused by name", async () => {
    await expect(writeAtomic(at("none/f"), "")).rejects.toThrow(`cannot write ${at("none/f")}: there is no such`);
    await expect(writeAtomic(directory, "")).rejects.toMatchObject({ code: "not_a_file" });
    await expect(writeAtomic("/dev/null", "")).rejects.toMatchObject({ code: "not_a_file" });
  });

  test("Latin-1 that gains another character becomes UTF-8 whole", async () => {
    await writeAtomic(at("f"), "é→", { encoding: "latin1" });
    expect(await readText(at("f"))).toMatchObject({ text: "é→", encoding: "utf-8" });
  });

  test("many writers at once leave one whole content", async () => {
    const contents = Array.from({ length: 20 }, (_, index) => String(index).repeat(50_000));
    await Promise.all(contents.map((content) => writeAtomic(at("f"), content)));
    expect(contents).toContain(readFileSync(at("f"), "utf8"));
    expect(readdirSync(directory)).toEqual(["f"]);
  });
});

describe("a disk that is full", () => {
  const mount = mkdtempSync(join(tmpdir(), "talaria-disk-"));
  const mounted = ((): boolean => {
    try {
      execFileSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", mount], { stdio: "ignore" });
      return true;
    } catch {
      return false;
    }
  })();
  afterAll(() => {
    if (mounted) execFileSync("umount", [mount]);
  });

  test.skipIf(!mounted)(
    "is named, the old content stays and no half file is left (skipped where mounting is refused)",
    async () => {
      const file = join(mount, "f");
      await writeAtomic(file, "old");
      await expect(writeAtomic(file, "x".repeat(200_000))).rejects.toMatchObject({ code: "disk_full", subject: file });
      expect(readFileSync(file, "utf8")).toBe("old");
      expect(readdirSync(mount)).toEqual(["f"]);
      writeFileSync(join(mount, "fill"), "x".repeat(40_000));
      await expect(appendLine(join(mount, "log"), "y".repeat(60_000))).rejects.toThrow("no space is left on the disk");
    },
  );
});

/** Runs code that imports `files.ts` as a user who may do less than the superuser. */
function asOtherUser(code: string): string {
  const script = `process.setgid(65534); process.setuid(65534); const files = await import(${JSON.stringify(join(import.meta.dirname, "files.ts"))}); ${code}`;
  return execFileSync(process.execPath, ["--conditions=source", "--input-type=module", "-e", script], {
    encoding: "utf8",
    cwd: "/",
  }).trim();
}

test.skipIf(process.getuid?.() !== 0)(
  "rights that are missing are named (needs the superuser, to become somebody else)",
  () => {
    chmodSync(directory, 0o755);
    writeFileSync(at("secret"), "s", { mode: 0o600 });
    writeFileSync(at("shown"), "s", { mode: 0o644 });
    const attempt = (call: string): string => asOtherUser(`await ${call}.catch((error) => console.log(error.code))`);
    const path = (name: string): string => JSON.stringify(at(name));
    expect(attempt(`files.readText(${path("secret")})`)).toBe("no_permission");
    expect(attempt(`files.writeAtomic(${path("shown")}, "x")`)).toBe("no_permission");
    expect(attempt(`files.writeAtomic(${path("new")}, "x")`)).toBe("no_permission");
    expect(asOtherUser(`console.log(await files.mayWrite(${JSON.stringify(directory)}))`)).toBe("false");
    chmodSync(at("shown"), 0o666);
    expect(asOtherUser(`await files.writeAtomic(${path("shown")}, "in place"); console.log("done")`)).toBe("done");
    expect(readFileSync(at("shown"), "utf8")).toBe("in place");
  },
);

test("directories, lines, lists and facts", async () => {
  await ensureDirectory(at("a/b"), 0o700);
  await ensureDirectory(at("a/b"));
  await appendLine(at("a/log"), "one");
  await appendLine(at("a/log"), "two");
  symlinkSync("nowhere", at("a/link"));
  expect(readFileSync(at("a/log"), "utf8")).toBe("one\ntwo\n");
  expect(await list(at("a"))).toEqual([
    { name: "b", kind: "directory" },
    { name: "link", kind: "link" },
    { name: "log", kind: "file" },
  ]);
  expect([await exists(at("a/log")), await exists(at("a/link")), await exists(at("a/log/below"))]).toEqual([
    true,
    false,
    false,
  ]);
  expect(await fileFacts(at("a/log"))).toMatchObject({ kind: "file", bytes: 8, mode: 0o600 });
  expect([await remove(at("a/log")), await remove(at("a/log"))]).toEqual([true, false]);
  writeFileSync(at("file"), "");
  await expect(ensureDirectory(at("file"))).rejects.toMatchObject({ code: "not_a_directory" });
  await Promise.all(["x/y/z", "x/y", "x/y/w"].map((path) => ensureDirectory(at(path))));
  await ensureDirectory(at("x/y/z"));
  await expect(list(at("none"))).rejects.toMatchObject({ code: "not_found" });
});

test.runIf(process.platform === "linux")(
  "where no directory can be made, ensureDirectory says so and ends",
  async () => {
    await expect(ensureDirectory("/proc/no-such-folder/deeper")).rejects.toMatchObject({ name: "HostError" });
  },
);
