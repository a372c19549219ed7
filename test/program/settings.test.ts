import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { ServerStep } from "../../src/testing.ts";
import { events, folder, modelHome, type Ran, run, server } from "../program-fixture.ts";
import { terminal } from "../terminal-fixture.ts";

interface Body {
  readonly model: string;
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
  readonly [key: string]: unknown;
}

/** One run of the built program with settings; what was sent to the model besides. */
async function ran(more: string, script: readonly ServerStep[], words: readonly string[] = [], env = {}) {
  const model = await server(...script);
  const { words: named, ...options } = modelHome("chat", model, more);
  const done: Ran = await run(["run", ...named, ...words, "do it"], { ...options, env: { ...options.env, ...env } });
  const sent = model.requests.filter(({ body }) => body !== undefined).map(({ body }) => body as Body);
  return { done, sent, options };
}

const toolNames = (body: Body | undefined) => (body?.tools ?? []).map((tool) => tool.function.name).sort();
const delegate: ServerStep = { calls: [{ name: "delegate_task", args: { goal: "look", toolsets: ["file"] } }] };

describe("settings that reach the model", () => {
  test("effort, temperature, answer limit and the end of the system prompt", async () => {
    const more = "  temperature: 0.3\n  max_tokens: 77\nagent: {reasoning_effort: low, system_prompt: Say please.}\n";
    const { sent } = await ran(more, [{ text: "ok" }]);
    expect(sent[0]).toMatchObject({ temperature: 0.3, max_tokens: 77, reasoning_effort: "low" });
    expect(sent[0]?.messages[0]?.content.endsWith("\n\nSay please.")).toBe(true);
  });

  test("toolsets, without the disabled ones; a name that nothing brings is told", async () => {
    const more = "toolsets: [debugging, todo, nosuch]\nagent: {disabled_toolsets: [terminal]}\n";
    const { sent, done } = await ran(more, [{ text: "ok" }]);
    expect(toolNames(sent[0])).toEqual([
      "patch",
      "read_file",
      "search_files",
      "todo",
      "web_extract",
      "web_search",
      "write_file",
    ]);
    expect(done.stderr).toContain("toolsets: there is no toolset nosuch");
  });

  test("--toolsets wins over the settings; one that names nothing is refused", async () => {
    const model = await server({ text: "ok" });
    const { words, ...options } = modelHome("chat", model, "toolsets: [terminal]\n");
    const done = await run(["run", ...words, "--toolsets", "todo, file,nosuch", "go"], options);
    expect(toolNames(model.requests[0]?.body as Body)).toEqual([
      "patch",
      "read_file",
      "search_files",
      "todo",
      "write_file",
    ]);
    expect(done.stderr).toContain("--toolsets: toolsets: there is no toolset nosuch");
    const refused = await run(["run", ...words, "--toolsets", " , ", "go"], options);
    expect(refused).toMatchObject({ status: 2, stderr: expect.stringContaining("--toolsets takes names") });
  });

  test("sub-agents have a model, an address, a key and an effort of their own", async () => {
    const other = await server({ text: "it is there" });
    const more = `delegation: {model: small, base_url: "${other.url}/v1", api_key: sk-child, reasoning_effort: none}\n`;
    const { sent, done } = await ran(more, [delegate, { text: "done" }]);
    expect(done.stdout).toBe("done\n");
    expect(sent.map(({ model }) => model)).toEqual(["test-model", "test-model"]);
    expect(other.requests[0]?.headers["authorization"]).toBe("Bearer sk-child");
    const child = other.requests[0]?.body as Body;
    expect(child).toMatchObject({ model: "small", reasoning_effort: "none" });
    expect(toolNames(child)).toEqual(["patch", "read_file", "search_files", "write_file"]);
  });

  test("another model alone is one of the parent's provider", async () => {
    const { sent } = await ran("delegation: {model: small/one}\n", [delegate, { text: "seen" }, { text: "done" }]);
    expect(sent.map(({ model }) => model)).toEqual(["test-model", "small/one", "test-model"]);
  });

  test("a provider of sub-agents that cannot be used is told to the model, and nothing runs", async () => {
    const { sent, done } = await ran("delegation: {provider: nosuch}\n", [delegate, { text: "alone then" }]);
    expect(done.stdout).toBe("alone then\n");
    expect(JSON.stringify(sent[1]?.messages.at(-1))).toContain("delegation.provider");
  });

  test("the date is that of the time zone, and a name that is none is told", async () => {
    const east = (await ran("timezone: Pacific/Kiritimati\n", [{ text: "ok" }])).sent[0]?.messages[0]?.content ?? "";
    const west = (await ran("", [{ text: "ok" }], [], { TALARIA_TIMEZONE: "Pacific/Niue" })).sent[0]?.messages[0]
      ?.content;
    const date = (text = "") => /Date at the start of this session: (\S+)/.exec(text)?.[1] ?? "";
    // They are 25 hours apart: never the same day.
    expect(date(east) > date(west)).toBe(true);
    const { done } = await ran("timezone: Mars/Olympus\n", [{ text: "ok" }]);
    expect(done.stderr).toContain("timezone must be a time zone such as Europe/Berlin");
  });

  test("commands start in terminal.cwd, unless a folder is named", async () => {
    const place = folder();
    const step: ServerStep = { calls: [{ name: "terminal", args: { command: "pwd" } }] };
    const where = async (words: readonly string[]) => {
      const { done } = await ran(`terminal: {cwd: "${place}"}\n`, [step, { text: "ok" }], ["--json", ...words]);
      return String(events(done).find(({ type }) => type === "tool-end")?.["result"]);
    };
    expect(await where([])).toContain(place);
    const named = folder();
    expect(await where(["--cwd", named])).toContain(named);
    const { done } = await ran("terminal: {cwd: /nowhere, backend: docker}\n", [{ text: "ok" }]);
    expect(done.stderr).toContain("terminal.cwd: /nowhere is no folder");
    expect(done.stderr).toContain("terminal.backend docker is not built");
  });

  test("the shell that runs commands; one that cannot is told", async () => {
    const step: ServerStep = { calls: [{ name: "terminal", args: { command: "echo it is $0" } }] };
    const { done } = await ran("terminal: {shell: sh}\n", [step, { text: "ok" }], ["--json"]);
    expect(String(events(done).find(({ type }) => type === "tool-end")?.["result"])).toMatch(/it is \S*\/sh\b/);
    const other = await ran("terminal: {shell: /bin/fish}\n", [{ text: "ok" }]);
    expect(other.done.stderr).toContain("terminal.shell: /bin/fish is none of bash, sh,");
    expect(other.done.stdout).toBe("ok\n");
  });

  test("a backend that is not built lets no dangerous command through", async () => {
    const place = folder();
    mkdirSync(join(place, "keep"));
    const step: ServerStep = { calls: [{ name: "terminal", args: { command: "rm -rf keep" } }] };
    const { done } = await ran("terminal: {backend: docker}\n", [step, { text: "ok" }], ["--json", "--cwd", place]);
    expect(events(done).find(({ type }) => type === "tool-end")).toMatchObject({ status: "blocked" });
  });
});

