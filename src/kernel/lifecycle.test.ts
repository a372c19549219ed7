import { expect, expectTypeOf, test } from "vitest";
import * as zod from "zod";
import type { Handler, Middleware } from "./chain.ts";
import type { Verdict, Z } from "./event.ts";
import { ask } from "./event.ts";
import { strongest, threaded } from "./field.ts";
import {
  type Answer,
  type EventName,
  type EventOf,
  lifecycle,
  type MethodEvents,
  type Payload,
  type Result,
} from "./lifecycle.ts";

const names = Object.keys(lifecycle) as EventName[];

test.each(names)("%s has an example that its own schema accepts", (name) => {
  const { payload, row } = lifecycle[name];
  const parsed = payload(zod).parse(row.example);
  expect(parsed).toEqual(row.example);
});

test("payloads, answers and results are read off the table", () => {
  expectTypeOf<Payload<"pre_tool_call">["args"]>().toEqualTypeOf<Record<string, unknown>>();
  expectTypeOf<NonNullable<Answer<"pre_tool_call">["verdict"]>>().toEqualTypeOf<Verdict>();
  expectTypeOf<NonNullable<Answer<"pre_tool_call">["args"]>>().toEqualTypeOf<Readonly<Record<string, unknown>>>();
  expectTypeOf<Answer<"on_session_start">>().toEqualTypeOf<void>();
  expectTypeOf<Result<"llm_execution">["finishReason"]>().toEqualTypeOf<
    "stop" | "tool-calls" | "length" | "content-filter" | "other"
  >();
  expectTypeOf<EventOf<"wrap">>().toEqualTypeOf<"model_call" | "llm_execution" | "tool_execution">();
  expectTypeOf<MethodEvents["beforeTool"]>().toEqualTypeOf<"pre_tool_call">();
  expectTypeOf<keyof MethodEvents>().toEqualTypeOf<
    | "toolRequest"
    | "beforeTool"
    | "permit"
    | "wrapToolCall"
    | "afterTool"
    | "afterToolsBatch"
    | "modelRequest"
    | "beforeModel"
    | "afterModel"
    | "wrapModelCall"
    | "onStop"
    | "onError"
    | "beforeAgent"
    | "beforeInput"
    | "afterAgent"
  >();
});

test("the type checker refuses handlers, columns and names that the table does not have", () => {
  const judge: Handler<"pre_tool_call", object> = (payload) =>
    payload.args["command"] === "rm" ? { verdict: { decision: "deny", reason: "no" } } : undefined;
  // @ts-expect-error a decision that nobody knows
  const wrong: Handler<"pre_tool_call", object> = () => ({ verdict: { decision: "maybe" } });
  // @ts-expect-error nobody has declared this key
  const reads: Handler<"pre_tool_call", object> = (payload) => void payload.arguments;
  // @ts-expect-error an observer's answer is of no use
  const answers: Handler<"post_llm_call", object> = () => ({ verdict: { decision: "deny" } });
  // @ts-expect-error no method of the chain has this name
  const middleware: Middleware<object> = { slot: "x", beforeTools: () => undefined };
  // @ts-expect-error no event has this name
  const event: EventName = "pre_tool_cal";
  const row = ask((z: Z) => z.object({ args: z.string() }), {
    about: "",
    since: "0.1",
    scope: "call",
    // @ts-expect-error matchers look at a key of the payload
    matchOn: "argz",
    answer: { args: threaded<string>()("args"), verdict: strongest },
    views: [],
    example: { args: "" },
  });
  expect([judge, wrong, reads, answers, middleware, event, row]).toHaveLength(7);
});
