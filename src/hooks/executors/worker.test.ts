import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { Executed } from "../executor.ts";
import { type Asked, execution, workshop } from "./executor-fixture.ts";
import { executors } from "./executors.ts";

const shop = workshop();
const hooks = executors(shop.ports);
afterAll(() => hooks.close());

let count = 0;
/** A worker in Node whose `answer(request)` is the given text; asks it again and again under one rule. */
function worker(body: string): (asked?: Asked & { readonly timeoutMs?: number }) => Promise<Executed> {
  count += 1;
  const id = `worker-${count}`;
  const text = `
    const say = (value) => process.stdout.write(JSON.stringify(value) + "\\n");
    require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
      const request = JSON.parse(line);
      ${body}
    });`;
  const path = shop.script(`${id}.cjs`, text);
  return (asked = {}) =>
    hooks.run.worker(
      execution(
        shop,
        { type: "worker", id, command: process.execPath, args: [path], timeoutMs: asked.timeoutMs ?? 10_000 },
        asked,
      ),
    );
}
const reason = ({ decoded }: Executed): string => (decoded.kind === "failed" ? decoded.reason : "did not fail");
const answer = ({ decoded }: Executed): unknown =>
  decoded.kind === "answer" ? decoded.answer : { failed: decoded.reason };
const noticed = (text: string): unknown => ({ notice: [text] });

describe("a worker", () => {
  test("is started once and answers what a command would print", async () => {
    const ask = worker("say({ id: request.id, answer: { systemMessage: String(process.pid) } });");
    const first = answer(await ask());
    expect(first).toMatchObject({ notice: [expect.stringMatching(/^\d+$/)] });
    expect(answer(await ask())).toEqual(first);
  });

  test("gets the payload, and may refuse", async () => {
    const ask = worker(
      `say({ id: request.id, answer: { decision: "block", reason: request.payload.hook_event_name } });`,
    );
    expect(answer(await ask())).toEqual({ verdict: { decision: "deny", reason: "PreToolUse" } });
  });

  test("speaks the shell dialect where its source does", async () => {
    const path = shop.script(
      "shell-worker.sh",
      `#!/bin/bash\nwhile read -r line; do echo '{"id":1,"answer":{"action":"block","message":"no"}}'; done\n`,
    );
    const asked = execution(shop, { type: "worker", command: path }, { dialect: "shell" });
    expect(answer(await hooks.run.worker(asked))).toEqual({ verdict: { decision: "deny", reason: "no" } });
  });

  test.each(["", ", answer: null"])("that gives no answer (%j) has no opinion", async (given) => {
    expect(answer(await worker(`say({ id: request.id${given} });`)())).toEqual({});
  });

  test("that reports an error has failed", async () => {
    expect(reason(await worker(`say({ id: request.id, error: "out of luck" });`)())).toBe("out of luck");
  });

  test("answers many at once, in any order", async () => {
    const ask = worker(
      `setTimeout(() => say({ id: request.id, answer: { systemMessage: request.payload.tool_use_id } }), 50 - 2 * (request.id % 20));`,
    );
    const all = Array.from({ length: 20 }, (_, index) => ask({ payload: { toolCallId: `c-${index}` } }));
    expect((await Promise.all(all)).map(answer)).toEqual(all.map((_, index) => noticed(`c-${index}`)));
  });

  test("takes payloads of 10 MB", async () => {
    const ask = worker("say({ id: request.id, answer: { systemMessage: String(line.length > 10_000_000) } });");
    expect(answer(await ask({ payload: { args: { command: "x".repeat(10_000_000) } } }))).toEqual(noticed("true"));
  });
});

test("a worker's shell reads no start-up files", async () => {
  const home = workshop();
  home.script(".bashrc", "exit 9\n");
  const ports = {
    ...home.ports,
    environment: () => ({ PATH: process.env["PATH"] ?? "", HOME: home.folder, SHLVL: "0" }),
  };
  const own = executors(ports);
  const command = `read -r line; echo '{"id":1}'; sleep 60`;
  expect(answer(await own.run.worker(execution(home, { type: "worker", command })))).toEqual({});
  await own.close();
});

