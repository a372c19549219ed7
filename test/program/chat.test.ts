import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { ServerStep } from "../../src/testing.ts";
import { folder, modelHome, run, sent, server } from "../program-fixture.ts";
import { terminal } from "../terminal-fixture.ts";

const call = (command: string): ServerStep => ({ calls: [{ name: "terminal", args: { command } }] });
const ctrl = { c: "\x03", d: "\x04" };

async function chat(script: readonly ServerStep[], more = "", columns = 80) {
  const model = await server(...script);
  const { words, ...options } = modelHome("chat", model, more);
  return { model, options, screen: terminal(words, { ...options, columns }) };
}

describe("a chat in a terminal", () => {
  test("greets, answers, shows tools with their time, and leaves on Ctrl-D", async () => {
    const { screen } = await chat([{ text: "I look.", ...call("echo from-the-tool") }, { text: "It said **so** ☃." }]);
    await screen.sees("custom/test-model");
    screen.type("look around\r");
    await screen.sees("I look.");
    await screen.sees("from-the-tool");
    await screen.sees(/✓ terminal {2}echo from-the-tool {2}\d+(\.\d)? m?s/);
    await screen.sees("It said **so** ☃.");
    await screen.sees("› ");
    screen.type(ctrl.d);
    expect(await screen.done).toBe(0);
  });

  test("Ctrl-C stops the running turn, and the chat goes on", async () => {
    const { screen, model } = await chat([call("echo begun; sleep 300"), { text: "still here" }]);
    screen.type("run it\r");
    await screen.sees("begun");
    screen.type(ctrl.c);
    await screen.sees("interrupted");
    await screen.sees("› ");
    screen.type("hello again\r");
    await screen.sees("still here");
    expect(JSON.stringify(sent(model.requests.at(-1)))).toContain("interrupted");
    screen.type("/quit\r");
    expect(await screen.done).toBe(0);
  });

  test("Ctrl-C throws a typed line away; at an empty prompt the second one leaves", async () => {
    const { screen, model } = await chat([]);
    await screen.sees("› ");
    screen.type("half a thought");
    await screen.sees("half a thought");
    screen.type(ctrl.c);
    await screen.sees("^C");
    screen.type(ctrl.c);
    await screen.sees("Ctrl-C again, Ctrl-D or /quit leaves");
    screen.type(ctrl.c);
    expect(await screen.done).toBe(0);
    expect(model.requests).toEqual([]);
  });

  test("lines typed in earlier chats come back with the arrow", async () => {
    const { screen, options } = await chat([{ text: "one" }]);
    await screen.sees("› ");
    screen.type("remember 你好\r");
    await screen.sees("one");
    screen.type(ctrl.d);
    await screen.done;
    const second = terminal([], options);
    await second.sees("› ");
    second.type("\x1b[A");
    await second.sees("remember 你好");
    second.type(ctrl.c);
    second.type(ctrl.d);
    expect(await second.done).toBe(0);
  });

  test("the tabulator completes commands", async () => {
    const { screen } = await chat([]);
    await screen.sees("› ");
    screen.type("/sta\t");
    await screen.sees("/status ");
    screen.type("\r");
    await screen.sees("session  starts with the next message");
    screen.type("/quit\r");
    expect(await screen.done).toBe(0);
  });

  test("at 60 columns no line of ours is longer, and wide characters count twice", async () => {
    const title = "echo 你好世界你好世界你好世界你好世界你好世界你好世界你好世界你好世界";
    const { screen } = await chat([call(title), { text: "ok" }], "", 60);
    screen.type("go\r");
    await screen.sees("✓ terminal");
    await screen.sees("ok");
    screen.type("/help\r");
    await screen.sees("/quit");
    const lines = screen.text().split("\n");
    const wide = (text: string) => [...text].reduce((sum, each) => sum + (/[\u2e80-\uffef]/.test(each) ? 2 : 1), 0);
    expect(lines.filter((line) => wide(line) > 60)).toEqual([]);
    screen.type("/quit\r");
    await screen.done;
  });

  test("a width that changes is followed", async () => {
    const { screen } = await chat([call("seq -s ' ' 1 200"), { text: "done" }], "", 100);
    await screen.sees("› ");
    screen.resize(40);
    screen.type("go\r");
    await screen.sees("✓ terminal");
    await screen.sees("done");
    expect(
      screen
        .text()
        .split("\n")
        .filter((line) => line.length > 40 && line.includes("│")),
    ).toEqual([]);
    screen.type("/quit\r");
    await screen.done;
  });

  test("what is typed before the prompt is there is taken whole", async () => {
    const more = "display:\n  busy_input_mode: queue\n";
    const { screen, model } = await chat([{ text: "first" }, { text: "second" }], more);
    screen.type("one\rtwo\r");
    await screen.sees("first");
    await screen.sees("second");
    expect(
      sent(model.requests[1])
        .filter(({ role }) => role === "user")
        .map(({ content }) => content),
    ).toEqual(["one", "two"]);
    screen.type("/quit\r");
    await screen.done;
  });
});

