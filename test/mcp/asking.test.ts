import { appendFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { command, group, type HookHouse, hookHouse, say } from "../hooks/hook-fixture.ts";
import { terminal } from "../terminal-fixture.ts";

const fixture = resolve("test/mcp/server-fixture.ts");

/** A house with the fixture as the server `calc`. */
async function housed(more: object = {}): Promise<HookHouse> {
  const house = await hookHouse();
  const servers = { calc: { command: process.execPath, args: [fixture], ...more } };
  appendFileSync(join(house.home, ".talaria/config.yaml"), `mcp_servers: ${JSON.stringify(servers)}\n`);
  return house;
}

const asks = (what: string) => ({ calls: [{ name: "mcp_calc_asks", args: { what } }] });
const log = command("cat >> asked.jsonl");
const logged = (house: HookHouse) =>
  house
    .read("asked.jsonl")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
const reply = (event: string, more: object) =>
  command(`echo '${JSON.stringify({ hookSpecificOutput: { hookEventName: event, ...more } })}'`);

describe("where nobody is at the terminal", () => {
  const answered = async (hooks: object): Promise<string> => {
    const house = await housed();
    house.settings(hooks);
    return (await house.turn({ steps: [asks("form"), say("done")] })).results.join();
  };

  test.each([
    ["is cancelled without a hook", {}, { action: "cancel" }],
    [
      "is answered by a hook",
      {
        Elicitation: [group("calc", reply("Elicitation", { action: "accept", content: { project: "web", count: 2 } }))],
      },
      { action: "accept", content: { project: "web", count: 2 } },
    ],
    [
      "is declined by a hook",
      { Elicitation: [group(undefined, reply("Elicitation", { action: "decline" }))] },
      { action: "decline" },
    ],
    ["is declined by exit 2", { Elicitation: [group(undefined, command("exit 2"))] }, { action: "decline" }],
    [
      "is left alone by hooks for other servers",
      { Elicitation: [group("other", command("exit 2"))] },
      { action: "cancel" },
    ],
  ])("a server's question %s", async (_, hooks, wanted) => {
    expect(await answered(hooks)).toBe(`told ${JSON.stringify(wanted)}`);
  });

  test("hooks are told what is asked, and a question of a hook's own call is cancelled", async () => {
    const house = await housed();
    house.settings({
      Elicitation: [group(undefined, log)],
      PreToolUse: [group("Bash", { type: "mcp_tool", server: "calc", tool: "asks", input: { what: "form" } })],
    });
    await house.turn({
      steps: [asks("page"), { calls: [{ name: "terminal", args: { command: "true" } }] }, say("done")],
    });
    expect(logged(house)).toEqual([
      expect.objectContaining({
        hook_event_name: "Elicitation",
        mcp_server_name: "calc",
        message: "Please log in",
        mode: "url",
        url: "https://login.example.org/",
        elicitation_id: "e-1",
      }),
    ]);
  });
});

describe("a person at the terminal", () => {
  async function chat(
    house: HookHouse,
    what: string,
    ...typed: readonly (readonly [string, string])[]
  ): Promise<string> {
    house.server.push(asks(what), say("finished"));
    const screen = terminal(["chat", "--accept-hooks"], { home: house.home, cwd: house.project, columns: 120 });
    await screen.sees("›");
    screen.type("go\r");
    for (const [shown, line] of typed) {
      await screen.sees(shown);
      await screen.sees("answer:");
      screen.type(`${line}\r`);
    }
    await screen.sees("finished");
    screen.type("/quit\r");
    await screen.done;
    return house.server.requests.at(-1)?.text ?? "";
  }

  test("answers a form field by field; wrong values are asked for again, empty ones left out", async () => {
    const house = await housed({ timeout: 20 });
    house.settings({
      Elicitation: [group(undefined, log)],
      ElicitationResult: [group("calc", log)],
      Notification: [group("elicitation_.*", log)],
    });
    const sent = await chat(
      house,
      "form",
      ["Which project?", "1"],
      ["project", "cli"],
      ["urgent", "yes"],
      ["count", "a few"],
      ["no whole number", "3"],
      ["note", ""],
    );
    const content = { project: "cli", urgent: true, count: 3 };
    expect(sent).toContain(JSON.stringify(JSON.stringify({ action: "accept", content })).slice(1, -1));
    const told = logged(house);
    expect(told.map((one) => one["notification_type"] ?? one["hook_event_name"])).toEqual([
      "Elicitation",
      "elicitation_dialog",
      "ElicitationResult",
      "elicitation_response",
    ]);
    expect(told[2]).toMatchObject({ mcp_server_name: "calc", action: "accept", mode: "form", content });
  });

  test("declines; goes to an address; and hooks have the last word", async () => {
    const house = await housed();
    expect(await chat(house, "consent", ["Shall I?", "decline"])).toContain('{\\"action\\":\\"decline\\"}');
    expect(await chat(house, "page", ["https://login.example.org/", "1"])).toContain('{\\"action\\":\\"accept\\"}');
    house.settings({ ElicitationResult: [group(undefined, command("exit 2"))] });
    expect(await chat(house, "consent", ["Shall I?", "accept"])).toContain('{\\"action\\":\\"decline\\"}');
    house.settings({ ElicitationResult: [group(undefined, reply("ElicitationResult", { action: "cancel" }))] });
    expect(await chat(house, "consent", ["Shall I?", "accept"])).toContain('{\\"action\\":\\"cancel\\"}');
  });
});

describe("prompts of servers", () => {
  test("are typed as commands; hooks are told and may add context", async () => {
    const house = await housed();
    house.settings({ UserPromptExpansion: [group("mcp__calc__review_code", log, command("echo mind the tests"))] });
    const turn = await house.turn({ prompt: "/mcp__calc__review_code 'src/a b.ts' bugs and style" });
    expect(turn.sent).toContain("Review src/a b.ts for bugs and style.");
    expect(turn.sent).not.toContain("/mcp__calc__review_code");
    expect(turn.sent).toContain("mind the tests");
    expect(logged(house)).toEqual([
      expect.objectContaining({
        hook_event_name: "UserPromptExpansion",
        expansion_type: "mcp_prompt",
        command_name: "mcp__calc__review_code",
        command_args: "'src/a b.ts' bugs and style",
        command_source: "calc",
        prompt: "/mcp__calc__review_code 'src/a b.ts' bugs and style",
      }),
    ]);
  });

  test.each([
    ["exit 2", command("echo not now >&2; exit 2")],
    ["decision: block", command(`echo '{"decision": "block", "reason": "not now"}'`)],
    ["continue: false", command(`echo '{"continue": false, "stopReason": "not now"}'`)],
  ])("are refused by %s before anything is asked", async (_, hook) => {
    const house = await housed();
    house.settings({ UserPromptExpansion: [group(undefined, hook)], UserPromptSubmit: [group(undefined, log)] });
    const turn = await house.turn({ prompt: "/mcp__calc__review_code a.ts" });
    expect(turn.status).toBe(3);
    expect(turn.events.at(-1)).toMatchObject({ type: "turn-end", outcome: "refused", text: "not now" });
    expect(house.server.requests).toHaveLength(0);
    expect(house.has("asked.jsonl")).toBe(false);
  });

  test.each([
    ["/mcp__calc__review_code", /needs file/],
    ["/mcp__calc__nothing x", /no MCP prompt is called \/mcp__calc__nothing; there are: \/mcp__calc__review_code/],
  ])("%s fails with what is wrong", async (prompt, why) => {
    const house = await housed();
    const turn = await house.turn({ prompt });
    expect(turn.status).toBe(1);
    expect(turn.events.at(-1)?.["text"]).toMatch(why);
    expect(house.server.requests).toHaveLength(0);
  });
});

describe("resources and prompts as tools", () => {
  const calls = ["list_resources", "read_resource", "list_prompts", "get_prompt"].map((name) => `mcp_calc_${name}`);
  const offered = (house: HookHouse) => calls.filter((name) => house.server.requests[0]?.text.includes(`"${name}"`));

  test("are offered where a server has them, and read", async () => {
    const house = await housed();
    const args = [{}, { uri: "docs://readme" }, {}, { name: "review-code", arguments: { file: "x.ts" } }];
    const turn = await house.turn({
      steps: [{ calls: calls.map((name, at) => ({ name, args: args[at] ?? {} })) }, say("done")],
    });
    const [resources, readme, prompts, prompt] = turn.results;
    expect(JSON.parse(resources ?? "")).toMatchObject({ resources: [{ uri: "docs://readme", name: "readme" }] });
    expect(readme).toBe("read me first");
    expect(JSON.parse(prompts ?? "")).toMatchObject({ prompts: [{ name: "review-code" }] });
    expect(prompt).toBe("Review x.ts for anything.");
    expect(offered(house)).toEqual(calls);
  });

  test("are left out by tools.resources and tools.prompts", async () => {
    const house = await housed({ tools: { resources: false, prompts: false } });
    await house.turn();
    expect(offered(house)).toEqual([]);
  });

  test("of an unknown address is the server's error", async () => {
    const house = await housed();
    const steps = [{ calls: [{ name: "mcp_calc_read_resource", args: { uri: "docs://gone" } }] }, say("done")];
    expect((await house.turn({ steps })).results.join()).toMatch(/error.*docs:\/\/gone/);
  });
});
