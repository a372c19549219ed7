import { chmodSync, existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { type ModelServer, modelServer, type ServerStep } from "../../src/testing.ts";
import { folder, type Ran, run } from "../program-fixture.ts";

export interface HookHouse {
  /** The person's home; the project lies in it. */
  readonly home: string;
  readonly project: string;
  readonly server: ModelServer;
  /** Writes a file below the project, or below the home where the path begins with `~/`; scripts are executable. */
  write(path: string, text: string): string;
  settings(hooks: object, place?: "user" | "project" | "local", more?: object): void;
  read(path: string): string;
  has(path: string): boolean;
  /** Runs `talaria run` with a script of the model's answers. */
  turn(options?: TurnOptions): Promise<Turn>;
  program(...words: readonly string[]): Promise<Ran>;
}

interface TurnOptions {
  readonly steps?: readonly ServerStep[];
  readonly prompt?: string;
  readonly words?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

export interface Turn extends Ran {
  /** The lines of `--json`. */
  readonly events: readonly { readonly type: string; readonly [key: string]: unknown }[];
  /** All that the model was sent, as text. */
  readonly sent: string;
  readonly results: readonly string[];
  readonly notices: readonly string[];
}

export const say = (text: string): ServerStep => ({ text });
export const bash = (command: string): ServerStep => ({ calls: [{ name: "terminal", args: { command } }] });
export const writeFile = (path: string, content = "x"): ServerStep => ({
  calls: [{ name: "write_file", args: { path, content } }],
});
export const edit = (path: string, old_string: string, new_string: string): ServerStep => ({
  calls: [{ name: "patch", args: { mode: "replace", path, old_string, new_string } }],
});

/** A rule of a settings file: one command. */
export const command = (text: string, more: object = {}) => ({ type: "command", command: text, ...more });
export const group = (matcher: string | undefined, ...hooks: readonly object[]) => ({
  ...(matcher === undefined ? {} : { matcher }),
  hooks,
});

/** A home with a project, and a model server that plays what each turn says. */
export async function hookHouse(): Promise<HookHouse> {
  const home = realpathSync(folder("talaria-hooks-"));
  const project = join(home, "project");
  mkdirSync(join(project, ".claude"), { recursive: true });
  mkdirSync(join(home, ".talaria"), { recursive: true });
  const server = await modelServer();
  onTestFinished(() => server.close());
  writeFileSync(
    join(home, ".talaria/config.yaml"),
    `model:\n  provider: custom\n  default: test-model\n  base_url: ${server.url}/v1\n  api_key: sk-test\napprovals:\n  mode: "off"\n`,
  );
  const at = (path: string): string => (path.startsWith("~/") ? join(home, path.slice(2)) : join(project, path));
  const house: HookHouse = {
    home,
    project,
    server,
    write(path, text) {
      mkdirSync(dirname(at(path)), { recursive: true });
      writeFileSync(at(path), text);
      if (text.startsWith("#!")) chmodSync(at(path), 0o755);
      return at(path);
    },
    settings(hooks, place = "project", more = {}) {
      const file = {
        user: "~/.claude/settings.json",
        project: ".claude/settings.json",
        local: ".claude/settings.local.json",
      };
      house.write(file[place], JSON.stringify({ hooks, ...more }));
    },
    read: (path) => readFileSync(at(path), "utf8"),
    has: (path) => existsSync(at(path)),
    async turn({ steps = [say("done")], prompt = "go", words = ["--accept-hooks"], env = {}, cwd = project } = {}) {
      const before = server.requests.length;
      server.push(...steps);
      const ran = await run(["run", "--json", ...words, prompt], { home, cwd, env });
      const events = ran.stdout
        .split("\n")
        .filter((line) => line.startsWith("{"))
        .map((line) => JSON.parse(line) as { readonly type: string; readonly [key: string]: unknown });
      return {
        ...ran,
        events,
        sent: server.requests
          .slice(before)
          .map(({ text }) => text)
          .join("\n"),
        results: events.filter(({ type }) => type === "tool-end").map(({ result }) => String(result)),
        notices: events.filter(({ type }) => type === "notice").map(({ text }) => String(text)),
      };
    },
    program: (...words) => run(words, { home, cwd: project }),
  };
  return house;
}
