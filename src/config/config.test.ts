import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Config, type ConfigSources, describeOrigin, loadConfig } from "./config.ts";
import { describeProblem } from "./problem.ts";

const directory = mkdtempSync(join(tmpdir(), "talaria-config-"));
const file = join(directory, "config.yaml");

function load(source: string | Uint8Array, sources: Partial<ConfigSources> = {}): Promise<Config> {
  writeFileSync(file, source);
  return loadConfig({ file, environment: {}, ...sources });
}
const complaints = (config: Config): readonly string[] =>
  config.problems.map((problem) => describeProblem(problem).replaceAll(file, "FILE"));

describe("where a value comes from", () => {
  test("no file: the defaults, in silence", async () => {
    const config = await loadConfig({ file: join(directory, "none.yaml"), environment: {} });
    expect(config).toMatchObject({ exists: false, problems: [] });
    expect(config.settings["agent.max_turns"]).toBe(90);
    expect(config.originOf("agent.max_turns")).toEqual({ kind: "default" });
  });

  test("default, file, environment and option, the later one wins, each is named", async () => {
    const source = "# mine\nagent:\n  max_turns: 12\n";
    const origin = async (sources: Partial<ConfigSources>): Promise<readonly unknown[]> => {
      const config = await load(source, sources);
      return [config.settings["agent.max_turns"], describeOrigin(config.originOf("agent.max_turns"))];
    };
    expect(await origin({})).toEqual([12, `${file}:3`]);
    expect(await origin({ environment: { HERMES_MAX_ITERATIONS: "7" } })).toEqual([7, "$HERMES_MAX_ITERATIONS"]);
    const both = { HERMES_MAX_ITERATIONS: "7", TALARIA_MAX_ITERATIONS: "8" };
    expect(await origin({ environment: both })).toEqual([8, "$TALARIA_MAX_ITERATIONS"]);
    const options = { "agent.max_turns": { value: 3, name: "--max-iterations" } } as const;
    expect(await origin({ environment: both, options })).toEqual([3, "--max-iterations"]);
  });

  test("a wrong environment variable is named and the file's value stands", async () => {
    const config = await load("agent: {max_turns: 12}", { environment: { TALARIA_MAX_ITERATIONS: "lots" } });
    expect(config.settings["agent.max_turns"]).toBe(12);
    expect(complaints(config)[0]).toContain(
      '$TALARIA_MAX_ITERATIONS: agent.max_turns must be a whole number from 1, but is "lots"',
    );
  });

  test.each(["TALARIA_SAFE_MODE", "HERMES_IGNORE_USER_CONFIG"])("%s leaves the file out", async (name) => {
    const config = await load("agent: {max_turns: 12}\nnonsense: 1", { environment: { [name]: "1" } });
    expect(config.settings["agent.max_turns"]).toBe(90);
    expect(config.problems).toEqual([]);
  });

  test("texts take values of the environment where there are any", async () => {
    const config = await load(`model: {api_key: '\${KEY}', base_url: 'http://\${NONE}/'}`, {
      environment: { KEY: "k1" },
    });
    expect([config.settings["model.api_key"], config.settings["model.base_url"]]).toEqual(["k1", `http://\${NONE}/`]);
  });
});

describe("a file as Hermes writes it", () => {
  test.each([
    ["model: m/x", "model.default", "m/x"],
    ["model: {model: x}", "model.default", "x"],
    ["model: {default: x, provider: custom}", "model.provider", "custom"],
    ["approvals: {mode: off}", "approvals.mode", "off"],
    ["approvals: {mode: on}", "approvals.mode", "manual"],
    ["approvals: {mode: SMART}", "approvals.mode", "smart"],
    ["approvals: {cron_mode: off}", "approvals.cron_mode", "deny"],
    ["approvals: {cron_mode: yes}", "approvals.cron_mode", "deny"],
    ["approvals: {cron_mode: 'off'}", "approvals.cron_mode", "off"],
    ["display: {show_cost: yes}", "display.show_cost", true],
    ["display: {show_cost: 'on'}", "display.show_cost", true],
    ["agent: {max_turns: '30'}", "agent.max_turns", 30],
    ["agent: {max_turns: 010}", "agent.max_turns", 8],
    ["max_turns: 5", "agent.max_turns", 5],
    ["terminal: {timeout: 1_000}", "terminal.timeout", 1000],
    ["provider: n", "model.provider", "n"],
    ["provider: 12:30", "model.provider", "12:30"],
    ["command_allowlist: find", "command_allowlist", ["find"]],
    ["a: &a {max_turns: 4}\nagent: *a", "agent.max_turns", 4],
    ["x-a: &a {max_turns: 4}\nagent: {<<: *a}", "agent.max_turns", 4],
    ["agent:\n", "agent.max_turns", 90],
    ["agent: {max_turns: }", "agent.max_turns", 90],
  ] as const)("%s", async (source, path, value) => {
    const config = await load(source);
    expect(config.settings[path]).toEqual(value);
    expect(complaints(config).filter((text) => !text.includes("setting a;") && !text.endsWith("setting a"))).toEqual(
      [],
    );
  });

  test("its keys that are not used here pass in silence", async () => {
    const config = await load(
      "_config_version: 29\ntts: {provider: edge}\nterminal: {docker_image: x}\ndisplay: {skin: x}\nprivacy: {}\n",
    );
    expect(config.problems).toEqual([]);
    expect(config.values["tts"]).toEqual({ provider: "edge" });
  });

  test("what asks for a part that is not built is told, wherever it was set", async () => {
    const source = "database: {url: 'postgres://x', journal_mode: wal}\nterminal:\n  backend: docker\n";
    const config = await load(source, { environment: { TALARIA_DATABASE_URL: "postgres://y" } });
    expect(config.problems.map(({ kind }) => kind)).toEqual(["not_built", "not_built", "not_built"]);
    expect(complaints(config)).toEqual([
      "FILE:1: sessions cannot be kept in Postgres yet; they are kept in SQLite in the home",
      "$TALARIA_DATABASE_URL: sessions cannot be kept in Postgres yet; they are kept in SQLite in the home",
      "FILE:3: terminal.backend docker is not built: commands run on this machine, with no container around them",
    ]);
    expect(complaints(await load("security:\n  website_blocklist: {enabled: true, domains: [x.test]}\n"))).toEqual([
      "FILE:2: security.website_blocklist is not built: the web and browser tools open these sites too",
    ]);
    expect(complaints(await load("security:\n  website_blocklist: {enabled: false}\n"))).toEqual([]);
    expect(complaints(await load("", { environment: { TERMINAL_ENV: "ssh" } }))[0]).toContain("$TERMINAL_ENV: ");
  });
});

