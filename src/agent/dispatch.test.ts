import { expect, test } from "vitest";
import type { CallHandler, EventName, HookGroup } from "../kernel/index.ts";
import { house, listener, results, tool, toolbox } from "./agent-fixture.ts";
import type { TurnContext } from "./context.ts";
import { toolWhitelist } from "./tool-whitelist.ts";

const origin = "plugin:clock";
const echo = tool("echo");
const outer = tool("outer", { run: (args, { context }) => context.dispatch("echo", args, { origin }) });

/** A hook that knows on whose behalf it is called. */
function hook<E extends EventName>(event: E, run: CallHandler<E, TurnContext>): HookGroup<TurnContext> {
  const entry = { event, owner: "plugin:clock", rank: [0, 0], consider: () => undefined, call: true, run };
  const rules = { limitMs: 5_000, onFailure: "continue", mode: "enforce", rejudge: true };
  return { slot: "hook", name: "plugins", parallel: false, entries: [{ ...entry, ...rules }] as never };
}

test("a call that a tool dispatches fires every tool event and leaves nothing in the transcript", async () => {
  const events: string[] = [];
  const watch = listener(events, (event, payload: { toolName?: string }) => `${event} ${payload.toolName ?? ""}`);
  await using home = await house({
    parts: [toolbox(echo, outer), watch],
    script: [{ calls: [{ name: "outer", args: { path: "x" } }] }, { text: "done" }],
  });
  const session = await home.open();
  await home.turn(session, "go");
  expect(events.filter((line) => line.endsWith(" echo"))).toEqual(
    ["tool_request", "pre_tool_call", "permit", "tool_execution", "transform_tool_result", "post_tool_call"].map(
      (event) => `${event} echo`,
    ),
  );
  expect(results(await home.messages(session.id))).toEqual(['outer: {"done":"echo","path":"x"}']);
  expect(
    home.seen.flatMap((event) => (event.type === "tool-start" ? [event.callId.split(":", 2).join(":")] : [])),
  ).toContain(origin);
});

test("a hook that dispatches is not asked about its own call, other hooks are", async () => {
  const asked: string[] = [];
  const own = hook("pre_tool_call", async ({ toolName }, context, call) => {
    asked.push(`own ${toolName}`);
    if (toolName === "outer") asked.push(await context.dispatch("echo", {}, { origin, behalf: call }));
  });
  const other = hook("pre_tool_call", ({ toolName }) => void asked.push(`other ${toolName}`));
  await using home = await house({
    parts: [toolbox(echo, tool("outer")), own, other],
    script: [{ calls: [{ name: "outer", args: {} }] }, { text: "done" }],
  });
  await home.turn(await home.open(), "go");
  expect(asked).toEqual(["own outer", "other echo", '{"done":"echo"}', "other outer"]);
});

test("a refusal, an unknown tool and a throw are errors in the text", async () => {
  const texts: string[] = [];
  const caller = tool("caller", {
    run: async (_args, { context }) => {
      for (const name of ["echo", "nobody", "broken"]) texts.push(await context.dispatch(name, {}, { origin }));
      return "ok";
    },
  });
  const broken = tool("broken", { run: () => Promise.reject(new Error("no such disk")) });
  const guard = hook("pre_tool_call", ({ toolName }) =>
    toolName === "echo" ? { verdict: { decision: "deny", reason: "not now" } } : undefined,
  );
  await using home = await house({
    parts: [toolbox(echo, caller, broken), guard],
    script: [{ calls: [{ name: "caller", args: {} }] }, { text: "done" }],
  });
  await home.turn(await home.open(), "go");
  expect(texts.map((text) => JSON.parse(text).error)).toEqual([
    "not now",
    "Unknown tool: nobody. Known tools: echo, caller, broken",
    "no such disk",
  ]);
});

test("a tool that dispatches itself without end comes to one", async () => {
  let runs = 0;
  const endless = tool("endless", {
    run: (_args, { context }) => {
      runs += 1;
      return context.dispatch("endless", {}, { origin });
    },
  });
  await using home = await house({
    parts: [toolbox(endless)],
    script: [{ calls: [{ name: "endless", args: {} }] }, { text: "done" }],
  });
  const session = await home.open();
  await home.turn(session, "go");
  expect(runs).toBe(9);
  expect(results(await home.messages(session.id))[0]).toContain("8 deep");
});

test("between turns a session runs a tool, too, and is not stored for it", async () => {
  const events: string[] = [];
  await using home = await house({ parts: [toolbox(echo), listener(events)] });
  const session = await home.open();
  expect(await session.dispatch("echo", { count: "3" }, { origin })).toBe('{"done":"echo","count":3}');
  expect(events).toContain("pre_tool_call");
  expect(await home.store.find(session.id)).toBeUndefined();
});

test("a whitelist of a run refuses other tools before a hook is asked, and ends with the run", async () => {
  const asked: string[] = [];
  const narrow = tool("narrow", {
    run: async (_args, { context }) => {
      const denial = "Tool '{tool_name}' denied";
      toolWhitelist(context).current = { turnId: context.turnId, allowed: new Set(["narrow"]), denial };
      return "narrowed";
    },
  });
  const guard = hook("pre_tool_call", ({ toolName }) => void asked.push(toolName));
  await using home = await house({
    parts: [toolbox(echo, narrow), guard],
    script: [
      { calls: [{ name: "narrow", args: {} }] },
      { calls: [{ name: "echo", args: {} }] },
      { text: "one" },
      { calls: [{ name: "echo", args: {} }] },
      { text: "two" },
    ],
  });
  const session = await home.open();
  await home.turn(session, "go");
  await home.turn(session, "again");
  expect(results(await home.messages(session.id))).toEqual([
    "narrow: narrowed",
    `echo: {"error":"Tool 'echo' denied"}`,
    'echo: {"done":"echo"}',
  ]);
  expect(asked).toEqual(["narrow", "echo"]);
});
