import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { sleep } from "#host";
import { type Shop, shop } from "./python-fixture.ts";

/** How long a busy machine may take. */
const patience = { timeout: 30_000 };

let here: Shop;
beforeEach(() => {
  here = shop();
});
afterEach(() => here.close());

const tool = (name: string, body: string, before = ""): string => `${before}
def ${name}(args, **kw):
${body.replace(/^/gm, "    ")}
`;
const registering = (...names: readonly string[]): string =>
  `def register(ctx):\n${names.map((name) => `    ctx.register_tool("${name}", "t", {"name": "${name}"}, ${name})\n`).join("")}`;
const failure = async (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => "did not fail",
    (error: Error) => `${error.name}: ${error.message}`,
  );

const broken: readonly (readonly [string, string, RegExp])[] = [
  ["that is no Python", "x = = 1\n", /invalid syntax/],
  ["that raises at import", "raise ValueError('at import')\n", /^__init__\.py:1: at import$/],
  ["that exits at import", "import sys\nsys.exit(3)\n", /^__init__\.py:2: sys\.exit\(3\) was called$/],
  ["without register", "x = 1\n", /^no register\(\) function$/],
  ["whose register raises", "def register(ctx):\n    1 / 0\n", /^__init__\.py:2: division by zero$/],
  ["that registers in the wrong way", "def register(ctx):\n    ctx.register_tool('x')\n", /missing 3 required/],
  ["that asks for what is not there", "def register(ctx):\n    ctx.get_config('a')\n", /no attribute 'get_config'/],
  [
    "with a generator for a hook",
    "def register(ctx):\n    def g(**kw):\n        yield 1\n    ctx.register_hook('pre_llm_call', g)\n",
    /is a generator/,
  ],
  ["that misses a module", "import nobody_has_this\n", /No module named 'nobody_has_this'; install it/],
  ["that misses a module of the agent", "import tools.nothing_here\n", /Talaria offers no module tools\.nothing_here/],
  [
    "that patches the agent",
    "from run_agent import AIAgent\nAIAgent.__init__ = lambda self: None\n",
    /patches classes of the agent/,
  ],
  ["that patches it by another name", "import run_agent as r\nX = r.AIAgent\nX.chat = 1\n", /cannot be patched/],
  [
    "that walks frames",
    "import sys\ndef f():\n    return sys._getframe().f_back.f_locals\n",
    /walks the caller's frames/,
  ],
  [
    "with a skill that is not there",
    "def register(ctx):\n    ctx.register_skill('a', '/nowhere/SKILL.md')\n",
    /SKILL\.md not found/,
  ],
  [
    "with a task of the program",
    "def register(ctx):\n    ctx.register_auxiliary_task('vision', display_name='', description='')\n",
    /is a task of the program itself/,
  ],
];

test("plugins that are broken say so, leave nothing and harm no other", async () => {
  broken.forEach(([, code], index) => void here.plugin(`broken-${index}`, code));
  here.plugin("sound", tool("fine", "return 'ok'") + registering("fine"));
  await here.plugins.discover();
  broken.forEach(([what, , expected], index) => {
    expect(here.errorOf(`broken-${index}`), what).toMatch(expected);
    expect(here.plugins.registry.ownedBy(`broken-${index}`), what).toEqual([]);
  });
  expect(await here.tool("fine")).toBe("ok");
});

describe("a plugin", () => {
  test("that ends the process at import is told, and what had been loaded before comes back", async () => {
    here.plugin("a-sound", tool("fine", "return 'ok'") + registering("fine"));
    here.plugin("b-fatal", "import os\nos._exit(7)\n");
    await here.plugins.discover();
    expect(here.errorOf("b-fatal")).toBe("the Python host ended with exit code 7");
    expect(await here.tool("fine")).toBe("ok");
  });

  test("whose register raises late leaves nothing of what it had registered", async () => {
    here.plugin(
      "late",
      `${tool("early", "return 1")}def register(ctx):\n    ctx.register_tool("early", "t", {}, early)\n    raise RuntimeError("late")\n`,
    );
    await here.plugins.discover();
    expect(here.plugins.registry.of("tool")).toEqual([]);
  });
});

