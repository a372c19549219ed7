import { describe, expect, test } from "vitest";
import { pluginHome, registering } from "../plugins/plugin-fixture.ts";
import { bash, command, group, hookHouse, say } from "./hook-fixture.ts";

describe("of a call only the arguments can be changed", () => {
  test.each([
    ["name", `{ ...call, toolName: "write_file", args: { path: "made", content: "x" } }`],
    ["name alone", `{ ...call, toolName: "read_file" }`],
    ["id", `{ ...call, toolCallId: "another" }`],
  ])("a wrapper that changes its %s gets an error result for it, and the calls beside it run", async (_, changed) => {
    const house = await pluginHome();
    house.plugin(
      "renamer",
      registering(
        `context.registerMiddleware("tool_execution", (call, next) => next(call.args.command === "echo first > first" ? ${changed} : call));`,
      ),
    );
    house.plugins("enabled: [renamer]");
    house.settings({ PostToolBatch: [group(undefined, command("cat > batch.json"))] });
    const calls = ["first", "second"].map((name) => ({
      name: "terminal",
      args: { command: `echo ${name} > ${name}` },
    }));
    const turn = await house.turn({ steps: [{ calls }, say("done")] });
    const ends = turn.events.filter(({ type }) => type === "tool-end");
    expect(ends.map(({ name, status }) => [name, status])).toEqual([
      ["terminal", "blocked"],
      ["terminal", "ok"],
    ]);
    expect(turn.results[0]).toContain("only the arguments can be changed");
    expect(["first", "made", "second"].map(house.has)).toEqual([false, false, true]);
    expect(JSON.parse(house.read("batch.json")).tool_calls).toHaveLength(2);
  });

  test("what a settings hook says of name and id beside its answer, and inside updatedInput, changes neither", async () => {
    const house = await hookHouse();
    const answer = {
      tool_name: "Write",
      tool_use_id: "other",
      hookSpecificOutput: {
        hookEventName: "PreToolUse",
        tool_name: "Write",
        updatedInput: { command: "echo rewritten > made", tool_name: "Write", tool_use_id: "other" },
      },
    };
    house.write("answer.json", JSON.stringify(answer));
    house.settings({
      PreToolUse: [group("Bash", command("cat answer.json"))],
      PostToolUse: [group(undefined, command("cat > after.json"))],
    });
    const turn = await house.turn({ steps: [bash("echo said > made"), say("done")] });
    const end = turn.events.find(({ type }) => type === "tool-end");
    expect(end).toMatchObject({ name: "terminal", status: "ok" });
    expect(house.read("made")).toBe("rewritten\n");
    const after = JSON.parse(house.read("after.json"));
    expect(after).toMatchObject({ tool_name: "Bash", tool_use_id: end?.["callId"] });
  });
});
