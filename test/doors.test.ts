import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

/** What programs of others may rely on. A name that goes from here is a breaking change; new ones may come. */
const pinned = {
  "src/index.ts":
    "AgentError ConfigError ModelError SessionError blueprint createKernel createRuntime isAgentError isConfigError isModelError isSessionError lifecycle",
  "src/kernel/index.ts":
    "KernelError allows ask blueprint claimed collected createKernel decodeGateway decodePython decodeShell encodeClaude encodeGateway encodePython encodeShell eventNames groups halted isKernelError joined latest lifecycle ownToolNames rows seenCall strongest tell threaded translations universal viewFor viewsOf wrap",
  "src/plugin.ts": "PluginError definePlugin isPluginError",
  "src/testing.ts": "modelContract modelServer pluginTester scriptedModel",
};

test.each(Object.keys(pinned))("%s lists its exports one by one", (door) => {
  expect(readFileSync(door, "utf8")).not.toMatch(/export \*/);
});

test("what programs of others import from the doors is there", async () => {
  const doors = {
    "src/index.ts": await import("../src/index.ts"),
    "src/kernel/index.ts": await import("../src/kernel/index.ts"),
    "src/plugin.ts": await import("../src/plugin.ts"),
    "src/testing.ts": await import("../src/testing.ts"),
  };
  for (const [door, names] of Object.entries(pinned))
    expect(Object.keys(doors[door as keyof typeof doors]), door).toEqual(expect.arrayContaining(names.split(" ")));
});
