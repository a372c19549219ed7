import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { hardline } from "../../src/capabilities/permission/hardline.ts";
import type { ServerStep } from "../../src/testing.ts";
import { events, modelHome, run, sent, server } from "../program-fixture.ts";
import { type Screen, terminal } from "../terminal-fixture.ts";

const call = (command: string): ServerStep => ({ calls: [{ name: "terminal", args: { command } }] });

test("what is hardline never runs: not with --yolo and not with approvals off", async () => {
  const commands = hardline.map(({ example }) => example);
  const model = await server(
    { calls: commands.map((command) => ({ name: "terminal", args: { command } })) },
    { text: "ok" },
  );
  const { words, ...options } = modelHome("chat", model, "approvals:\n  mode: off\n");
  const ran = await run(["run", "--json", "--yolo", ...words, "go"], options);
  const ends = events(ran).filter(({ type }) => type === "tool-end");
  expect(ends).toHaveLength(commands.length);
  for (const [index, end] of ends.entries())
    expect(end, commands[index]).toMatchObject({ status: "blocked", result: expect.stringContaining("hardline") });
  expect(events(ran).filter(({ type }) => type === "tool-start")).toEqual([]);
});

describe("a dangerous command in the chat", () => {
  const commented = "# my settings\nagent:\n  max_turns: 50 # enough\n";

  async function asking(script: readonly ServerStep[], more = commented) {
    const model = await server(...script);
    const { words, ...options } = modelHome("chat", model, more);
    for (const name of ["one", "two"]) mkdirSync(join(options.home, name));
    return {
      model,
      options,
      screen: terminal(words, options),
      there: (name: string) => existsSync(join(options.home, name)),
    };
  }
  async function leave(screen: Screen): Promise<void> {
    screen.type("/quit\r");
    expect(await screen.done).toBe(0);
  }

  test("once: this one runs, the next is asked about again", async () => {
    const { screen, there } = await asking([call("rm -rf one"), call("rm -rf two"), { text: "done" }]);
    screen.type("go\r");
    await screen.sees("  rm -rf one\n");
    await screen.sees("allow? [o]nce, [s]ession, [a]lways, [d]eny: ");
    screen.type("o\r");
    await screen.sees("  rm -rf two\n");
    await screen.sees("allow? ");
    expect([there("one"), there("two")]).toEqual([false, true]);
    screen.type("d\r");
    await screen.sees("done");
    expect(there("two")).toBe(true);
    await leave(screen);
  });

  test("session: the next of its kind runs without a question", async () => {
    const { screen, there } = await asking([call("rm -rf one"), call("rm -rf two"), { text: "done" }]);
    screen.type("go\r");
    await screen.sees("allow? ");
    screen.type("s\r");
    await screen.sees("done");
    expect([there("one"), there("two")]).toEqual([false, false]);
    await leave(screen);
  });

  test("always: it is written to config.yaml with its comments kept, and holds in the next chat", async () => {
    const { screen, options, model, there } = await asking([call("rm -rf one"), { text: "done" }]);
    screen.type("go\r");
    await screen.sees("allow? ");
    screen.type("always\r");
    await screen.sees("done");
    await leave(screen);
    const written = readFileSync(join(options.home, ".talaria", "config.yaml"), "utf8");
    expect(written).toContain("# my settings");
    expect(written).toContain("max_turns: 50 # enough");
    expect(written).toMatch(/command_allowlist:\n\s+- rm_rf|command_allowlist: \[rm_rf\]|command_allowlist:\n- rm_/);
    model.push(call("rm -rf two"), { text: "gone" });
    const ran = await run(["run", "go"], options);
    expect(ran.stdout).toBe("gone\n");
    expect(there("two")).toBe(false);
  });

  test("deny, and what is no answer, lets nothing run and the model hears it", async () => {
    const { screen, model, there } = await asking([call("rm -rf one"), { text: "understood" }]);
    screen.type("go\r");
    await screen.sees("allow? ");
    screen.type("perhaps\r");
    await screen.sees("allow? ");
    screen.type("d\r");
    await screen.sees("understood");
    expect(there("one")).toBe(true);
    expect(JSON.stringify(sent(model.requests[1]))).toContain("BLOCKED");
    await leave(screen);
  });

  test("no answer in time is no consent", async () => {
    const { screen, model, there } = await asking(
      [call("rm -rf one"), { text: "understood" }],
      "approvals:\n  timeout: 1\n",
    );
    screen.type("go\r");
    await screen.sees("allow? ");
    await screen.sees("no answer in time");
    await screen.sees("understood");
    expect(there("one")).toBe(true);
    expect(JSON.stringify(sent(model.requests[1]))).toContain("BLOCKED");
    await leave(screen);
  });

  test("Ctrl-C at the question ends the turn", async () => {
    const { screen, there } = await asking([call("rm -rf one")]);
    screen.type("go\r");
    await screen.sees("allow? ");
    screen.type("\x03");
    await screen.sees("interrupted");
    await screen.sees("› ");
    expect(there("one")).toBe(true);
    await leave(screen);
  });

  test("what was typed before the question is no answer to it", async () => {
    const { screen, there } = await asking([{ ...call("rm -rf one"), delayMs: 1500 }, { text: "understood" }]);
    screen.type("go\r");
    screen.type("once");
    await screen.sees("allow? ");
    screen.type("\r");
    await screen.sees("allow? ");
    expect(there("one")).toBe(true);
    screen.type("d\r");
    await screen.sees("understood");
    await leave(screen);
  });

  test("what would steer the terminal is shown as it is written", async () => {
    const { screen } = await asking([call("rm -rf one # \u001b[2K\rls"), { text: "done" }]);
    screen.type("go\r");
    await screen.sees("rm -rf one # \\u001b[2K\\rls");
    screen.type("d\r");
    await screen.sees("done");
    await leave(screen);
  });

  test("/yolo asks no more, and asks again after the second one", async () => {
    const { screen, there } = await asking([
      call("rm -rf one"),
      { text: "gone" },
      call("rm -rf two"),
      { text: "kept" },
    ]);
    await screen.sees("› ");
    screen.type("/yolo\r");
    await screen.sees("without asking");
    screen.type("go\r");
    await screen.sees("gone");
    expect(there("one")).toBe(false);
    screen.type("/yolo\r");
    await screen.sees("asked about again");
    screen.type("go\r");
    await screen.sees("allow? ");
    screen.type("n\r");
    await screen.sees("kept");
    expect(there("two")).toBe(true);
    await leave(screen);
  });

  test("run asks too when a person is at the terminal", async () => {
    const model = await server(call("rm -rf one"), { text: "done" });
    const { words, ...options } = modelHome("chat", model);
    mkdirSync(join(options.home, "one"));
    const screen = terminal(["run", ...words, "go"], options);
    await screen.sees("  rm -rf one\n");
    await screen.sees("allow? ");
    screen.type("y\r");
    await screen.sees("done");
    expect(await screen.done).toBe(0);
    expect(existsSync(join(options.home, "one"))).toBe(false);
  });

  test("Ctrl-C at the question of a run ends it with 130", async () => {
    const model = await server(call("rm -rf one"), { text: "done" });
    const { words, ...options } = modelHome("chat", model);
    const screen = terminal(["run", ...words, "go"], options);
    await screen.sees("allow? ");
    screen.type("\x03");
    expect(await screen.done).toBe(130);
  });

  test("two sub-agents at a time ask one after the other", async () => {
    const goal = (name: string) => ({ goal: `remove ${name}`, context: name });
    const answer = ({ text }: { readonly text: string }): ServerStep => {
      if (text.includes('"tool_call_id"')) return { text: "it is gone" };
      return call(text.includes("remove one") ? "rm -rf one" : "rm -rf two");
    };
    const model = await server(
      { calls: [{ name: "delegate_task", args: { tasks: [goal("one"), goal("two")] } }] },
      answer,
      answer,
      answer,
      answer,
      { text: "all gone" },
    );
    const { words, ...options } = modelHome("chat", model);
    for (const name of ["one", "two"]) mkdirSync(join(options.home, name));
    const screen = terminal(words, options);
    await screen.sees("› ");
    screen.type("go\r");
    await screen.sees(/ {2}rm -rf (one|two)\n/);
    await screen.sees("allow? ");
    screen.type("o\r");
    await screen.sees(/ {2}rm -rf (one|two)\n/);
    await screen.sees("allow? ");
    screen.type("o\r");
    await screen.sees("all gone");
    expect(["one", "two"].filter((name) => existsSync(join(options.home, name)))).toEqual([]);
    await leave(screen);
  });
});
