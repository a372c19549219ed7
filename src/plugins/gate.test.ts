import { expect, test } from "vitest";
import { gate } from "./gate.ts";
import type { PluginKind, PluginSource } from "./manifest.ts";

function asked(
  key: string,
  kind: PluginKind,
  source: PluginSource,
  settings: { readonly enabled?: readonly string[]; readonly disabled?: readonly string[] } = {},
) {
  const name = key.split("/").at(-1) ?? key;
  const manifest = { name, version: "", description: "", author: "", kind, requiresEnv: [], raw: {} };
  const candidate = { key, source, manifest: { ...manifest, providesTools: [], providesHooks: [] } };
  const code = { language: "none", folder: "/nowhere" } as const;
  return gate({ ...candidate, code }, { enabled: [], disabled: [], ...settings });
}

const kinds: readonly PluginKind[] = ["standalone", "backend", "exclusive", "platform", "model-provider"];

test.each(kinds)("disabled beats everything else: %s", (kind) => {
  for (const source of ["bundled", "user"] as const)
    for (const disabled of [["web/x"], ["x"]])
      expect(asked("web/x", kind, source, { enabled: ["web/x", "x"], disabled })).toEqual({
        loads: "never",
        enabled: false,
        reason: "disabled via config",
      });
});

test.each([
  ["memory/local", "exclusive plugin — activate via memory.provider config"],
  ["honcho", "exclusive plugin — activate via memory.provider config"],
  ["context/x", "exclusive plugin — activate via context.provider config"],
])("an exclusive one is not loaded, even if it is enabled: %s", (key, reason) => {
  expect(asked(key, "exclusive", "user", { enabled: [key] })).toEqual({ loads: "never", enabled: false, reason });
});

test("a model provider counts as enabled and is not loaded", () => {
  expect(asked("x", "model-provider", "user")).toEqual({ loads: "never", enabled: true, reason: undefined });
});

test.each(["backend", "platform"] as const)("a %s needs to be enabled, unless it is bundled", (kind) => {
  expect(asked("x", kind, "bundled")).toEqual({ loads: "lazy" });
  for (const source of ["user", "project", "entrypoint"] as const)
    expect(asked("x", kind, source)).toMatchObject({ loads: "never", enabled: false });
});

test.each(["bundled", "user", "project", "entrypoint"] as const)(
  "a standalone one of %s is loaded when it is named",
  (source) => {
    expect(asked("tools/x", "standalone", source, { enabled: ["tools/x"] })).toEqual({ loads: "now" });
    expect(asked("tools/x", "standalone", source, { enabled: ["x"] })).toEqual({ loads: "now" });
    expect(asked("tools/x", "standalone", source, { enabled: ["tools"] })).toEqual({
      loads: "never",
      enabled: false,
      reason: "not enabled in config (run `talaria plugins enable tools/x` to activate)",
    });
  },
);