describe("a message while a turn runs", () => {
  test("interrupt: the turn is stopped for it", async () => {
    const { screen, model } = await chat([call("echo begun; sleep 300"), { text: "to the second" }]);
    screen.type("first\r");
    await screen.sees("begun");
    screen.type("second\r");
    await screen.sees("to the second");
    expect(sent(model.requests.at(-1)).at(-1)?.content).toContain("second");
    screen.type("/quit\r");
    await screen.done;
  });

  test("queue: it waits", async () => {
    const more = "display:\n  busy_input_mode: queue\n";
    const { screen, model } = await chat(
      [call("echo begun; sleep 2"), { text: "first done" }, { text: "second done" }],
      more,
    );
    screen.type("first\r");
    await screen.sees("begun");
    screen.type("second\r");
    await screen.sees("first done");
    await screen.sees("second done");
    expect(model.requests).toHaveLength(3);
    screen.type("/quit\r");
    await screen.done;
  });

  test("steer: the model hears it after the tool", async () => {
    const { screen, model } = await chat([call("echo begun; sleep 2"), { text: "done" }]);
    screen.type("first\r");
    await screen.sees("begun");
    screen.type("/steer mind the gap\r");
    await screen.sees("done");
    expect(JSON.stringify(sent(model.requests[1]))).toContain("mind the gap");
    screen.type("/quit\r");
    await screen.done;
  });

  test("/queue and /stop", async () => {
    const { screen, model } = await chat([call("echo begun; sleep 300"), { text: "after" }]);
    screen.type("first\r");
    await screen.sees("begun");
    screen.type("/new\r");
    await screen.sees("/new has to wait");
    screen.type("/stop\r");
    await screen.sees("interrupted");
    await screen.sees("› ");
    screen.type("/queue later\r");
    await screen.sees("after");
    expect(model.requests).toHaveLength(2);
    screen.type("/quit\r");
    await screen.done;
  });
});