describe("a callback", () => {
  const code = [
    tool("raises", "raise KeyError('x')"),
    tool("exits", "import sys\nsys.exit(1)"),
    tool("interrupts", "raise KeyboardInterrupt()"),
    tool("recurses", "return recurses(args)"),
    tool("generates", "return (x for x in [1])"),
    tool("deep", "value = []\nfor _ in range(5000):\n    value = [value]\nreturn value"),
    tool(
      "odd",
      "return {'set': {1}, 'path': Path('/x'), 'nan': float('nan'), 'big': 2 ** 70, 'surrogate': '\\ud83d', (1, 2): 'pair'}",
      "from pathlib import Path",
    ),
    tool("huge", "return 'x' * 20_000_000"),
    tool("length", "return str(len(args['text']))"),
    tool("dies", "import os\nos._exit(9)"),
    tool("counts", "global n\nn += 1\nreturn str(n)", "n = 0"),
    registering(
      "raises",
      "exits",
      "interrupts",
      "recurses",
      "generates",
      "deep",
      "odd",
      "huge",
      "length",
      "dies",
      "counts",
    ),
  ].join("\n");
  beforeEach(async () => {
    here.plugin("acts", code);
    await here.plugins.discover();
    expect(here.errorOf("acts")).toBeUndefined();
  });

  test("that raises whatever there is to raise has failed, and nothing else has", async () => {
    expect(await failure(here.tool("raises"))).toBe("KeyError: 'x'");
    expect(await failure(here.tool("exits"))).toBe("SystemExit: 1");
    expect(await failure(here.tool("interrupts"))).toBe("KeyboardInterrupt: KeyboardInterrupt");
    expect(await failure(here.tool("recurses"))).toMatch(/^RecursionError: /);
    expect(await failure(here.tool("generates"))).toMatch(/^TypeError: .*returned a generator/);
    expect(await here.tool("counts")).toBe("1");
  });

  test("may return and be given anything", async () => {
    expect(await here.tool("deep")).toContain("too deep");
    const odd = String(await here.tool("odd"));
    expect(odd).toContain("1180591620717411303424");
    expect(odd).toContain("/x");
    expect(String(await here.tool("huge"))).toHaveLength(20_000_000);
    expect(await here.tool("length", { text: "ä".repeat(5_000_000) })).toBe("5000000");
    expect(await here.tool("length", { text: "\ud83d" })).toBe("1");
  });

  test("that ends the process fails; the host comes back with everything that lived in it", async () => {
    expect(await here.tool("counts")).toBe("1");
    const [fatal, other] = await Promise.allSettled([here.tool("dies"), here.tool("counts")]);
    expect(fatal).toMatchObject({ status: "rejected", reason: { message: "the Python host ended with exit code 9" } });
    expect(["fulfilled", "rejected"]).toContain(other.status);
    expect(await here.tool("counts")).toBe("1");
    expect(here.logged.join("\n")).toContain(
      "the Python host ended with exit code 9; it is started again when it is needed",
    );
  });
});

describe("a callback that does not end", () => {
  test.each([
    ["in a loop of Python", "while True:\n    pass"],
    ["asleep", "import time\ntime.sleep(1000)"],
    [
      "waiting for a lock",
      "import threading\nthreading.Lock().acquire()\nl = threading.Lock(); l.acquire(); l.acquire()",
    ],
  ])("%s lets others work, and is given up", async (_, body) => {
    here.plugin("hangs", [tool("hang", body), tool("quick", "return 'ok'"), registering("hang", "quick")].join("\n"));
    await here.plugins.discover();
    const stop = new AbortController();
    const hanging = failure(here.tool("hang", {}, stop.signal));
    expect(await Promise.all([1, 2, 3].map(() => here.tool("quick")))).toEqual(["ok", "ok", "ok"]);
    stop.abort(new Error("enough"));
    expect(await hanging).toBe("Error: enough");
    expect(await here.tool("quick")).toBe("ok");
  });

  test("in code that never lets go is ended with its process", async () => {
    const stuck = "import re\nre.match(r'(a+)+$', 'a' * 40 + 'b')";
    here.plugin(
      "stuck",
      [tool("stuck", stuck), tool("quick", "return 'ok'"), registering("stuck", "quick")].join("\n"),
    );
    await here.plugins.discover();
    const stop = new AbortController();
    const hanging = failure(here.tool("stuck", {}, stop.signal));
    const answers = () => Promise.race([here.tool("quick").catch(String), sleep(200)]);
    await expect.poll(answers, patience).toBeUndefined();
    stop.abort(new Error("enough"));
    expect(await hanging).toBe("Error: enough");
    await expect.poll(() => here.tool("quick").catch(String), patience).toBe("ok");
    expect(here.logged.join("\n")).toContain("the Python host is stuck and is replaced");
  }, 60_000);

  test("though it is asynchronous does not hold up the others", async () => {
    const code = `import asyncio, time
async def waits(args, **kw):
    await asyncio.sleep(1000)
async def blocks(args, **kw):
    print("blocks")
    while True:
        time.sleep(0.01)
async def quick(args, **kw):
    await asyncio.sleep(0)
    return "ok"
${registering("waits", "blocks", "quick")}`;
    here.plugin("async", code);
    await here.plugins.discover();
    const stop = new AbortController();
    const hanging = failure(here.tool("waits", {}, stop.signal));
    expect(await here.tool("quick")).toBe("ok");
    const blocking = failure(here.tool("blocks", {}, stop.signal));
    await expect.poll(() => here.printed, patience).toContain("blocks");
    stop.abort(new Error("enough"));
    expect([await hanging, await blocking]).toEqual(["Error: enough", "Error: enough"]);
    await expect.poll(() => here.logged.join("\n"), patience).toContain("holds the event loop");
    expect(await here.tool("quick")).toBe("ok");
  });
});

test("a flood of prints and log records is cut off", async () => {
  const body =
    "import logging, sys\nfor n in range(20_000):\n    print('line', n)\n    logging.getLogger('x').info('record %d', n)\nprint('y' * 1_000_000)\nsys.stderr.write('\\ud800 odd\\n')\nreturn 'ok'";
  here.plugin("flood", tool("flood", body) + registering("flood"));
  await here.plugins.discover();
  expect(await here.tool("flood")).toBe("ok");
  expect(here.printed.length).toBeLessThan(6_000);
  expect(here.logged.filter((line) => line.includes("record")).length).toBeLessThan(6_000);
});

test("without Python on the machine the plugin says what to do", async () => {
  await here.close();
  here = shop({ environment: { PATH: "" }, configured: "" });
  here.plugin("any", registering());
  await here.plugins.discover();
  expect(here.errorOf("any")).toMatch(/^Python 3\.8 or newer is needed and there is none: install python3/);
});

test("a python.path that leads nowhere is named", async () => {
  await here.close();
  here = shop({ configured: "/nowhere/python3" });
  here.plugin("any", registering());
  await here.plugins.discover();
  expect(here.errorOf("any")).toBe("there is no Python at /nowhere/python3, which python.path names");
});
