import { describe, expect, test } from "vitest";
import { bash, command, edit, group, type HookHouse, hookHouse, say, writeFile } from "./hook-fixture.ts";

const touch = (name: string) => command(`touch "$CLAUDE_PROJECT_DIR/${name}"`);

interface Case {
  readonly name: string;
  readonly arrange: (house: HookHouse) => void;
  readonly words?: readonly string[];
  readonly steps?: Parameters<HookHouse["turn"]>[0];
  readonly there?: readonly string[];
  readonly absent?: readonly string[];
  readonly told?: string;
}

const prompted = (name: string) => ({ UserPromptSubmit: [group(undefined, touch(name))] });
const preTool = (matcher: string, name: string) => ({ PreToolUse: [group(matcher, touch(name))] });
const once = (step: ReturnType<typeof say>) => ({ steps: [step, say("done")] });

const loading: readonly Case[] = [
  {
    name: "1: user, project and local files all count",
    arrange: (house) => {
      house.settings(prompted("user"), "user");
      house.settings(prompted("project"), "project");
      house.settings(prompted("local"), "local");
    },
    there: ["user", "project", "local"],
  },
  {
    name: "4: a handler of an unknown type is dropped, its neighbours run",
    arrange: (house) =>
      house.settings({ UserPromptSubmit: [group(undefined, { type: "telepathy" }, touch("neighbour"))] }),
    there: ["neighbour"],
  },
  {
    name: "5: an unknown event is told of, the others run",
    arrange: (house) => house.settings({ Bogus: [group(undefined, touch("bogus"))], ...prompted("known") }),
    there: ["known"],
    absent: ["bogus"],
    told: "Bogus",
  },
  {
    name: "6: broken JSON in the project leaves the user's file working",
    arrange: (house) => {
      house.settings(prompted("user"), "user");
      house.write(".claude/settings.json", '{"hooks": ');
    },
    there: ["user"],
  },
  {
    name: "8: in an untrusted folder the project's hooks do not run, and that is said",
    arrange: (house) => {
      house.settings(prompted("user"), "user");
      house.settings(prompted("project"), "project");
    },
    words: [],
    there: ["user"],
    absent: ["project"],
    told: "not trusted",
  },
  {
    name: "8: --no-project-hooks leaves them out though the folder would be accepted",
    arrange: (house) => house.settings(prompted("project"), "project"),
    words: ["--accept-hooks", "--no-project-hooks"],
    absent: ["project"],
  },
  {
    name: "9: disableAllHooks switches all off",
    arrange: (house) => {
      house.settings(prompted("user"), "user");
      house.settings(prompted("project"), "project", { disableAllHooks: true });
    },
    absent: ["user", "project"],
  },
  {
    name: "a settings file of the command line counts too",
    arrange: () => undefined,
    words: ["--settings", JSON.stringify({ hooks: prompted("option") })],
    there: ["option"],
  },
];

const matching: readonly Case[] = [
  {
    name: "11: Bash matches a command",
    arrange: (h) => h.settings(preTool("Bash", "a")),
    steps: once(bash("true")),
    there: ["a"],
  },
  {
    name: "11: our own name matches too",
    arrange: (h) => h.settings(preTool("terminal", "a")),
    steps: once(bash("true")),
    there: ["a"],
  },
  {
    name: "12: a list is exact",
    arrange: (h) => h.settings({ PreToolUse: [group("Edit|Write", touch("w")), group("Writ", touch("x"))] }),
    steps: once(writeFile("f.txt")),
    there: ["w"],
    absent: ["x"],
  },
  {
    name: "12: a list with commas",
    arrange: (h) => h.settings(preTool("Edit, Write", "w")),
    steps: once(writeFile("f.txt")),
    there: ["w"],
  },
  {
    name: "13: a pattern is looked for anywhere",
    arrange: (h) => h.settings(preTool("rit.$", "w")),
    steps: once(writeFile("f.txt")),
    there: ["w"],
  },
  {
    name: "15: a broken pattern never matches and is told of",
    arrange: (h) => h.settings(preTool("Bash(", "a")),
    steps: once(bash("true")),
    absent: ["a"],
  },
  {
    name: "16: SessionStart by its source",
    arrange: (h) => h.settings({ SessionStart: [group("resume", touch("r")), group("startup", touch("s"))] }),
    there: ["s"],
    absent: ["r"],
  },
  {
    name: "19: if a command among others",
    arrange: (h) => h.settings({ PreToolUse: [group("Bash", { ...touch("g"), if: "Bash(git *)" })] }),
    steps: once(bash("true && git --version")),
    there: ["g"],
  },
  {
    name: "19: if behind an assignment",
    arrange: (h) => h.settings({ PreToolUse: [group("Bash", { ...touch("g"), if: "Bash(git *)" })] }),
    steps: once(bash("FOO=1 git --version")),
    there: ["g"],
  },
  {
    name: "19: if inside a substitution",
    arrange: (h) => h.settings({ PreToolUse: [group("Bash", { ...touch("g"), if: "Bash(git *)" })] }),
    steps: once(bash("echo $(git --version)")),
    there: ["g"],
  },
  {
    name: "19: not for another command",
    arrange: (h) => h.settings({ PreToolUse: [group("Bash", { ...touch("g"), if: "Bash(git *)" })] }),
    steps: once(bash("echo gitk")),
    absent: ["g"],
  },
  {
    name: "20: if by path",
    arrange: (h) =>
      h.settings({
        PreToolUse: [group("Edit|Write", { ...touch("ts"), if: "Edit(*.ts)" }, { ...touch("md"), if: "Edit(*.md)" })],
      }),
    steps: once(writeFile("src/a.ts")),
    there: ["ts"],
    absent: ["md"],
  },
  {
    name: "21: if on Stop never holds",
    arrange: (h) => h.settings({ Stop: [group(undefined, { ...touch("s"), if: "Bash(*)" })] }),
    absent: ["s"],
  },
];

