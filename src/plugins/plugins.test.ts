import fc from "fast-check";
import { expect, test } from "vitest";
import { blueprint, createKernel, type Payload, rows } from "#kernel";
import type { MomentContext } from "./hook-groups.ts";
import type { Candidate, PluginKind } from "./manifest.ts";
import type { PluginContext } from "./plugin-context.ts";
import { createPlugins } from "./plugins.ts";

type Register = (context: PluginContext) => unknown;

function candidateOf(key: string, kind: PluginKind = "standalone"): Candidate {
  const name = key.split("/").at(-1) ?? key;
  const told = { version: "", description: "", author: "", requiresEnv: [], providesTools: [], providesHooks: [] };
  const code = { language: "typescript", folder: `/none/${key}`, entry: `/none/${key}/index.ts` } as const;
  return { key, source: "bundled", manifest: { name, kind, raw: {}, ...told }, code };
}

/** Plugins whose code is a function, in a real kernel. */
function shop(
  registers: Readonly<Record<string, Register>>,
  candidates = Object.keys(registers).map((key) => candidateOf(key)),
) {
  const said: string[] = [];
  const layer = createKernel<MomentContext>(blueprint, {
    every: (ms, tick) => {
      const timer = setInterval(tick, ms);
      return () => clearInterval(timer);
    },
    report: (kind, owner, _event, detail) => void said.push(`${kind} ${owner} ${String(detail)}`),
  });
  const places = { bundled: candidates, home: "/none", project: undefined, packages: [] };
  const settings = { enabled: Object.keys(registers), disabled: [], entries: {}, values: {} };
  const plugins = createPlugins<MomentContext>({
    places,
    settings,
    environment: {},
    layer,
    reach: {
      model: () => {
        throw new Error("no model here");
      },
      dispatchTool: async () => "",
      injectMessage: () => false,
      toolsetOf: (name) => (name === "terminal" ? "terminal" : undefined),
      isBuiltInCommand: (name) => name === "help",
    },
    loader: async () => ({
      language: "typescript",
      async load({ key }, context) {
        await registers[key]?.(context);
        return { unload: async () => undefined };
      },
      close: async () => undefined,
    }),
    log: (level, message) => void said.push(`${level} ${message}`),
    safeMode: false,
  });
  const signal = new AbortController().signal;
  const context = { sessionId: "s", cwd: "/", platform: "cli", signal };
  const payload = rows.pre_llm_call.row.example as Payload<"pre_llm_call">;
  const told = async () => (await layer.plan.on.pre_llm_call?.(payload, context))?.context ?? [];
  return { plugins, layer, said, settings, told };
}

const tool = (name: string, toolset = name) => ({ name, toolset, schema: { name }, handler: () => name });
const says =
  (text: string): Register =>
  (context) =>
    context.registerHook("pre_llm_call", () => ({ context: text }));

test("a register that fails leaves nothing, and stops no other", async () => {
  const { plugins, told } = shop({
    good: says("good"),
    bad(context) {
      says("bad")(context);
      context.registerTool(tool("bad"));
      throw new Error("no key");
    },
    worse: async (context) => {
      says("worse")(context);
      await Promise.resolve();
      context.registerCommand({ name: "", handler: "none" } as never);
    },
    last: says("last"),
  });
  await plugins.discover();
  expect(await told()).toEqual(["good", "last"]);
  expect(plugins.registry.of("tool")).toEqual([]);
  expect(plugins.find("bad")).toMatchObject({ enabled: false, loaded: false, error: "no key", hooks: [] });
  expect(plugins.find("worse")?.error).toContain("handler has to be a function");
});

test("order is the place in discovery, then of registration, whatever comes late or again", async () => {
  const late: (() => void)[] = [];
  const { plugins, told } = shop({
    one(context) {
      says("one")(context);
      late.push(() => says("one, late")(context));
    },
    two: says("two"),
  });
  await plugins.discover();
  late[0]?.();
  await Promise.resolve();
  expect(await told()).toEqual(["one", "one, late", "two"]);
  await plugins.reload("one");
  expect(await told()).toEqual(["one", "two"]);
});

