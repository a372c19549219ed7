import { expect, test } from "vitest";
import { blueprint, type Call, createKernel, type Entry, type HookGroup, lifecycle, type Middleware } from "./index.ts";

interface Context {
  readonly session: string;
}
const context: Context = { session: "s-1" };
const root = () => createKernel<Context>(blueprint, { every: () => () => undefined, report: () => undefined });
const call = lifecycle.pre_tool_call.row.example;

const entry = {
  owner: "guard",
  rank: [0, 0],
  consider: () => undefined,
  limitMs: 1_000,
  onFailure: "continue",
  mode: "enforce",
  rejudge: true,
} as const;

test("a group's handlers are typed by their event, and their answer reaches the firing site typed", async () => {
  const guard: Entry<Context, "pre_tool_call"> = {
    ...entry,
    event: "pre_tool_call",
    run: ({ toolName }, { session }) => ({ verdict: { decision: "deny", reason: `${session}: not ${toolName}` } }),
  };
  const group: HookGroup<Context> = { slot: "hook", name: "mine", parallel: false, entries: [guard] };
  const layer = root();
  layer.add(group);
  const answer = await layer.plan.on.pre_tool_call?.(call, context);
  expect(answer?.verdict).toEqual({ decision: "deny", reason: "s-1: not terminal", by: "guard" });
});

test("every method that the table names is a handler of its row", async () => {
  for (const [event, { method }] of Object.entries(lifecycle)) {
    if (method === undefined) continue;
    const layer = root();
    layer.add({ slot: "goal", [method]: () => undefined } as Middleware<Context>);
    const heard = Object.entries(layer.plan.on).filter(([, fire]) => fire !== undefined);
    expect(heard.map(([name]) => name)).toEqual([event]);
  }
});

test("what the table does not promise does not compile", () => {
  const { plan } = root();
  const checks = () => {
    // @ts-expect-error there is no such event
    plan.on.pre_tool_cal;
    // @ts-expect-error a payload lacks keys
    void plan.on.pre_tool_call?.({ toolName: "x" }, context);
    // @ts-expect-error the context is the program's own
    void plan.on.pre_tool_call?.(call, { sessions: 1 });
    // @ts-expect-error a wrap is not fired without its core
    void plan.on.tool_execution?.(lifecycle.tool_execution.row.example, context);
    // @ts-expect-error a method's answer has only its row's fields of the right type
    const wrong: Middleware<Context> = { slot: "goal", beforeTool: () => ({ verdict: { decision: "maybe" } }) };
    // @ts-expect-error a permit cannot rewrite
    const rewriting: Middleware<Context> = { slot: "goal", permit: () => ({ args: {} }) };
    // @ts-expect-error a call is handed only to entries that ask for it
    const quiet: Entry<Context, "stop"> = {
      ...entry,
      event: "stop",
      run: (_payload: object, _context: Context, { signal }: Call) => void signal,
    };
    const asked: Entry<Context, "stop"> = {
      ...entry,
      event: "stop",
      call: true,
      run: (_p, _c, { signal }) => void signal,
    };
    const around: Entry<Context, "tool_execution"> = {
      ...entry,
      event: "tool_execution",
      // @ts-expect-error next resolves to the row's result
      run: async (_payload, next) => (await next()) satisfies number,
    };
    return [wrong, rewriting, quiet, asked, around];
  };
  expect(checks).toBeTypeOf("function");
});

test("the blueprint names each slot once, and its groups in their order", () => {
  expect(new Set(blueprint).size).toBe(blueprint.length);
  const order = [
    "default-system-prompt",
    "image",
    "filesystem",
    "web",
    "todo",
    "hook",
    "permission",
    "ask-user",
    "mcp",
    "lsp",
    "goal",
  ];
  expect(order.map((slot) => blueprint.indexOf(slot))).toEqual(
    [...order.map((slot) => blueprint.indexOf(slot))].sort((a, b) => a - b),
  );
  expect(order.every((slot) => blueprint.includes(slot))).toBe(true);
});
