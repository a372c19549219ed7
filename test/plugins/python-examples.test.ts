import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { bash, say } from "../hooks/hook-fixture.ts";
import { run } from "../program-fixture.ts";
import { pluginHome } from "./plugin-fixture.ts";
import { seenProxy } from "./seen-proxy.ts";

/** The Python examples of the documents that plugins and gateway hooks follow, as they stand there. */
const example = (name: string): string =>
  readFileSync(new URL(`../../src/plugins/python/examples/${name}.py`, import.meta.url), "utf8");

const python = existsSync("/usr/bin/python3") ? "/usr/bin/python3" : "python3";
const plain = [
  "audit_tool_call",
  "warn_dangerous",
  "track_metrics",
  "guardrails",
  "log_response_length",
  "init_session",
  "cleanup_session",
  "session_duration",
  "log_subagent",
  "notify_approval",
  "log_decision",
  "redact_secrets",
  "summarize_find",
  "spongebob",
];

test("all examples that need nothing but Python take part in one turn", async () => {
  const home = await pluginHome();
  for (const name of plain) home.plugin(name, example(name), { entry: "__init__.py" });
  home.plugins(`enabled: [${plain.join(", ")}]`);
  home.write("~/.talaria/config.yaml", `${home.read("~/.talaria/config.yaml")}security:\n  redact_secrets: false\n`);
  const secret = `sk-${"a".repeat(40)}`;
  const turn = await home.turn({
    steps: [bash(`echo ${secret}`), say("Hello there!")],
    env: { SPONGEBOB_MODE: "on" },
  });
  expect(turn.status, turn.stderr).toBe(0);
  expect(turn.sent).toContain("Never execute commands that delete files without explicit user confirmation.");
  expect(turn.sent).toContain("[REDACTED]");
  expect(turn.stdout).toContain("Hello there!! Tartar sauce!");
  expect(home.log()).toContain("⚠ Executing potentially dangerous tool: terminal");
  for (const said of [
    /TOOL_CALL session=\S+ tool=terminal/,
    /RESPONSE session=\S+ model=test-model/,
    /SESSION_DURATION/,
  ])
    expect(home.log()).toMatch(said);
  expect(home.log()).not.toContain("raised:");
});

test("the boot checklist is run by an agent when the gateway's start is fired by hand", async () => {
  const home = await pluginHome();
  home.write("~/.talaria/hooks/boot-md/HOOK.yaml", "name: boot-md\nevents:\n  - gateway:startup\n");
  home.write("~/.talaria/hooks/boot-md/handler.py", example("handler_boot_md"));
  home.write("~/.hermes/BOOT.md", "# Startup Checklist\n\nLook whether all is well.\n");
  home.server.push(bash("echo looked"), say("All is well."));
  const fired = await home.program("hooks", "emit", "gateway:startup");
  expect(fired.status, fired.stdout + fired.stderr).toBe(0);
  expect(home.server.requests).toHaveLength(2);
  expect(home.server.requests[0]?.text).toContain("Look whether all is well.");
  expect(home.server.requests[1]?.text).toContain("looked");
  expect(home.log()).toContain("hooks.boot-md: boot-md completed: All is well.");
});

test("handlers that note what happens write below the person's home", async () => {
  const home = await pluginHome();
  const handlers = {
    "my-hook": ["agent:start", "activity"],
    "command-logger": ["command:*", "command_logger"],
  } as const;
  for (const [name, [event, file]] of Object.entries(handlers)) {
    home.write(`~/.talaria/hooks/${name}/HOOK.yaml`, `name: ${name}\nevents: ['${event}']\n`);
    home.write(`~/.talaria/hooks/${name}/handler.py`, example(`handler_${file}`));
  }
  home.write("~/.hermes/hooks/my-hook/HOOK.yaml", "");
  await home.program("hooks", "emit", "agent:start", "--context", '{"platform": "cli", "message": "hi"}');
  const command = { command: "reset", args: "", platform: "cli", user_id: "7" };
  await home.program("hooks", "emit", "command:reset", "--context", JSON.stringify(command));
  expect(JSON.parse(home.read("~/.hermes/hooks/my-hook/activity.log"))).toMatchObject({ event: "agent:start" });
  expect(JSON.parse(home.read("~/.hermes/logs/command_usage.jsonl"))).toMatchObject({ command: "reset", user: "7" });
});

