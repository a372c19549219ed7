import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { run } from "../program-fixture.ts";
import { bash, command, group, type HookHouse, hookHouse, say } from "./hook-fixture.ts";

/** Starts a program that finds `folder` laid over /etc, in a namespace of its own: nothing of the machine is touched. */
const over = (folder: string): readonly string[] => [
  "unshare",
  "-rm",
  "sh",
  "-c",
  'mount -t overlay overlay -o "lowerdir=$0:/etc" /etc && exec "$@"',
  folder,
];
const isPossible =
  process.platform === "linux" && spawnSync("unshare", [...over("/tmp").slice(1), "true"]).status === 0;

interface Organisation {
  readonly house: HookHouse;
  /** Which hooks are asked about one call. */
  turn(...words: readonly string[]): Promise<readonly string[]>;
  program(...words: readonly string[]): Promise<string>;
}

const noting = (name: string) => group("Bash", command(`echo ${name} >> ran`));

/** A house with a hook in each file, and what the organisation's file says besides its own. */
async function organisation(managed: object): Promise<Organisation> {
  const house = await hookHouse();
  const etc = join(house.home, "etc");
  mkdirSync(join(etc, "claude-code"), { recursive: true });
  const file = { hooks: { PreToolUse: [noting("managed")] }, ...managed };
  writeFileSync(join(etc, "claude-code", "managed-settings.json"), JSON.stringify(file));
  for (const place of ["user", "project", "local"] as const) house.settings({ PreToolUse: [noting(place)] }, place);
  const options = { home: house.home, cwd: house.project, through: over(etc) };
  return {
    house,
    async turn(...words) {
      house.write("ran", "");
      house.server.push(bash("true"), say("finished"));
      const ran = await run(["run", "--accept-hooks", ...words, "go"], options);
      expect(ran.stdout).toContain("finished");
      return house.read("ran").match(/\w+/g) ?? [];
    },
    program: async (...words) => (await run(words, options)).stdout,
  };
}

describe.skipIf(!isPossible)("rules of the organisation (needs Linux with user namespaces and overlays)", () => {
  const settings =
    (place: "user" | "project" | "local", value: boolean) =>
    ({ house }: Organisation) =>
      house.settings({ PreToolUse: [noting(place)] }, place, { disableAllHooks: value });

  test.each([
    ["nothing is switched off", {}, [], ["managed", "user", "project", "local"]],
    ["the organisation switches all off", { disableAllHooks: true }, [], []],
    ["the person switches all off", {}, [settings("user", true)], ["managed"]],
    ["the project switches all off", {}, [settings("project", true)], ["managed"]],
    ["the local file switches all off", {}, [settings("local", true)], ["managed"]],
    [
      "the project takes back what the person switched off",
      {},
      [settings("user", true), settings("project", false)],
      ["managed", "user", "project", "local"],
    ],
    ["only those of the organisation are allowed", { allowManagedHooksOnly: true }, [], ["managed"]],
    ["those of settings files are not allowed", { strictPluginOnlyCustomization: ["hooks"] }, [], ["managed"]],
  ])("where %s", async (_, managed, changes, wanted) => {
    const made = await organisation(managed);
    for (const change of changes) change(made);
    expect(await made.turn()).toEqual(wanted);
  });

  test("--settings takes back what the project switched off, and cannot take back what the organisation did", async () => {
    const made = await organisation({});
    settings("project", true)(made);
    expect(await made.turn("--settings", '{"disableAllHooks": false}')).toEqual([
      "managed",
      "user",
      "project",
      "local",
    ]);
    const closed = await organisation({ disableAllHooks: true });
    expect(await closed.turn("--settings", '{"disableAllHooks": false}')).toEqual([]);
  });

  test("a deny of theirs stands before everything else, also in an untrusted folder, and lists say whose it is", async () => {
    const made = await organisation({
      hooks: { PreToolUse: [group("Bash", command("echo theirs >> ran; echo by order >&2; exit 2"))] },
    });
    expect(await made.turn()).toEqual(["theirs"]);
    made.house.server.push(bash("echo done > made"), say("finished"));
    await made.program("run", "go");
    expect(made.house.has("made")).toBe(false);
    expect(await made.program("hooks", "list")).toMatch(/managed/);
    const explained = JSON.parse(
      await made.program("hooks", "explain", "PreToolUse", "--for-tool", "Bash", "--accept-hooks", "--run", "--json"),
    );
    expect(explained.rules.map(({ stage }: { readonly stage: string | null }) => stage)).toEqual([
      null,
      "order",
      "order",
      "order",
    ]);
  });

  test("of a switched off rule, explain names the file that says so", async () => {
    const made = await organisation({ allowManagedHooksOnly: true });
    const text = await made.program("hooks", "explain", "PreToolUse", "--for-tool", "Bash", "--accept-hooks");
    expect(text).toMatch(/left out \(source\).*managed-settings\.json/);
  });
});
