import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { type TurnFixture, turnFixture } from "../turn-fixture.ts";
import { type ServedSkill, skills } from "./skills.ts";

let turn: TurnFixture;
afterEach(() => turn.close());

async function house(): Promise<TurnFixture> {
  const served: ServedSkill[] = [];
  turn = await turnFixture(() => [skills(() => served)]);
  const root = join(turn.folder, "brew");
  await mkdir(join(root, "references"), { recursive: true });
  await writeFile(join(root, "SKILL.md"), '---\nname: brew\ndescription: "Makes tea."\n---\nBoil water.\n');
  await writeFile(join(root, "references", "leaves.md"), "Green, black.");
  await writeFile(join(turn.folder, "secret.txt"), "secret");
  await symlink(join(turn.folder, "secret.txt"), join(root, "link.txt"));
  const tea = { plugin: "tea", name: "brew", path: join(root, "SKILL.md"), description: "" };
  const gone = { ...tea, plugin: "old", path: join(turn.folder, "gone", "SKILL.md") };
  served.push(tea, { ...tea, name: "pour" }, { ...tea, plugin: "pot", path: root }, gone);
  return turn;
}

test("a skill is served with its description, its files and its siblings", async () => {
  const { call, folder } = await house();
  expect(await call("skill_view", { name: "tea:brew" })).toEqual({
    success: true,
    name: "tea:brew",
    description: "Makes tea.",
    content: '---\nname: brew\ndescription: "Makes tea."\n---\nBoil water.\n',
    skill_dir: join(folder, "brew"),
    linked_files: ["references/leaves.md"],
    see_also: ["tea:pour"],
  });
});

test("a skill may be named by its folder, and a linked file is read", async () => {
  const { call } = await house();
  const linked = await call("skill_view", { name: "pot:brew", file_path: "references/leaves.md" });
  expect(linked["content"]).toBe("Green, black.");
  expect((await call("skill_view", { name: "pot:brew" }))["content"]).toContain("Boil water.");
});

test("a skill whose folder is gone is told", async () => {
  const { call } = await house();
  expect((await call("skill_view", { name: "old:brew" }))["error"]).toContain("the skill old:brew cannot be read");
});

test.each([
  ["../secret.txt", "not inside"],
  ["/etc/passwd", "not inside"],
  ["references/../../secret.txt", "not inside"],
  ["link.txt", "not inside"],
  ["a\0b", "not inside"],
  ["references/leafs.md", "did you mean 'references/leaves.md'"],
  ["references", "has no file 'references'"],
])("a file_path of %j is refused", async (file, said) => {
  const { call } = await house();
  const result = await call("skill_view", { name: "tea:brew", file_path: file });
  expect(result["error"]).toContain(said);
  expect(JSON.stringify(result)).not.toContain('"secret"');
});

test.each([
  ["brew", "did you mean 'tea:brew'"],
  ["tea:brow", "the plugin 'tea' has no skill 'brow'; did you mean 'tea:brew'"],
  ["teb:brew", "no plugin 'teb' that serves skills is enabled; did you mean 'tea:brew'"],
  [":brew", "write plugin:name"],
  ["a.b:brew", "write plugin:name"],
  ["tea:", "write plugin:name"],
  ["tea:brew:more", "has no skill 'brew:more'"],
  ["", "write plugin:name"],
])("a name of %j is an error that helps", async (name, said) => {
  const { call } = await house();
  expect((await call("skill_view", { name }))["error"]).toContain(said);
});

test("where no plugin serves a skill, the tool is not offered", async () => {
  turn = await turnFixture(() => [skills(() => [])]);
  expect(turn.tool("skill_view").available?.(turn.context)).toBe(false);
});