describe.each([
  ["loading", loading],
  ["matching", matching],
])("%s", (_title, cases) => {
  test.each(cases)("$name", async ({ arrange, words, steps, there = [], absent = [], told }) => {
    const house = await hookHouse();
    arrange(house);
    const turn = await house.turn({ ...steps, ...(words === undefined ? {} : { words }) });
    expect(turn.status, turn.stderr).toBe(0);
    for (const name of there) expect(house.has(name), `${name}\n${turn.stdout}\n${turn.stderr}`).toBe(true);
    for (const name of absent) expect(house.has(name), name).toBe(false);
    if (told !== undefined) expect(turn.stdout + turn.stderr).toContain(told);
  });
});

test("2: the same handler in two files runs once", async () => {
  const house = await hookHouse();
  const hooks = { UserPromptSubmit: [group(undefined, command(`echo x >> "$CLAUDE_PROJECT_DIR/count"`))] };
  house.settings(hooks, "user");
  house.settings(hooks, "project");
  await house.turn();
  expect(house.read("count")).toBe("x\n");
});

test("3: where the project is the home, the user's file is read once", async () => {
  const house = await hookHouse();
  house.settings({ UserPromptSubmit: [group(undefined, command(`echo x >> "$CLAUDE_PROJECT_DIR/count"`))] }, "user");
  await house.turn({ cwd: house.home });
  expect(house.read("~/count")).toBe("x\n");
});

test("10: an edit takes effect at the next event", async () => {
  const house = await hookHouse();
  house.settings(preTool("Bash", "old"));
  const next = JSON.stringify({ hooks: { PostToolUse: [group("Bash", touch("new"))] } });
  house.write("next.json", next);
  await house.turn({ steps: [bash("cp next.json .claude/settings.json"), bash("true"), say("done")] });
  expect(house.has("old")).toBe(true);
  expect(house.has("new")).toBe(true);
});

test("17, 18: a sub-agent call is matched by both its names, and its end by its kind", async () => {
  const house = await hookHouse();
  const tell = (name: string) => command(`cat > "$CLAUDE_PROJECT_DIR/${name}"`);
  house.settings({
    PreToolUse: [group("Task", tell("task.json")), group("Agent", tell("agent.json"))],
    SubagentStart: [group(undefined, tell("start.json"))],
    SubagentStop: [group("leaf", tell("stop.json")), group("explorer", tell("other.json"))],
    Stop: [group(undefined, command(`echo stop >> "$CLAUDE_PROJECT_DIR/stops"`))],
  });
  const turn = await house.turn({
    steps: [{ calls: [{ name: "delegate_task", args: { goal: "count" } }] }, { text: "counted" }, say("done")],
  });
  expect(turn.status, turn.stdout).toBe(0);
  expect(house.has("task.json") && house.has("agent.json")).toBe(true);
  expect(JSON.parse(house.read("agent.json"))).toMatchObject({ tool_name: "Agent", tool_input: { prompt: "count" } });
  expect(JSON.parse(house.read("start.json"))).toMatchObject({ hook_event_name: "SubagentStart", agent_type: "leaf" });
  const stop = JSON.parse(house.read("stop.json"));
  expect(stop).toMatchObject({ hook_event_name: "SubagentStop", last_assistant_message: "counted" });
  expect(stop.agent_id).toMatch(/^sa-/);
  expect(house.has("other.json")).toBe(false);
  expect(house.read("stops")).toBe("stop\n");
});

test("7: a plugin's hooks run, and twice with the same in a file", async () => {
  const house = await hookHouse();
  const hooks = { UserPromptSubmit: [group(undefined, command(`echo x >> "$CLAUDE_PROJECT_DIR/count"`))] };
  house.settings(hooks, "user");
  house.write("~/plug/.claude-plugin/plugin.json", JSON.stringify({ name: "plug", version: "1.0.0" }));
  house.write("~/plug/hooks/hooks.json", JSON.stringify({ description: "d", hooks }));
  const config = house.read("~/.talaria/config.yaml");
  house.write("~/.talaria/config.yaml", `${config}plugins:\n  claude: ["${house.home}/plug"]\n`);
  await house.turn();
  expect(house.read("count")).toBe("x\nx\n");
});

test("an edit of a written file is told with Claude's names", async () => {
  const house = await hookHouse();
  house.write("a.txt", "one\n");
  house.settings({ PostToolUse: [group("Edit", command(`cat > "$CLAUDE_PROJECT_DIR/seen.json"`))] });
  await house.turn({ steps: [edit("a.txt", "one", "two"), say("done")] });
  expect(JSON.parse(house.read("seen.json"))).toMatchObject({
    tool_name: "Edit",
    tool_input: { file_path: `${house.project}/a.txt`, old_string: "one", new_string: "two" },
    tool_response: { filePath: `${house.project}/a.txt`, success: true },
  });
});
