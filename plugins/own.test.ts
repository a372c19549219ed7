import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { notebook } from "./memory/local/notebook.ts";
import { pluginFixture, serviceFixture } from "./plugin-fixture.ts";
import { findings } from "./security-guidance/rules.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});
async function opened(...given: Parameters<typeof pluginFixture>) {
  const one = await pluginFixture(...given);
  closing.push(one.close);
  return one;
}
const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

describe("disk-cleanup", () => {
  const call = (toolName: string, args: object) => ({
    toolName,
    args,
    toolCallId: "c-1",
    sessionId: "s-1",
    result: "ok",
  });

  test("a test file that the agent made is gone at the end of the turn; one that was there stays", async () => {
    const { home, enable } = await opened();
    const { hooks, command } = await enable("disk-cleanup");
    const [made, old] = [join(home, "test_tmp_x.py"), join(home, "test_old.py")];
    await writeFile(old, "old");
    for (const path of [made, old]) {
      await hooks["pre_tool_call"]?.(call("write_file", { path }));
      await writeFile(path, "print(1)");
      await hooks["post_tool_call"]?.(call("write_file", { path }));
    }
    const tracked = JSON.parse(await readFile(join(home, "disk-cleanup", "tracked.json"), "utf8"));
    expect(tracked).toMatchObject([{ path: made, category: "test", size: 8 }]);
    expect(await command("status")).toMatch(
      /^Category +Files +Size\n-{40}\ntest +1 +8\.0 B\n\nTop 10 largest tracked files:\n +1\. +8\.0 B/,
    );
    await hooks["on_session_end"]?.({ sessionId: "s-1", completed: true });
    expect([await isThere(made), await isThere(old)]).toEqual([false, true]);
  });

  test("the store of timed jobs is never deleted, whatever an old list says; nor is anything outside the home", async () => {
    const { home, enable } = await opened();
    const { command } = await enable("disk-cleanup");
    await mkdir(join(home, "cron", "output", "a"), { recursive: true });
    await mkdir(join(home, "disk-cleanup"), { recursive: true });
    const files = ["cron/jobs.json", "cron/.tick.lock", "cron/output/a/old.md", "config.yaml"].map((file) =>
      join(home, file),
    );
    for (const file of files) await writeFile(file, "{}");
    const paths = [...files, join(home, "cron"), join(home, "cron", "output"), "/etc/hostname"];
    const entries = ["cron-output", "test", "temp"].flatMap((category) =>
      paths.map((path) => ({ path, category, size: 2, timestamp: "2020-01-01T00:00:00+00:00" })),
    );
    await writeFile(join(home, "disk-cleanup", "tracked.json"), JSON.stringify(entries));
    expect(await command("quick")).toMatch(/Cleaned 1 files/);
    expect(await Promise.all(paths.map(isThere))).toEqual([
      true,
      true,
      false,
      true,
      true,
      true,
      await isThere("/etc/hostname"),
    ]);
  });

  test("paths are tracked and forgotten by hand; a broken list is begun anew", async () => {
    const { home, enable } = await opened();
    const { command } = await enable("disk-cleanup");
    await mkdir(join(home, "disk-cleanup"), { recursive: true });
    await writeFile(join(home, "disk-cleanup", "tracked.json"), "{broken");
    const path = join(home, "big.bin");
    await writeFile(path, "x");
    expect(await command(`track ${path} download`)).toBe(`Tracked ${path} as 'download'.`);
    expect(await command(`track ${path} download`)).toMatch(/^Not tracked/);
    expect(await command("track /etc/passwd temp")).toMatch(/^Not tracked/);
    expect(await command("quick")).toMatch(/Cleaned 0 files/);
    expect(await command(`forget ${path}`)).toMatch(/no longer/);
    expect(await command("dry-run")).toMatch(/Auto-delete : 0 files/);
  });
});

