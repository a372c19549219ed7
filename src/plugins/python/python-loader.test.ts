import { afterAll, beforeAll, expect, test } from "vitest";
import { type Shop, shop } from "./python-fixture.ts";

let here: Shop;
beforeAll(() => {
  here = shop();
});
afterAll(() => here.close());

test("the smallest plugin registers a tool, hooks and a command", async () => {
  here.plugin(
    "my-plugin",
    `def register(ctx):
    ctx.register_tool(
        name="my_custom_tool", toolset="hermes-cli",
        schema={"type": "function", "function": {"name": "my_custom_tool", "description": "A custom tool", "parameters": {"type": "object", "properties": {"message": {"type": "string"}}}}},
        handler=lambda args: f"Echo: {args['message']}",
    )
    ctx.register_hook("pre_tool_call", lambda tool_name, **kw: {"action": "block", "message": "no"} if tool_name == "rm" else None)
    ctx.register_command(name="mycmd", handler=lambda raw_args: f"Got: {raw_args}", description="My custom command")
`,
  );
  await here.plugins.discover();
  expect(here.errorOf("my-plugin")).toBeUndefined();
  expect(await here.tool("my_custom_tool", { message: "hi" })).toBe("Echo: hi");
  expect(await here.fire("pre_tool_call", { toolName: "rm" })).toMatchObject({
    verdict: { decision: "deny", reason: "no" },
  });
  expect(await here.fire("pre_tool_call", { toolName: "ls" })).toEqual({});
  const command = here.plugins.registry.of("command")[0]?.value;
  expect(await command?.handler("a b")).toBe("Got: a b");
});