const missing = missingForTheNetwork();

describe.skipIf(missing !== undefined)(
  `examples that speak to the network${missing === undefined ? "" : ` (skipped: ${missing})`}`,
  () => {
    test("memories are recalled before a turn and stored after it", async () => {
      const home = await pluginHome();
      const proxy = await seenProxy(() => ({ results: [{ text: "Ada likes tea" }] }));
      for (const name of ["recall", "sync_memory"]) home.plugin(name, example(name), { entry: "__init__.py" });
      home.plugins("enabled: [recall, sync_memory]");
      home.write("~/.talaria/config.yaml", `${home.read("~/.talaria/config.yaml")}python:\n  path: ${python}\n`);
      const turn = await home.turn({
        steps: [say("Tea, of course.")],
        prompt: "what do I drink",
        env: proxy.environment,
      });
      expect(turn.status, turn.stderr).toBe(0);
      expect(turn.sent).toContain("Recalled context:\\n- Ada likes tea");
      expect(proxy.requests).toMatchObject([
        { host: "your-memory-api.example.com", path: "/recall", body: { query: "what do I drink" } },
        { path: "/store", body: { user: "what do I drink", assistant: "Tea, of course." } },
      ]);
    });

    test("handlers tell the outside of sessions and of long tasks", async () => {
      const home = await pluginHome();
      const proxy = await seenProxy(() => ({ ok: true }));
      const handlers = { "session-webhook": "session:start", "long-task-alert": "agent:step" };
      for (const [name, event] of Object.entries(handlers)) {
        home.write(`~/.talaria/hooks/${name}/HOOK.yaml`, `name: ${name}\nevents: ['${event}']\n`);
        home.write(`~/.talaria/hooks/${name}/handler.py`, example(`handler_${name.replaceAll("-", "_")}`));
      }
      home.write("~/.talaria/config.yaml", `${home.read("~/.talaria/config.yaml")}python:\n  path: ${python}\n`);
      const emit = async (event: string, context: object) => {
        const env = { ...proxy.environment, TELEGRAM_BOT_TOKEN: "12:ab", TELEGRAM_HOME_CHANNEL: "99" };
        const words = ["hooks", "emit", event, "--context", JSON.stringify(context)];
        const fired = await run(words, { home: home.home, env });
        expect(fired.status, fired.stdout + fired.stderr).toBe(0);
      };
      await emit("session:start", { platform: "cli", user_id: "7" });
      await emit("agent:step", { iteration: 9, tool_names: ["terminal"] });
      await emit("agent:step", { iteration: 10, tool_names: ["terminal"] });
      expect(proxy.requests).toEqual([
        expect.objectContaining({
          path: "/hermes-events",
          body: { event: "session:start", platform: "cli", user_id: "7" },
        }),
        expect.objectContaining({
          host: "api.telegram.org",
          path: "/bot12:ab/sendMessage",
          body: { chat_id: "99", text: "⚠️ Agent has been running for 10 steps. Last tools: terminal" },
        }),
      ]);
    });
  },
);

/** Why these cannot run on this machine. */
function missingForTheNetwork(): string | undefined {
  for (const [program, ...words] of [
    [python, "-c", "import httpx"],
    ["openssl", "version"],
  ] as const)
    try {
      execFileSync(program, words, { stdio: "pipe" });
    } catch {
      return `'${[program, ...words].join(" ")}' fails here`;
    }
  return undefined;
}
