import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { interpreter, type Shop, type ShopOptions, shop } from "./python-fixture.ts";

const observing = `import os
def seen(**kw):
    return {"context": "seen by %d" % os.getpid()}

def look(args, **kw):
    return "looked at " + args["what"]

def register(ctx):
    ctx.register_hook("pre_llm_call", seen)
    ctx.register_tool("look", "sight", {"name": "look", "parameters": {"type": "object"}}, look)
`;

/** A home that outlives its programs, with a Python that writes a line for each start. */
function lasting(code: string | Readonly<Record<string, string>> = observing) {
  const home = mkdtempSync(join(tmpdir(), "talaria-remembered-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const python = join(home, "counting-python");
  const starts = join(home, "starts");
  writeFileSync(starts, "");
  writeFileSync(python, `#!/bin/sh\necho started >> '${starts}'\nexec '${interpreter}' "$@"\n`);
  chmodSync(python, 0o755);
  const files = typeof code === "string" ? { "__init__.py": code } : code;
  const folder = join(home, "plugins", "eye");
  const write = (name: string, text: string): void => {
    mkdirSync(join(folder, name, ".."), { recursive: true });
    writeFileSync(join(folder, name), text);
  };
  for (const [name, text] of Object.entries({ "plugin.yaml": "name: eye\n", ...files })) write(name, text);
  const environment = { PATH: process.env["PATH"], HOME: home };
  return {
    home,
    write,
    python,
    starts: () => readFileSync(starts, "utf8").split("\n").length - 1,
    cacheFile: join(home, "cache", "python-registrations", "eye.json"),
    /** A program that begins, does something, and ends. */
    async program<T>(act: (here: Shop) => Promise<T> | T, options: ShopOptions = {}): Promise<T> {
      const here = shop({ home, configured: python, remembers: true, environment, ...options });
      try {
        here.enable("eye");
        await here.plugins.discover();
        return await act(here);
      } finally {
        await here.close();
      }
    },
  };
}

const offered = ({ plugins }: Shop): readonly string[] =>
  plugins.registry.ownedBy("eye").map(({ kind, value }) => `${kind} ${"name" in value ? value.name : ""}`);

const all = ["hook pre_llm_call", "tool look"];

test("an unchanged plugin is registered without Python, which starts with the first call and answers it", async () => {
  const { program, starts } = lasting();
  expect(await program(offered)).toEqual(all);
  expect(starts()).toBe(1);
  expect(await program(offered)).toEqual(all);
  expect(starts()).toBe(1);
  const answers = await program(async (here) => [
    await here.fire("pre_llm_call", {}),
    await here.tool("look", { what: "it" }),
  ]);
  expect(starts()).toBe(2);
  expect(answers).toEqual([{ context: [expect.stringMatching(/^seen by \d+$/)] }, "looked at it"]);
});

type Home = ReturnType<typeof lasting>;
const changes: Readonly<Record<string, (home: Home) => ShopOptions | void>> = {
  "a file of the plugin": ({ write }) => write("__init__.py", `${observing}# more\n`),
  "its content alone, of the same size": ({ write }) => write("note.txt", "b"),
  "another file": ({ write }) => write("deep/new.txt", ""),
  "its manifest": ({ write }) => write("plugin.yaml", "name: eye\nversion: 2.0.0\n"),
  "the interpreter": ({ python }) => appendFileSync(python, "\n"),
  "the configuration": () => ({ settings: { plugins: { entries: { eye: { colour: "blue" } } } } }),
  "a variable": ({ home }) => ({ environment: { PATH: process.env["PATH"], HOME: home, EYE_KEY: "k" } }),
};

test.each(Object.keys(changes))("after a change of %s Python is asked again", async (name) => {
  const home = lasting({ "__init__.py": observing, "note.txt": "a" });
  await home.program(offered);
  await home.program(offered);
  expect(home.starts()).toBe(1);
  const options = changes[name]?.(home) ?? {};
  expect(await home.program(offered, options)).toEqual(all);
  expect(home.starts()).toBe(2);
  expect(await home.program(offered, options)).toEqual(all);
  expect(home.starts()).toBe(2);
});

test("a variable that differs from terminal to terminal counts only where the plugin names it", async () => {
  const at = (home: string, session: string): ShopOptions => ({
    environment: { PATH: process.env["PATH"], HOME: home, TMUX_PANE: session },
  });
  const blind = lasting();
  await blind.program(offered, at(blind.home, "1"));
  await blind.program(offered, at(blind.home, "2"));
  expect(blind.starts()).toBe(1);
  const looking = lasting(`${observing}import os\nos.environ.get("TMUX_PANE")\n`);
  await looking.program(offered, at(looking.home, "1"));
  await looking.program(offered, at(looking.home, "2"));
  expect(looking.starts()).toBe(2);
});

/** Its registrations depend on a file of the home, which nobody can foresee. */
const moody = `import os
from hermes_constants import get_hermes_home

def register(ctx):
    for word in (get_hermes_home() / "mood").read_text().split():
        kind, name, answer = word.split(":")
        if kind == "hook":
            ctx.register_hook(name, lambda answer=answer, **kw: {"context": answer})
        else:
            ctx.register_tool(name, "moods", {"name": name}, lambda args, answer=answer, **kw: answer)
`;

test("where a plugin registers something else than is known, the call under way finds its successor, and that holds", async () => {
  const { home, program, starts } = lasting(moody);
  const mood = (text: string): void => writeFileSync(join(home, "mood"), text);
  mood("hook:pre_llm_call:first tool:old:x tool:kept:before");
  await program(offered);
  mood("tool:new:y tool:kept:after hook:pre_llm_call:second hook:post_tool_call:more");
  await program(async (here) => {
    expect(offered(here)).toEqual(["hook pre_llm_call", "tool old", "tool kept"]);
    const kept = here.plugins.registry.of("tool").find(({ value }) => value.name === "kept");
    const old = here.plugins.registry.of("tool").find(({ value }) => value.name === "old");
    expect(starts()).toBe(1);
    expect(await here.fire("pre_llm_call", {})).toEqual({ context: ["second"] });
    const now = ["hook pre_llm_call", "hook post_tool_call", "tool new", "tool kept"];
    expect(offered(here)).toEqual(now);
    expect(await here.tool("kept")).toBe("after");
    expect(await here.fire("pre_llm_call", {})).toEqual({ context: ["second"] });
    const signal = AbortSignal.any([]);
    const run = { sessionId: "", taskId: "", callId: "", cwd: "/", signal, progress: () => undefined };
    expect(await kept?.value.handler({}, run)).toBe("after");
    await expect(old?.value.handler({}, run)).rejects.toThrow("does not register this tool any more");
    expect(here.logged.join("\n")).toContain("eye registers something else than before");
  });
  expect(starts()).toBe(2);
  expect(await program(offered)).toContain("tool new");
  expect(starts()).toBe(2);
});

test("what is registered no more has no opinion in the call under way, and lets through what it stood around", async () => {
  const { home, program } = lasting(
    `from hermes_constants import get_hermes_home
def register(ctx):
    ctx.register_tool("look", "sight", {"name": "look"}, lambda args, **kw: "")
    if (get_hermes_home() / "mood").read_text() == "strict":
        ctx.register_hook("pre_tool_call", lambda **kw: {"action": "block", "message": "no"})
        ctx.register_middleware("tool_request", lambda args, **kw: {"args": {"path": "changed"}})
        ctx.register_middleware("tool_execution", lambda next_call, **kw: "wrapped " + next_call())
`,
  );
  writeFileSync(join(home, "mood"), "strict");
  await program(offered);
  writeFileSync(join(home, "mood"), "mild");
  const fired: readonly ((here: Shop) => Promise<unknown>)[] = [
    (here) => here.fire("pre_tool_call", {}),
    async (here) => (await here.fire("tool_request", { args: { path: "a" } }))["args"],
    (here) => here.wrap("tool_execution", {}, async () => ({ content: "core" })),
  ];
  const without = [{}, undefined, { content: "core" }];
  for (const [index, fire] of fired.entries()) {
    writeFileSync(join(home, "mood"), "strict");
    rmSync(join(home, "cache"), { recursive: true, force: true });
    await program(offered);
    writeFileSync(join(home, "mood"), "mild");
    expect(await program(fire)).toEqual(without[index]);
  }
});

test("a plugin that can be loaded no more leaves nothing, and is not remembered", async () => {
  const { home, program, starts } = lasting(moody);
  writeFileSync(join(home, "mood"), "hook:pre_llm_call:first");
  await program(offered);
  rmSync(join(home, "mood"));
  await program(async (here) => {
    expect(await here.fire("pre_llm_call", {})).toEqual({});
    expect(offered(here)).toEqual([]);
    expect(here.logged.join("\n")).toContain("the plugin eye could not be loaded again");
  });
  await program((here) => expect(here.errorOf("eye")).toContain("mood"));
  expect(starts()).toBe(3);
});

test.each([
  [
    "starts a thread",
    "import threading, time\n    threading.Thread(target=time.sleep, args=(60,), daemon=True).start()",
  ],
  [
    "asks what nobody foresees",
    "from hermes_cli.plugins import get_plugin_manager\n    get_plugin_manager().list_plugins()",
  ],
])("a plugin that %s when it registers is brought to life at each start", async (_what, body) => {
  const { program, starts } = lasting(`${observing}    ${body}\n`);
  const services = { "plugins.list": () => [] };
  await program(offered, { services });
  expect(await program(offered, { services })).toEqual(all);
  expect(starts()).toBe(2);
});

test("a plugin that registers nothing lives by what it does, and is loaded each time", async () => {
  const { program, starts } = lasting("def register(ctx):\n    pass\n");
  await program(offered);
  await program(offered);
  expect(starts()).toBe(2);
});

const damages: Readonly<Record<string, (file: string) => void>> = {
  "is cut off": (file) => writeFileSync(file, readFileSync(file, "utf8").slice(0, -40)),
  "holds no JSON": (file) => writeFileSync(file, Buffer.from([0, 1, 2, 255])),
  "holds something else": (file) => writeFileSync(file, '{"key": null}'),
  "was changed": (file) => writeFileSync(file, readFileSync(file, "utf8").replaceAll("pre_llm_call", "pre_tool_call")),
  "is a folder": (file) => {
    rmSync(file);
    mkdirSync(file);
  },
};

test.each(Object.keys(damages))("a cache whose file %s is as good as none", async (name) => {
  const { program, starts, cacheFile } = lasting();
  await program(offered);
  damages[name]?.(cacheFile);
  expect(await program(offered)).toEqual(all);
  expect(starts()).toBe(2);
});

test("where nothing can be kept everything works as before", async () => {
  const { home, program, starts } = lasting();
  writeFileSync(join(home, "cache"), "no folder");
  await program(offered);
  expect(await program(offered)).toEqual(all);
  expect(starts()).toBe(2);
});

test("programs that begin at once leave a whole file behind", async () => {
  const { program, starts, cacheFile } = lasting();
  await Promise.all(Array.from({ length: 4 }, () => program(offered)));
  const before = starts();
  expect(readdirSync(join(cacheFile, ".."))).toEqual(["eye.json"]);
  expect(await program(offered)).toEqual(all);
  expect(starts()).toBe(before);
});

test("numbers of callbacks hold whatever other plugins there are", async () => {
  const { home, program, starts } = lasting();
  await program(offered);
  const other = join(home, "plugins", "a-first");
  mkdirSync(other);
  writeFileSync(join(other, "plugin.yaml"), "name: a-first\n");
  writeFileSync(join(other, "__init__.py"), "def register(ctx):\n    ctx.register_command('hi', lambda text: 'hi')\n");
  const act = async (here: Shop) => {
    here.enable("a-first");
    await here.plugins.discover({ force: true });
    return here.plugins.list().map(({ key, error }) => [key, error]);
  };
  await program(act);
  expect(starts()).toBe(2);
  const answer = await program(async (here) => {
    await act(here);
    const before = starts();
    return [before, await here.tool("look", { what: "both" })];
  });
  expect(answer).toEqual([2, "looked at both"]);
});

test("a reload reads the plugin anew, and what it registers then is remembered", async () => {
  const { program, starts, write } = lasting();
  await program(offered);
  await program(async (here) => {
    write("__init__.py", observing.replaceAll("look", "gaze"));
    await here.plugins.reload("eye");
    expect(offered(here)).toEqual(["hook pre_llm_call", "tool gaze"]);
  });
  expect(starts()).toBe(2);
  expect(await program(offered)).toEqual(["hook pre_llm_call", "tool gaze"]);
  expect(starts()).toBe(2);
});