describe("security-guidance", () => {
  const write = (content: string, result = '{"ok":true}') => ({
    toolName: "write_file",
    args: { path: "a.py", content },
    result,
  });

  test("warns behind the result of a write, and not of one that failed", async () => {
    const { hooks } = await (await opened()).enable("security-guidance");
    expect(hooks["pre_tool_call"]).toBeUndefined();
    const warned = await hooks["transform_tool_result"]?.(write("import pickle\npickle.loads(x)"));
    expect(warned).toMatch(/^\{"ok":true\}\n\n⚠️ Security guidance: pickle\n- Loading pickled/);
    expect(await hooks["transform_tool_result"]?.(write("pickle.loads(x)", '{"error":"disk full"}'))).toBeUndefined();
    expect(await hooks["transform_tool_result"]?.(write("print(1)"))).toBeUndefined();
  });

  test("refuses where that is asked for, and does nothing where it is switched off", async () => {
    const blocking = await (await opened({}, { SECURITY_GUIDANCE_BLOCK: "1" })).enable("security-guidance");
    expect(await blocking.hooks["pre_tool_call"]?.(write("eval(x)"))).toMatchObject({
      action: "block",
      message: expect.stringContaining("eval"),
    });
    expect(blocking.hooks["transform_tool_result"]).toBeUndefined();
    const off = await (await opened({}, { SECURITY_GUIDANCE_DISABLE: "1" })).enable("security-guidance");
    expect(off.hooks).toEqual({});
  });

  test.each([
    ["a.js", "eval(code)", ["eval"]],
    ["a.py", "model.eval()", []],
    ["a.md", "eval(code)", []],
    ["a.ts", "el.innerHTML = text", ["inner-html"]],
    ["a.py", "el.innerHTML = text", []],
    ["a.py", "yaml.load(f, Loader=yaml.SafeLoader)", []],
    ["a.py", "yaml.load(f)", ["yaml-load"]],
    ["a.py", "subprocess.run(cmd, shell=True)", ["subprocess-shell"]],
    ["a.py", "requests.get(u, verify=False)", ["tls-off"]],
    [".github/workflows/ci.yml", "run: echo ${{ github.event.issue.title }}", ["workflow-injection"]],
    ["a.js", `eval(x)${" ".repeat(300_000)}`, []],
  ])("%s with %.40s: %j", (path, content, rules) => {
    expect(findings(path, content).map(({ rule }) => rule)).toEqual(rules);
  });
});

describe("memory/local", () => {
  test("notes are kept once, found by parts of words, and deleted", async () => {
    const { home } = await opened();
    const book = notebook(join(home, "notes.db"));
    const tea = book.add("Ada drinks green tea", "preference");
    expect(book.add("Ada drinks green tea", "drink").id).toBe(tea.id);
    book.add("The server is called orion", "");
    book.close();
    expect(book.search("what TEA does 'ada\" like?", 5).map(({ content }) => content)).toEqual([
      "Ada drinks green tea",
    ]);
    expect(book.search("orio", 5)).toHaveLength(1);
    expect(book.search("drink", 5)).toHaveLength(1);
    expect(book.search("", 5).map(({ content }) => content)).toEqual([
      "The server is called orion",
      "Ada drinks green tea",
    ]);
    expect([book.remove(tea.id), book.remove(tea.id), book.remove(Number.NaN)]).toEqual([true, false, false]);
    expect(book.search("tea", 5)).toEqual([]);
    book.close();
  });
});

test("observability/otel sends histograms of calls to the collector, and the last ones when it is unloaded", async () => {
  const { address, asked, close } = await serviceFixture(() => ({ body: "{}" }));
  closing.push(close);
  const { enable, runtime } = await opened(
    {},
    { OTEL_EXPORTER_OTLP_ENDPOINT: address, OTEL_EXPORTER_OTLP_HEADERS: "x-key=a%20b" },
  );
  const { hooks } = await enable("observability/otel");
  await hooks["post_api_request"]?.({
    model: "m",
    provider: "p",
    apiDuration: 1.5,
    usage: { prompt_tokens: 14, completion_tokens: 3 },
  });
  await hooks["post_tool_call"]?.({ toolName: "terminal", status: "ok", durationMs: 20 });
  await hooks["on_session_finalize"]?.({});
  expect(asked[0]).toMatchObject({ path: "/v1/metrics", headers: { "x-key": "a b" } });
  const [{ scopeMetrics }] = JSON.parse(String(asked[0]?.body)).resourceMetrics;
  const byName = Object.fromEntries(scopeMetrics[0].metrics.map((one: { name: string }) => [one.name, one]));
  expect(Object.keys(byName)).toEqual([
    "gen_ai.client.token.usage",
    "gen_ai.client.operation.duration",
    "talaria.tool.duration",
  ]);
  expect(byName["talaria.tool.duration"].histogram.dataPoints[0]).toMatchObject({ count: "1", sum: 0.02 });
  await hooks["on_session_end"]?.({ completed: true, interrupted: false });
  await (await runtime.plugins()).unload("observability/otel");
  expect(asked).toHaveLength(2);
});
