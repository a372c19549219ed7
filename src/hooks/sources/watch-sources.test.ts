import { readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { commandsOf, type Machine, machine, problemsOf, withCommand } from "./source-files-fixture.ts";
import { type SourceChange, type WatchOptions, watchSources } from "./watch-sources.ts";

const watching = (on: Machine, more: Partial<WatchOptions> = {}) =>
  watchSources(on.search, { projectTrusted: () => true, freshMs: 0, ...more });

const json = (value: unknown): string => JSON.stringify(value);

const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 80));

test("every kind of edit counts at the next look", async () => {
  using on = machine();
  const file = on.write("project/.claude/settings.json", json(withCommand("one")));
  utimesSync(file, 1_700_000_000, 1_700_000_000);
  const watch = await watching(on);
  const next = async (): Promise<readonly string[]> => {
    await watch.refresh();
    return commandsOf(watch.current());
  };
  expect(await next()).toEqual(["one"]);
  await settled();
  await watch.refresh();
  // of the same length, with the old time put back
  const { atime, mtime } = statSync(file);
  writeFileSync(file, json(withCommand("two")));
  utimesSync(file, atime, mtime);
  expect(await next()).toEqual(["two"]);
  writeFileSync(`${file}~`, json(withCommand("renamed over it")));
  renameSync(`${file}~`, file);
  expect(await next()).toEqual(["renamed over it"]);
  on.write("project/.claude/settings.local.json", withCommand("new file"));
  expect(await next()).toEqual(["renamed over it", "new file"]);
  rmSync(file);
  expect(await next()).toEqual(["new file"]);
});

test("a hundred edits in a row, each of the same length, are all seen", async () => {
  using on = machine();
  const file = on.write("~/.claude/settings.json", json(withCommand("000")));
  const watch = await watching(on);
  for (let round = 1; round <= 100; round += 1) {
    const command = String(round).padStart(3, "0");
    writeFileSync(file, json(withCommand(command)));
    await watch.refresh();
    expect(commandsOf(watch.current())).toEqual([command]);
  }
});

test("changes are told with the kind of their file", async () => {
  using on = machine();
  on.write("~/.talaria/config.yaml", "hooks:\n");
  const watch = await watching(on);
  expect(await watch.refresh()).toEqual([]);
  const files = {
    [on.write("~/.talaria/config.yaml", "hooks:\n  pre_tool_call:\n    - command: x\n")]: "user_settings",
    [on.write("~/.claude/settings.json", withCommand("a"))]: "user_settings",
    [on.write("project/.claude/settings.json", withCommand("b"))]: "project_settings",
    [on.write("project/.talaria/settings.local.json", withCommand("c"))]: "local_settings",
    [on.write("policy/managed-settings.json", withCommand("d"))]: "policy_settings",
  };
  const changes = await watch.refresh();
  expect(Object.fromEntries(changes.map(({ file, source }) => [file, source]))).toEqual(files);
  expect(await watch.refresh()).toEqual([]);
});

test.each([
  ["broken JSON", "~/.claude/settings.json", '{"hooks": '],
  ["an empty file", "~/.claude/settings.json", ""],
  ["a list", "~/.claude/settings.json", "[]"],
  ["broken YAML", "~/.talaria/config.yaml", "hooks: [\n"],
  ["emptied YAML", "~/.talaria/config.yaml", ""],
])("%s leaves the rules in force and is reported; a corrected file counts", async (_, path, content) => {
  using on = machine();
  const good = path.endsWith("yaml") ? "hooks:\n  pre_tool_call:\n    - command: guard\n" : json(withCommand("guard"));
  const file = on.write(path, good);
  const watch = await watching(on);
  writeFileSync(file, content);
  await watch.refresh();
  expect(commandsOf(watch.current())).toEqual(["guard"]);
  expect(problemsOf(watch.current())).toEqual([expect.stringContaining("stays in force")]);
  writeFileSync(file, good.replace("guard", "mended"));
  await watch.refresh();
  expect(commandsOf(watch.current())).toEqual(["mended"]);
  expect(problemsOf(watch.current())).toEqual([]);
});

test("a refused change counts for nothing until the file changes again; the organisation's is not refused", async () => {
  using on = machine();
  const file = on.write("~/.claude/settings.json", withCommand("before"));
  const asked: SourceChange[] = [];
  const admit = async (change: SourceChange): Promise<boolean> => {
    asked.push(change);
    expect(await watch.refresh()).toEqual([]);
    return readFileSync(change.file, "utf8").includes("welcome");
  };
  const watch = await watching(on, { admit });
  on.write("~/.claude/settings.json", withCommand("sneaked in"));
  expect(await watch.refresh()).toEqual([]);
  expect(commandsOf(watch.current())).toEqual(["before"]);
  on.write("policy/managed-settings.json", withCommand("policy"));
  expect(await watch.refresh()).toEqual([{ source: "policy_settings", file: on.path("policy/managed-settings.json") }]);
  expect(commandsOf(watch.current())).toEqual(["policy", "before"]);
  on.write("~/.claude/settings.json", withCommand("welcome"));
  expect(await watch.refresh()).toEqual([{ source: "user_settings", file }]);
  expect(commandsOf(watch.current())).toEqual(["policy", "welcome"]);
  expect(asked).toHaveLength(3);
});

test("trust that is given in between lets the project's switches count", async () => {
  using on = machine();
  on.write("~/.claude/settings.json", withCommand("user"));
  on.write("project/.claude/settings.json", { disableAllHooks: true });
  let trusted = false;
  const watch = await watching(on, { projectTrusted: () => trusted });
  expect(commandsOf(watch.current())).toEqual(["user"]);
  trusted = true;
  await watch.refresh();
  expect(commandsOf(watch.current())).toEqual([]);
});

test("looks at the same time are one look, and a look is good for a moment", async () => {
  using on = machine();
  const watch = await watching(on, { freshMs: 60_000 });
  on.write("~/.claude/settings.json", withCommand("later"));
  expect(await watch.refresh()).toEqual([]);
  expect(commandsOf(watch.current())).toEqual([]);
  const eager = await watching(on);
  on.write("~/.claude/settings.json", withCommand("now"));
  const [one, other] = await Promise.all([eager.refresh(), eager.refresh()]);
  expect(one).toBe(other);
  expect(commandsOf(eager.current())).toEqual(["now"]);
});
