import { afterAll, beforeAll, expect, test } from "vitest";
import type { Result } from "#kernel";
import { type Shop, shop } from "./python-fixture.ts";

/** Each case is chosen by the session id, so that all live in one process. */
const code = `
def cases(**known):
    def run(**kw):
        case = known.get(kw["session_id"])
        return case(**kw) if case else (kw["next_call"]() if "next_call" in kw else None)
    return run

def twice(next_call, **kw):
    next_call()
    next_call()

def caught(next_call, **kw):
    try:
        return next_call()
    except Exception as error:
        return "%s %s %s" % (type(error).__name__, error.original, error)

def in_place(args, original_args, **kw):
    args["added"] = original_args["command"]

async def awaited(next_call, **kw):
    return (await next_call()).upper()

def loud(next_call, **kw):
    answer = next_call()
    answer.choices[0].message.content = answer["choices"][0]["message"]["content"].upper()
    return answer

def counted(next_call, request, **kw):
    request["messages"].append({"role": "user", "content": "more"})
    return next_call(request)

def raise_(error):
    raise error

def register(ctx):
    ctx.register_middleware("tool_request", cases(
        args=lambda args, **kw: {"args": {**args, "timeout": 1}, "source": "me", "reason": "why"},
        in_place=in_place,
        nonsense=lambda **kw: {"args": "x"},
    ))
    ctx.register_middleware("tool_execution", cases(
        through=lambda next_call, **kw: next_call(),
        other=lambda next_call, args, **kw: next_call({**args, "command": "pwd"}),
        short=lambda **kw: "instead",
        object=lambda **kw: {"made": 2 ** 60},
        none=lambda **kw: None,
        twice=twice,
        caught=caught,
        before=lambda **kw: raise_(ValueError("before")),
        after=lambda next_call, **kw: (next_call(), raise_(ValueError("after"))),
        awaited=awaited,
    ))
    ctx.register_middleware("llm_execution", cases(loud=loud, text=lambda **kw: "a text", counted=counted, nonsense=lambda **kw: 7))
    ctx.register_middleware("api_request", lambda **kw: None)
`;

let here: Shop;
beforeAll(async () => {
  here = shop();
  here.plugin("wraps", code);
  await here.plugins.discover();
  expect(here.errorOf("wraps")).toBeUndefined();
});
afterAll(() => here.close());

test.each([
  ["args", { args: { command: "ls", timeout: 1 }, trace: [{ source: "me", reason: "why" }] }],
  ["in_place", { args: { command: "ls", added: "ls" }, trace: [{ source: "plugin" }] }],
  ["nothing", {}],
  ["nonsense", {}],
])("request middleware: %s", async (sessionId, expected) => {
  const args = { command: "ls" };
  expect(await here.fire("tool_request", { sessionId, args, originalArgs: args })).toEqual(expected);
});

type Core = (payload: { readonly args: unknown }) => Promise<unknown>;
const run = (sessionId: string, core: Core): Promise<unknown> =>
  here.wrap("tool_execution", { sessionId, args: { command: "ls" } }, core as never);
const shows: Core = async ({ args }) => `ran ${JSON.stringify(args)}`;

test.each([
  ["through", 'ran {"command":"ls"}'],
  ["other", 'ran {"command":"pwd"}'],
  ["short", "instead"],
  ["object", '{"made": 1152921504606846976}'],
  ["none", "null"],
  ["twice", 'ran {"command":"ls"}'],
  ["before", 'ran {"command":"ls"}'],
  ["after", 'ran {"command":"ls"}'],
  ["awaited", 'RAN {"COMMAND":"LS"}'],
])("execution middleware: %s", async (sessionId, expected) => {
  expect(await run(sessionId, shows)).toBe(expected);
});

test("a result passes through as it is, its mark of an error included", async () => {
  const result = { content: [{ type: "text", text: "hm" }], isError: true };
  expect(await run("through", async () => result)).toBe(result);
});

test("what fails below is seen as its wrapper, and goes on as what it was", async () => {
  const error = new TypeError("below");
  await expect(run("through", async () => Promise.reject(error))).rejects.toBe(error);
  await expect(run("awaited", async () => Promise.reject(error))).rejects.toBe(error);
  expect(await run("caught", async () => Promise.reject(error))).toBe("_DownstreamExecutionError below below");
});

const answer: Result<"llm_execution"> = {
  message: { role: "assistant", content: "hello", reasoning: [{ text: "r", providerData: { signature: "s" } }] },
  finishReason: "stop",
  usage: { inputTokens: 3, outputTokens: 2, cacheReadTokens: 1, cacheWriteTokens: 0, reasoningTokens: 0 },
  responseModel: "m",
};
const ask = (
  sessionId: string,
  core: (payload: { readonly request: { readonly messages: readonly unknown[] } }) => Promise<unknown>,
): Promise<unknown> => here.wrap("llm_execution", { sessionId, request: { messages: [] } }, core as never);

test("a model's answer has the form of OpenAI's, keeps what that form cannot say, and may be a text", async () => {
  expect(await ask("other", async () => answer)).toBe(answer);
  expect(await ask("loud", async () => answer)).toEqual({
    ...answer,
    message: { ...answer.message, content: "HELLO" },
  });
  expect(await ask("text", async () => answer)).toMatchObject({ message: { content: "a text" }, finishReason: "stop" });
  expect(await ask("nonsense", async () => answer)).toBe(answer);
  let seen: unknown;
  await ask("counted", async ({ request }) => {
    seen = request.messages;
    return answer;
  });
  expect(seen).toEqual([{ role: "user", content: "more" }]);
});