describe("a worker that misbehaves", () => {
  test("answers late: that answer reaches nobody, the next one its own", async () => {
    const ask = worker(
      `setTimeout(() => say({ id: request.id, answer: { systemMessage: String(request.id) } }), request.id === 2 ? 400 : 0);`,
    );
    expect(answer(await ask())).toEqual(noticed("1"));
    const slow = ask({ timeoutMs: 150 });
    const other = ask();
    expect(reason(await slow)).toBe("did not answer within 0.15 s");
    expect(answer(await other)).toEqual(noticed("3"));
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(answer(await ask())).toEqual(noticed("4"));
  });

  test("answers for another event, twice, or not in JSON: ignored", async () => {
    const ask =
      worker(`say({ id: 999, answer: { systemMessage: "wrong" } }); console.log("hello"); console.log("{broken"); say([1]);
      say({ id: request.id, answer: { systemMessage: "right" } }); say({ id: request.id, answer: { systemMessage: "again" } });`);
    expect(answer(await ask())).toEqual(noticed("right"));
    expect(answer(await ask())).toEqual(noticed("right"));
  });

  test("dies: the request fails with its last words, the next ones get a new one", async () => {
    const ask = worker(`if (request.id === 2) { console.error("first"); console.error("last words"); process.exit(3); }
      say({ id: request.id, answer: { systemMessage: String(process.pid) } });`);
    const before = answer(await ask());
    expect(reason(await ask())).toBe("it ended with exit code 3: last words");
    const after = answer(await ask());
    expect(after).toMatchObject({ notice: [expect.any(String)] });
    expect(after).not.toEqual(before);
    expect(shop.logged.some((line) => line.includes("last words"))).toBe(true);
  });

  test("dies at every start: it is not started again and again", async () => {
    const path = shop.script("dying.sh", `#!/bin/sh\necho x >> ${join(shop.folder, "starts")}\nexit 1\n`);
    const rule = { type: "worker", id: "dying", command: path } as const;
    const reasons: string[] = [];
    for (let round = 0; round < 12; round += 1) reasons.push(reason(await hooks.run.worker(execution(shop, rule))));
    expect(reasons[0]).toContain("it ended with exit code 1");
    expect(reasons.at(-1)).toMatch(/started again in \d+ s/);
    expect(readFileSync(join(shop.folder, "starts"), "utf8").length / 2).toBeLessThan(8);
  }, 20_000);

  test("cannot be started: the reason says why", async () => {
    const asked = execution(shop, { type: "worker", command: "/nowhere/worker", args: [] });
    expect(reason(await hooks.run.worker(asked))).toContain("no such file");
  });

  test("never reads: the request ends at its time limit, and the stuck one is replaced", async () => {
    const path = shop.script("deaf.sh", `#!/bin/sh\necho $$ >> ${join(shop.folder, "deaf")}\nexec sleep 60\n`);
    const rule = { type: "worker", id: "deaf", command: path, timeoutMs: 2000 } as const;
    const huge = { payload: { args: { command: "x".repeat(10_000_000) } } };
    expect(reason(await hooks.run.worker(execution(shop, rule, huge)))).toContain("did not answer");
    await expect
      .poll(() => /\) [ZX]|^$/.test(statusOf(readFileSync(join(shop.folder, "deaf"), "utf8").trim())), {
        timeout: 5000,
      })
      .toBe(true);
  });

  test("floods: it is ended, in bounded memory", async () => {
    const path = shop.script("flood.sh", "#!/bin/sh\nread -r line\nyes\n");
    const endless = shop.script("line.sh", "#!/bin/sh\nread -r line\ntr '\\0' x < /dev/zero\n");
    const before = process.memoryUsage().rss;
    expect(reason(await hooks.run.worker(execution(shop, { type: "worker", command: path })))).toContain(
      "nobody had asked for",
    );
    expect(reason(await hooks.run.worker(execution(shop, { type: "worker", command: endless })))).toContain(
      "a line of more than",
    );
    expect(process.memoryUsage().rss - before).toBeLessThan(250_000_000);
  }, 20_000);

  test("forks: closing ends its children too", async () => {
    const own = executors(shop.ports);
    const path = shop.script(
      "forks.sh",
      `#!/bin/bash\nsleep 99 & echo $! > ${join(shop.folder, "forked")}\nread -r line\necho '{"id":1}'\nwait\n`,
    );
    expect(answer(await own.run.worker(execution(shop, { type: "worker", command: path })))).toEqual({});
    await own.close();
    expect(statusOf(readFileSync(join(shop.folder, "forked"), "utf8").trim())).toMatch(/\) [ZX]|^$/);
    expect(reason(await own.run.worker(execution(shop, { type: "worker", command: path })))).toContain("is ending");
  });
});

function statusOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, "latin1");
  } catch {
    return ""; // gone
  }
}