describe("what is wrong with a file", () => {
  test.each([
    ["agent: {max_turnz: 5}", "FILE:1: there is no setting agent.max_turnz; did you mean agent.max_turns?"],
    ["\nagnet: {}", "FILE:2: there is no setting agnet; did you mean agent?"],
    ["agent:\n  timeout: 5", "FILE:2: there is no setting agent.timeout; did you mean terminal.timeout?"],
    ["memory: {provider: mine, mine: {any: 1}, mind: 2}", "FILE:1: there is no setting memory.mind"],
    ["qqqqqqqq: 1", "FILE:1: there is no setting qqqqqqqq"],
    ["agent: 5", "FILE:1: agent must be a mapping of keys; it is left out"],
    ["hooks: [1]", "FILE:1: hooks must be a mapping, but is a list; it is left out"],
    [
      "approvals: {mode: never}",
      'FILE:1: approvals.mode must be one of manual, smart, off, but is "never"; the default "manual" is used unless it is set elsewhere',
    ],
    [
      "agent: {max_turns: 0}",
      "FILE:1: agent.max_turns must be a whole number from 1, but is 0; the default 90 is used unless it is set elsewhere",
    ],
    [
      "agent: {max_turns: 1.5}",
      "FILE:1: agent.max_turns must be a whole number from 1, but is 1.5; the default 90 is used unless it is set elsewhere",
    ],
    [
      "agent: {max_turns: .nan}",
      "FILE:1: agent.max_turns must be a whole number from 1, but is NaN; the default 90 is used unless it is set elsewhere",
    ],
    ["model: {api_key: [secret]}", "FILE:1: model.api_key must be text, but is a list; it is left out"],
    [
      "timezone: UTC\ntimezone: UTC",
      "FILE:2: timezone stands here a second time (first on line 1); the last one counts",
    ],
    ["- a\n- b", "FILE:1: its top level must be a mapping of keys; the defaults are used until it is corrected"],
  ])("%j", async (source, complaint) => {
    expect(complaints(await load(source))).toEqual([complaint]);
  });

  test("one bad value never costs its neighbours", async () => {
    const config = await load(
      "agent:\n  max_turns: many\n  api_max_retries: 1\nterminal: {timeout: [1]}\ntimezone: UTC\n",
    );
    expect(config.settings).toMatchObject({
      "agent.max_turns": 90,
      "agent.api_max_retries": 1,
      "terminal.timeout": 180,
      timezone: "UTC",
    });
    expect(config.problems.map(({ key, where }) => [key, where.replace(file, "")])).toEqual([
      ["agent.max_turns", ":2"],
      ["terminal.timeout", ":4"],
    ]);
  });

  test.each([
    ["a: [1, 2", 1],
    ["agent:\n\tmax_turns: 5", 2],
    ["a: 1\nb: 'x\n", 3],
    ["a: 1\n---\nb: 2", 2],
    ["a: *nowhere", 1],
  ])("broken YAML %j is told with line and column, and the defaults stand", async (source, line) => {
    const config = await load(source);
    expect(config.settings["agent.max_turns"]).toBe(90);
    expect(config.problems[0]).toMatchObject({ kind: "broken_file" });
    expect(config.problems[0]?.where).toMatch(new RegExp(`^${file}:${line}:\\d+$`));
  });

  test("aliases that multiply without end are refused", async () => {
    const levels = Array.from(
      { length: 12 },
      (_, index) => `l${index + 1}: &l${index + 1} [${`*l${index},`.repeat(10)}]`,
    );
    const config = await load(["l0: &l0 [x]", ...levels].join("\n"));
    expect(config.problems[0]).toMatchObject({ kind: "broken_file", where: file });
  });

  test("a binary file and a directory are unreadable, not a crash", async () => {
    expect((await load(Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2]))).problems[0]).toMatchObject({
      kind: "unreadable_file",
    });
    const config = await loadConfig({ file: directory, environment: {} });
    expect(config.problems[0]?.message).toContain("is a directory; the defaults are used");
  });
});