describe("settings of what is shown", () => {
  const two: readonly ServerStep[] = [
    {
      reasoning: "Let me think.",
      text: "I look.",
      calls: [
        { name: "terminal", args: { command: "echo first" } },
        { name: "terminal", args: { command: "echo second" } },
      ],
    },
    { text: "All seen.", usage: { input: 1200, output: 34 } },
  ];
  const shown = async (display: string, words: readonly string[] = []): Promise<Ran> =>
    (await ran(display === "" ? "" : `display: {${display}}\n`, two, words)).done;

  test("nothing of it changes what a program reads", async () => {
    const done = await shown("show_reasoning: true, show_cost: true, timestamps: true, bell_on_complete: true");
    expect(done.stdout).toBe("All seen.\n");
    expect(done.stderr).toMatch(/^\d\d:\d\d\nLet me think\.\nI look\.\n/);
    expect(done.stderr).toMatch(/\n\d\d:\d\d {2}1210 tokens in, 39 out, cost unknown\n$/);
  });

  test.each([
    ["off", []],
    ["new", ["first"]],
    ["all", ["first", "second"]],
  ])("tool_progress %s", async (progress, expected) => {
    const { stderr } = await shown(`tool_progress: ${progress}`);
    expect([...stderr.matchAll(/✓ terminal {2}echo (\w+)/g)].map(([, found]) => found)).toEqual(expected);
  });

  test("tool_progress verbose shows arguments and results", async () => {
    const { stderr } = await shown("tool_progress: verbose");
    expect(stderr).toContain('│   "command": "echo first"');
    expect(stderr).toMatch(/│ .*"exit_code": ?0/);
  });

  test("in a terminal: thoughts before the answer, messages whole, a bell, and commands that change it", async () => {
    const model = await server(
      { reasoning: "Hm.", text: "Yes." },
      { reasoning: "Again.", text: "No." },
      { text: "So." },
    );
    const more = "display: {streaming: false, show_reasoning: true, bell_on_complete: true}\n";
    const { words, ...options } = modelHome("chat", model, more);
    const screen = terminal(words, options);
    await screen.sees("› ");
    screen.type("is it?\r");
    await screen.sees(/Hm\.\n+Yes\./);
    await screen.sees("› ");
    expect(screen.raw()).toContain("\x07");
    screen.type("/reasoning hide\r");
    await screen.sees("what the model thinks is hidden");
    screen.type("/reasoning high\r");
    await screen.sees("reasoning: high (in this session; /reasoning high --save");
    const config = () => readFileSync(join(options.home, ".talaria", "config.yaml"), "utf8");
    expect(config()).not.toContain("reasoning_effort");
    screen.type("/reasoning high --save\r");
    await screen.sees("reasoning: high (saved)");
    expect(config()).toMatch(/^agent:\n +reasoning_effort: high$/m);
    screen.type("/reasoning much\r");
    await screen.sees("'much' is none of");
    screen.type("/verbose\r");
    await screen.sees("verbose: every tool call");
    screen.type("really?\r");
    await screen.sees("No.");
    expect(screen.text()).not.toContain("Again.");
    expect(model.requests.at(-1)?.body).toMatchObject({ reasoning_effort: "high" });
    screen.type("/quit\r");
    expect(await screen.done).toBe(0);
  });
});

test("times of sessions are those of the time zone", async () => {
  const { options } = await ran("", [{ text: "ok" }]);
  const listed = async (zone: string) => {
    writeFileSync(join(options.home, ".talaria", "config.yaml"), `timezone: ${zone}\n`);
    const { stdout } = await run(["sessions", "list"], options);
    return Date.parse(`${/\d{4}-\d\d-\d\d \d\d:\d\d/.exec(stdout)?.[0]}Z`);
  };
  expect((await listed("Pacific/Kiritimati")) - (await listed("Pacific/Niue"))).toBe(25 * 3_600_000);
});