test("callbacks count for the plugin that registered them, and for no other", async () => {
  const { plugins } = shop({
    one(context) {
      says("x")(context);
      context.registerMiddleware("tool_request", () => undefined);
    },
    two(context) {
      says("y")(context);
      context.registerTool(tool("two"));
      context.registerCommand({ name: "/Do It", handler: () => "done" });
    },
  });
  await plugins.discover();
  expect(plugins.list()).toMatchObject([
    { key: "one", hooks: ["pre_llm_call"], middleware: ["tool_request"], tools: [], commands: [] },
    { key: "two", hooks: ["pre_llm_call"], middleware: [], tools: ["two"], commands: ["do-it"] },
  ]);
});

test("unloading aborts the signal, waits for what runs, and undoes in reverse", async () => {
  const done: string[] = [];
  let answer = (): void => undefined;
  const { plugins, told, layer } = shop({
    slow(context) {
      context.onUnload(() => void done.push("first"));
      context.onUnload(async () => void done.push("second"));
      context.signal.addEventListener("abort", () => done.push("aborted"));
      context.registerHook("pre_llm_call", async () => {
        await new Promise<void>((resolve) => {
          answer = resolve;
        });
        done.push("answered");
      });
    },
  });
  await plugins.discover();
  const running = told();
  const gone = plugins.unload("slow");
  await new Promise((resolve) => setImmediate(resolve));
  expect([done, layer.plan.on.pre_llm_call]).toEqual([["aborted"], undefined]);
  answer();
  await Promise.all([running, gone]);
  expect(done).toEqual(["aborted", "answered", "second", "first"]);
});

test("a plugin that was unloaded registers nothing any more", async () => {
  let kept: PluginContext | undefined;
  const { plugins } = shop({
    gone: (context) => {
      kept = context;
    },
  });
  await plugins.discover();
  await plugins.disable("gone");
  expect(() => kept?.registerTool(tool("late"))).toThrow("was unloaded");
});

test("of two tools with one name the second is refused unless it says override; the program's own likewise", async () => {
  const { plugins, said } = shop({
    one: (context) => context.registerTool(tool("search", "one")),
    two: (context) => context.registerTool(tool("search", "two")),
    three: (context) => context.registerTool({ ...tool("search", "three"), override: true }),
    four: (context) => context.registerTool(tool("terminal", "four")),
  });
  await plugins.discover();
  expect(plugins.registry.of("tool").map(({ owner }) => owner.key)).toEqual(["one", "three"]);
  expect(said.filter((line) => line.startsWith("error"))).toEqual([
    expect.stringMatching(/'search' is refused: toolset 'one'/),
    expect.stringMatching(/'terminal' is refused: toolset 'terminal'/),
  ]);
});

test("a hook that nobody fires is kept, and near names are told", async () => {
  const { plugins, said } = shop({ typo: (context) => context.registerHook("pre_tol_call", () => undefined) });
  await plugins.discover();
  expect(plugins.find("typo")?.hooks).toEqual(["pre_tol_call"]);
  expect(said.join()).toMatch(/no hook 'pre_tol_call'.*near it are pre_tool_call/);
});

test("a lazy plugin is loaded at the first need, and one that fails is not tried at each need", async () => {
  let tries = 0;
  const provider = { name: "good", search: async () => [] };
  const { plugins } = shop(
    {
      "web/good": (context) => context.registerWebSearchProvider(provider),
      "web/bad": () => {
        tries += 1;
        throw new Error("broken");
      },
    },
    [candidateOf("web/good", "backend"), candidateOf("web/bad", "backend")],
  );
  await plugins.discover();
  expect(plugins.list()).toMatchObject([
    { enabled: true, loaded: false },
    { enabled: true, loaded: false },
  ]);
  await plugins.need("web");
  await plugins.need("web");
  expect(plugins.registry.of("provider").map(({ owner }) => owner.key)).toEqual(["web/good"]);
  expect(tries).toBe(1);
});

test("after any changes the program has what the enabled plugins registered, and nothing else", async () => {
  const keys = ["a", "b", "c"] as const;
  const step = fc.tuple(fc.constantFrom("enable", "disable", "reload", "unload"), fc.constantFrom(...keys));
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      const { plugins, told } = shop(Object.fromEntries(keys.map((key) => [key, says(key)])));
      await plugins.discover();
      await Promise.all(steps.map(([change, key]) => plugins[change](key)));
      const here = new Set<string>(keys);
      for (const [change, key] of steps)
        if (change === "enable" || change === "reload") here.add(key);
        else here.delete(key);
      expect(await told()).toEqual(keys.filter((key) => here.has(key)));
      await plugins.close();
      expect(await told()).toEqual([]);
    }),
    { numRuns: 100 },
  );
});
