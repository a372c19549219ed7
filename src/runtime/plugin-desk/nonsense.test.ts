import { expect, test } from "vitest";
import { definePlugin, isPluginError } from "../../plugin.ts";
import { pluginTester } from "../../testing.ts";

const methods = [
  "registerTool",
  "registerHook",
  "registerMiddleware",
  "registerCommand",
  "registerCliCommand",
  "registerSkill",
  "registerContextEngine",
  "registerMemoryProvider",
  "registerWebSearchProvider",
  "registerImageGenProvider",
  "registerVideoGenProvider",
  "registerTtsProvider",
  "registerTranscriptionProvider",
  "registerBrowserProvider",
  "registerPlatform",
  "registerSlackActionHandler",
  "registerAuxiliaryTask",
] as const;

const nonsense: readonly unknown[] = [
  undefined,
  null,
  0,
  Number.NaN,
  "",
  "text",
  true,
  [],
  {},
  Symbol("s"),
  () => undefined,
  new Date(),
  { name: 5, handler: "no", callback: 1, key: [], schema: 3 },
  { name: "x".repeat(100_000), toolset: {}, handler: () => 1, schema: [] },
  { name: "fine", toolset: "x", schema: null, handler: null, check: 5 },
  { name: "fine", label: "fine", adapterFactory: 1, check: 2 },
  { name: "a b/c\0", path: "../..", handler: () => 1, schema: {}, toolset: "t" },
];

type Register = (...given: readonly unknown[]) => unknown;

/** Everything that `register` did with nonsense, but for refusing it by its name. */
function oddities(method: string, register: Register): readonly string[] {
  const calls = nonsense.flatMap((one) => [[one], [one, one], ["pre_llm_call", one], [one, () => undefined]]);
  return calls.flatMap((given) => {
    try {
      register(...given);
      return [];
    } catch (error) {
      const isRefusal = isPluginError(error, "invalid_registration") && error.message.includes(method);
      return isRefusal ? [] : [String(error).slice(0, 300)];
    }
  });
}

test.each(methods)(
  "%s takes no nonsense: a clear refusal, or a line in the log, and the plugin goes on",
  async (method) => {
    let odd: readonly string[] = ["it never ran"];
    const tester = await pluginTester(
      definePlugin((context) => {
        odd = oddities(method, context[method] as unknown as Register);
        context.registerHook("post_llm_call", () => undefined);
      }),
    );
    expect(odd).toEqual([]);
    expect(tester.report.hooks).toContain("post_llm_call");
    await tester.close();
  },
);
