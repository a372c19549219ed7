import { spawnSync } from "node:child_process";
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, renameSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { log, logLevel } from "./log.ts";
import { type LogReading, type LogRecord, readLog } from "./log-reader.ts";

let file = "";
beforeEach(() => {
  file = join(mkdtempSync(join(tmpdir(), "talaria-log-")), "agent.log");
});

const records = async (reading: LogReading = {}): Promise<readonly LogRecord[]> => {
  const all: LogRecord[] = [];
  for await (const record of readLog(file, reading)) all.push(record);
  return all;
};

test("lines carry time, level, message, fields and errors with their causes; secrets are blanked", async () => {
  const journal = log({ file });
  journal.info("started with OPENAI_API_KEY=abcdefgh", { apiKey: "xyz", size: 3n });
  journal.debug("not asked for");
  journal.error("failed", { error: new Error("outer", { cause: new Error("inner") }) });
  await journal.flush();
  const [first, second, ...rest] = await records();
  expect(rest).toEqual([]);
  expect(first).toMatchObject({
    level: "info",
    message: "started with OPENAI_API_KEY=***",
    fields: { apiKey: "***", size: "3" },
  });
  expect(Date.parse(first?.time ?? "")).toBeGreaterThan(Date.now() - 60_000);
  expect(second?.fields["error"]).toMatchObject({ message: "outer", cause: { message: "inner" } });
});

test("a file that grows too large is put aside, the oldest goes", async () => {
  const journal = log({ file, maxBytes: 500, keep: 2 });
  for (let round = 0; round < 12; round += 1) {
    journal.info(`round ${round} ${"x".repeat(300)}`);
    await journal.flush();
  }
  expect(readdirSync(join(file, "..")).sort()).toEqual(["agent.log.1", "agent.log.2"]);
  expect(readFileSync(`${file}.1`, "utf8")).toContain("round 11");
});

test("it never throws, and says why lines were lost", async () => {
  const journal = log({ file: join(file, "not", "there") });
  const circular: Record<string, unknown> = {};
  circular["self"] = circular;
  journal.error("x", {
    circular,
    bad: {
      toJSON: () => {
        throw new Error("no");
      },
    },
  });
  await journal.flush();
  expect(journal.trouble).toContain("cannot write the log");
});

test("what was said just before the end of the process is kept", () => {
  const script = `const { log } = await import(${JSON.stringify(join(import.meta.dirname, "log.ts"))});
    log({ file: ${JSON.stringify(file)} }).info("last words"); process.exit(0);`;
  spawnSync(process.execPath, ["--conditions=source", "--input-type=module", "-e", script]);
  expect(readFileSync(file, "utf8")).toContain("last words");
});

test("reading takes the last records of a level and shows foreign lines as they are", async () => {
  const journal = log({ file, level: "debug" });
  for (let round = 0; round < 5; round += 1) journal.warning(`w${round}`);
  journal.debug("d");
  await journal.flush();
  appendFileSync(file, "not JSON\nhalf a li");
  expect((await records({ last: 2, level: "warning" })).map(({ message }) => message)).toEqual(["w3", "w4"]);
  expect((await records({ last: 2 })).map(({ message }) => message)).toEqual(["d", "not JSON"]);
  expect(logLevel("WARN")).toBe("warning");
});

test("following goes on across the birth of the file and a rotation", async () => {
  const controller = new AbortController();
  const seen: string[] = [];
  const reading = (async () => {
    for await (const record of readLog(file, { follow: controller.signal })) seen.push(record.message);
  })();
  const say = async (message: string): Promise<void> => {
    appendFileSync(file, `${JSON.stringify({ level: "info", message })}\n`);
    await expect.poll(() => seen.at(-1)).toBe(message);
  };
  await say("one");
  await say("two");
  renameSync(file, `${file}.1`);
  await say("three");
  controller.abort();
  await reading;
  expect(seen).toEqual(["one", "two", "three"]);
});