describe("commands of the chat", () => {
  test("tell about the session", async () => {
    const { screen } = await chat([{ text: "first answer", usage: { input: 321, output: 12 } }]);
    await screen.sees("› ");
    screen.type("/help\r");
    await screen.sees("/compress");
    await screen.sees("/quit");
    screen.type("/nonsense\r");
    await screen.sees("unknown command /nonsense");
    screen.type("hello\r");
    await screen.sees("first answer");
    screen.type("/usage\r");
    await screen.sees("321 tokens");
    screen.type("/title A fine chat\r");
    await screen.sees("this session is called 'A fine chat'");
    screen.type("/sessions\r");
    await screen.sees("A fine chat");
    screen.type("/model\r");
    await screen.sees("custom/test-model");
    screen.type("/tools\r");
    await screen.sees("write_file");
    screen.type("/trace\r");
    await screen.sees("model ");
    screen.type("/status\r");
    await screen.sees("custom/test-model");
    screen.type("/compress\r");
    await screen.sees("nothing to summarise yet");
    screen.type("/quit\r");
    expect(await screen.done).toBe(0);
  });

  test("/undo and /retry take the last turn back", async () => {
    const { screen, model } = await chat([{ text: "answer one" }, { text: "answer two" }, { text: "answer three" }]);
    await screen.sees("› ");
    screen.type("question one\r");
    await screen.sees("answer one");
    await screen.sees("› ");
    screen.type("/retry\r");
    await screen.sees("answer two");
    await screen.sees("› ");
    expect(JSON.stringify(sent(model.requests[1])).match(/question one/g)).toHaveLength(1);
    expect(JSON.stringify(sent(model.requests[1]))).not.toContain("answer one");
    screen.type("/undo\r");
    await screen.sees("take the last turn out of the conversation? [o]nce, [a]lways, [c]ancel: ");
    screen.type("\r");
    await screen.sees("nothing was changed");
    screen.type("/undo\r");
    await screen.sees("[c]ancel: ");
    screen.type("o\r");
    await screen.sees("taken back: question one");
    screen.type("question two\r");
    await screen.sees("answer three");
    await screen.sees("› ");
    expect(JSON.stringify(sent(model.requests[2]))).not.toContain("question one");
    screen.type("/quit\r");
    await screen.done;
  });

  test("/new opens another session and /resume goes back", async () => {
    const { screen, model, options } = await chat([{ text: "one" }, { text: "two" }, { text: "three" }]);
    await screen.sees("› ");
    screen.type("apples\r");
    await screen.sees("one");
    await screen.sees("› ");
    screen.type("/title fruit\r");
    await screen.sees("called 'fruit'");
    screen.type("/new\r");
    await screen.sees("end this session and begin another? [o]nce, [a]lways, [c]ancel: ");
    screen.type("always\r");
    await screen.sees(/session \S+ is kept; this is \S+/);
    expect(readFileSync(join(options.home, ".talaria", "config.yaml"), "utf8")).toContain(
      "destructive_slash_confirm: false",
    );
    screen.type("pears\r");
    await screen.sees("two");
    await screen.sees("› ");
    expect(JSON.stringify(sent(model.requests[1]))).not.toContain("apples");
    screen.type("/resume fruit\r");
    await screen.sees("continuing");
    screen.type("more\r");
    await screen.sees("three");
    await screen.sees("› ");
    expect(JSON.stringify(sent(model.requests[2]))).toContain("apples");
    screen.type("/quit\r");
    await screen.done;
  });
});

describe("a chat from a pipe", () => {
  test("takes each line as a message or a command, in order", async () => {
    const model = await server({ text: "to a" }, { text: "to b" });
    const { words, ...options } = modelHome("chat", model);
    const ran = await run(words, { ...options, input: "a\n\n/status\nb" });
    expect(ran.stdout).toMatch(/to a[\s\S]*session {2}\S+[\s\S]*to b/);
    expect(ran.stdout).not.toContain("\u001b");
    expect(sent(model.requests[1]).filter(({ role }) => role === "user")).toHaveLength(2);
    expect(ran.status).toBe(0);
  });

  test("an empty pipe is the end", async () => {
    const ran = await run([], { home: folder(), input: "" });
    expect(ran).toMatchObject({ status: 0, stdout: "", stderr: "" });
  });

  test("what needs a person is refused", async () => {
    const home = folder();
    mkdirSync(join(home, "keep"));
    writeFileSync(join(home, "keep", "x"), "x");
    await run([], { home, input: "run `rm -rf keep`\n" });
    expect(readFileSync(join(home, "keep", "x"), "utf8")).toBe("x");
  });
});

test("a pasted text of several lines is one message, entered by the person, and comes back so from the history", async () => {
  const { screen, model } = await chat([{ text: "read." }, { text: "again." }]);
  await screen.sees("› ");
  expect(screen.raw()).toContain("\x1b[?2004h");
  screen.type("\x1b[200~first line\n\tsecond line\r\nthird line\n\x1b[201~");
  await screen.sees("first line␤␉second line␤third line");
  expect(model.requests).toHaveLength(0);
  screen.type(" and mine\r");
  await screen.sees("read.");
  expect(JSON.stringify(sent(model.requests[0]))).toContain(
    JSON.stringify("first line\n\tsecond line\nthird line and mine").slice(1, -1),
  );
  await screen.sees("› ");
  screen.type("\x1b[A");
  await screen.sees("third line and mine");
  screen.type("\r");
  await screen.sees("again.");
  screen.type("\x04");
  expect(await screen.done).toBe(0);
  expect(screen.raw()).toContain("\x1b[?2004l");
});
