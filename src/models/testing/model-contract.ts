import assert from "node:assert/strict";
import type { Message } from "#kernel";
import { isModelError, type ModelError } from "../error.ts";
import type { Model, ModelDelta, ModelErrorCode, ModelRequest, ModelResult } from "../model.ts";
import { type ModelServer, modelServer, type RecordedRequest, type ServerStep } from "./model-server.ts";

/** A case of the contract: `run` rejects when the model breaks it. For any test runner: `for (const { name, run } of …) test(name, run)`. */
export interface ModelCase {
  readonly name: string;
  readonly run: () => Promise<void>;
}

export interface ModelTraits {
  /** The protocol streams no reasoning. */
  readonly noReasoning?: true;
  /** The wire carries calls as objects, so that broken JSON cannot come. */
  readonly callsAreObjects?: true;
}

interface Scene {
  readonly model: Model;
  readonly server: ModelServer;
  ask(
    request?: Partial<ModelRequest>,
    signal?: AbortSignal,
  ): Promise<{ readonly result: ModelResult; readonly deltas: readonly ModelDelta[] }>;
  fail(): Promise<ModelError>;
}

type Body = (scene: Scene, traits: ModelTraits) => Promise<void>;

/** Makes a model that speaks to the server and gives up after `idleTimeoutMs` without a byte. */
export type MakeModel = (server: ModelServer, idleTimeoutMs: number) => Model;

const tool = {
  name: "terminal",
  description: "Runs a command.",
  parameters: { type: "object", properties: { command: { type: "string" } }, required: ["command"] },
};
const hello: Message = { role: "user", content: "hello" };

/** What every model over a wire keeps, played against a server that speaks its protocol, faults included. */
export function modelContract(make: MakeModel, traits: ModelTraits = {}): readonly ModelCase[] {
  const scenes = { ...answers, ...conversation, ...(traits.callsAreObjects ? {} : brokenCalls), ...faults, ...aborts };
  return Object.entries(scenes).map(([name, { script, body }]) => ({
    name,
    run: async () => {
      const server = await modelServer(script);
      try {
        await body(scene(make(server, name.includes("stall") ? 300 : 20_000), server), traits);
      } finally {
        await server.close();
      }
    },
  }));
}

function scene(model: Model, server: ModelServer): Scene {
  const ask: Scene["ask"] = async (request = {}, signal = new AbortController().signal) => {
    const deltas: ModelDelta[] = [];
    const whole: ModelRequest = { system: "Be brief.", messages: [hello], tools: [tool], ...request };
    const result = await model.generate(whole, { signal, onDelta: (delta) => deltas.push(delta) });
    return { result, deltas };
  };
  const fail = async () => {
    const outcome = await ask().then(
      () => undefined,
      (error: unknown) => error,
    );
    assert.ok(isModelError(outcome), `expected a ModelError, got ${String(outcome)}`);
    return outcome;
  };
  return { model, server, ask, fail };
}

interface Play {
  readonly script: readonly ServerStep[];
  readonly body: Body;
}

const textOf = (deltas: readonly ModelDelta[], type: "text" | "reasoning") =>
  deltas.map((delta) => (delta.type === type ? delta.text : "")).join("");

const answers: Readonly<Record<string, Play>> = {
  "streams a text, and the result repeats it whole": {
    script: [{ text: "Hello, wörld: 你好 👋 and more.", usage: { input: 100, output: 7, cacheRead: 60 } }],
    body: async ({ ask, model }) => {
      const { result, deltas } = await ask();
      assert.equal(result.message.content, "Hello, wörld: 你好 👋 and more.");
      assert.equal(textOf(deltas, "text"), result.message.content);
      assert.ok(deltas.length > 2, "the text came in pieces");
      assert.equal(result.finishReason, "stop");
      assert.equal(result.message.toolCalls, undefined);
      assert.equal(result.responseModel, model.id);
      const { inputTokens, outputTokens, cacheReadTokens } = result.usage;
      assert.deepEqual(
        { inputTokens, outputTokens, cacheReadTokens },
        { inputTokens: 100, outputTokens: 7, cacheReadTokens: 60 },
      );
    },
  },
  "streams reasoning apart from the text, where the protocol has any": {
    script: [{ reasoning: "First I think about it.", text: "Done.", usage: { output: 9, reasoning: 4 } }],
    body: async ({ ask }, { noReasoning }) => {
      const { result, deltas } = await ask();
      const thought = noReasoning ? "" : "First I think about it.";
      assert.equal(textOf(deltas, "reasoning"), thought);
      assert.equal((result.message.reasoning ?? []).map((item) => item.text).join(""), thought);
      assert.equal(result.message.content, "Done.");
    },
  },
  "gives a hundred tool calls in order, each with its own id": {
    script: [
      {
        text: "Working.",
        calls: Array.from({ length: 100 }, (_, index) => ({
          name: "terminal",
          args: { command: `echo "${index} ✓"` },
        })),
      },
    ],
    body: async ({ ask }) => {
      const { result, deltas } = await ask();
      const calls = result.message.toolCalls ?? [];
      assert.deepEqual(
        calls.map((call) => call.args["command"]),
        Array.from({ length: 100 }, (_, index) => `echo "${index} ✓"`),
      );
      assert.equal(new Set(calls.map((call) => call.id)).size, 100);
      assert.equal(deltas.filter((delta) => delta.type === "tool-call").length, 100);
      assert.equal(result.finishReason, "tool-calls");
    },
  },
  "says when the answer was cut at its limit": {
    script: [{ text: "To be cont", finishReason: "length" }],
    body: async ({ ask }) => assert.equal((await ask()).result.finishReason, "length"),
  },
  "survives bytes that come one by one": {
    script: [
      {
        text: "Zürich 北京 🚀",
        calls: [{ name: "terminal", args: { command: "echo ü" } }],
        fault: { kind: "drip", bytes: 7, pauseMs: 1 },
      },
    ],
    body: async ({ ask }) => {
      const { result } = await ask();
      assert.equal(result.message.content, "Zürich 北京 🚀");
      assert.deepEqual(result.message.toolCalls?.[0]?.args, { command: "echo ü" });
    },
  },
};

const conversation: Readonly<Record<string, Play>> = {
  "sends the whole conversation, and the same bytes again with the next one": {
    script: [
      { reasoning: "Hm.", signature: "c2lnbmVk", calls: [{ name: "terminal", args: { command: "ls" } }] },
      { text: "Two files." },
    ],
    body: async ({ ask, server }) => {
      const { result } = await ask();
      const call = result.message.toolCalls?.[0];
      assert.ok(call);
      const messages: Message[] = [
        hello,
        result.message,
        { role: "tool", toolCallId: call.id, toolName: call.name, content: "a.txt\nb.txt" },
      ];
      const second = await ask({ messages });
      assert.equal(second.result.message.content, "Two files.");
      const sent = server.requests[1]?.text ?? "";
      for (const part of ["Be brief.", "hello", "terminal", "ls", "a.txt\\nb.txt"])
        assert.ok(sent.includes(part), `${part} was sent`);
      assert.ok(!sent.includes("providerData"));
    },
  },
  "gives a call whose id was used before an id of its own": {
    script: [{ calls: [{ name: "terminal", args: {}, id: "call_1" }] }],
    body: async ({ ask }) => {
      const messages: Message[] = [
        hello,
        { role: "assistant", content: "", toolCalls: [{ id: "call_1", name: "terminal", args: {} }] },
        { role: "tool", toolCallId: "call_1", toolName: "terminal", content: "ok" },
      ];
      const { result } = await ask({ messages });
      assert.notEqual(result.message.toolCalls?.[0]?.id, "call_1");
    },
  },
  "sends images": {
    script: [{ text: "A dot." }],
    body: async ({ ask, server }) => {
      const content = [
        { type: "text", text: "What is this?" },
        { type: "image", data: "iVBORw0KGgo=", mediaType: "image/png" },
      ] as const;
      await ask({ messages: [{ role: "user", content }] });
      assert.ok(server.requests[0]?.text.includes("iVBORw0KGgo="));
    },
  },
};

const brokenCalls: Readonly<Record<string, Play>> = {
  "keeps the text of a call that is no JSON": {
    script: [{ calls: [{ name: "terminal", text: '{"command": "ls' }] }],
    body: async ({ ask }) => {
      const call = (await ask()).result.message.toolCalls?.[0];
      assert.deepEqual(call?.args, {});
      assert.equal(call?.malformed, '{"command": "ls');
    },
  },
};

interface FaultCase {
  readonly step: ServerStep;
  readonly code: ModelErrorCode | readonly ModelErrorCode[];
  readonly check?: (error: ModelError) => void;
}

const long = { text: "One two three four five six seven eight nine ten ☃ eleven twelve thirteen." };
const status = (code: number, more: object = {}): ServerStep => ({ fault: { kind: "status", status: code, ...more } });

const faultCases: Readonly<Record<string, FaultCase>> = {
  "names 429 a rate limit and reads Retry-After": {
    step: status(429, { retryAfter: "7" }),
    code: "rate_limit",
    check: (error) => assert.equal(error.retryAfterMs, 7000),
  },
  "names 500 a server error": { step: status(500), code: "server" },
  "names 529 overload": { step: status(529), code: "overloaded" },
  "names 503 overload": { step: status(503), code: "overloaded" },
  "names 401 an authentication error": { step: status(401, { message: "bad key" }), code: "authentication" },
  "names a prompt that is too long a context overflow": {
    step: status(400, { message: "prompt is too long: 250000 tokens > 200000 maximum" }),
    code: "context_overflow",
  },
  "reads an error page that is no JSON": {
    step: status(502, { body: "<html><body><h1>502 Bad Gateway</h1></body></html>" }),
    code: "server",
    check: (error) => assert.ok(!error.message.includes("<html>"), error.message),
  },
  "names a stall before the first byte a network error": {
    step: { fault: { kind: "stall", at: "start" } },
    code: "network",
  },
  "names a stall in the middle a network error": {
    step: { ...long, fault: { kind: "stall", at: "middle" } },
    code: "network",
  },
  "takes no answer for whole that ends between events": {
    step: { ...long, fault: { kind: "cut", at: "event" } },
    code: "network",
  },
  "takes no answer for whole that ends inside a character": {
    step: { ...long, fault: { kind: "cut", at: "character" } },
    code: ["network", "invalid_response"],
  },
  "takes no answer for whole that ends inside an event": {
    step: { ...long, fault: { kind: "cut", at: "json" } },
    code: ["network", "invalid_response"],
  },
  "takes no call for whole that ends inside its arguments": {
    step: {
      calls: [{ name: "terminal", args: { command: "echo a long command that goes on and on" } }],
      fault: { kind: "cut", at: "event" },
    },
    code: "network",
  },
  "names a torn connection a network error": {
    step: { ...long, fault: { kind: "cut", at: "event", reset: true } },
    code: "network",
  },
  "names a connection that is torn at once a network error": { step: { fault: { kind: "reset" } }, code: "network" },
  "takes no answer for whole that turns into an error": {
    step: { ...long, fault: { kind: "error-event", status: 529, message: "Overloaded" } },
    code: ["overloaded", "server", "network", "invalid_response"],
  },
  "refuses a web page": { step: { fault: { kind: "garbage", form: "html" } }, code: "invalid_response" },
  "refuses bytes without meaning": { step: { fault: { kind: "garbage", form: "binary" } }, code: "invalid_response" },
  "refuses JSON that is no answer": { step: { fault: { kind: "garbage", form: "json" } }, code: "invalid_response" },
  "refuses broken events": { step: { fault: { kind: "garbage", form: "broken-events" } }, code: "invalid_response" },
  "refuses an empty answer": { step: { fault: { kind: "garbage", form: "empty" } }, code: "invalid_response" },
};

const faults: Readonly<Record<string, Play>> = Object.fromEntries(
  Object.entries(faultCases).map(([name, { step, code, check }]) => [
    name,
    {
      script: [step],
      body: async ({ fail, model }: Scene) => {
        const error = await fail();
        assert.ok([code].flat().includes(error.code), `${error.code}: ${error.message}`);
        assert.ok(error.message.includes(`${model.provider}/${model.id}`), "the message names the model");
        assert.ok(error.message.includes(model.baseUrl), "the message names the address");
        check?.(error);
      },
    },
  ]),
);

const isRequest = (request: RecordedRequest | undefined): boolean => request !== undefined;

const aborts: Readonly<Record<string, Play>> = {
  "rejects with the signal's reason when aborted while the server is silent": {
    script: [{ fault: { kind: "stall", at: "start" } }],
    body: async ({ ask, server }) => {
      const controller = new AbortController();
      const reason = new Error("stopped by the person");
      const asked = ask({}, controller.signal);
      while (!isRequest(server.requests[0])) await new Promise((resolve) => setImmediate(resolve));
      controller.abort(reason);
      await assert.rejects(asked, (error) => error === reason);
    },
  },
  "rejects with the signal's reason when aborted in the middle of an answer": {
    script: [{ ...long, fault: { kind: "stall", at: "middle" } }],
    body: async ({ model, server }) => {
      const controller = new AbortController();
      const reason = new Error("stopped by the person");
      const deltas: ModelDelta[] = [];
      const asked = model.generate(
        { system: "", messages: [hello], tools: [] },
        {
          signal: controller.signal,
          onDelta: (delta) => {
            deltas.push(delta);
            controller.abort(reason);
          },
        },
      );
      await assert.rejects(asked, (error) => error === reason);
      assert.equal(deltas.length, 1, "nothing streams after the abort");
      assert.ok(isRequest(server.requests[0]));
    },
  },
  "asks nothing when it is aborted already": {
    script: [],
    body: async ({ ask, server }) => {
      const reason = new Error("too late");
      await assert.rejects(ask({}, AbortSignal.abort(reason)), (error) => error === reason);
      assert.equal(server.requests.length, 0);
    },
  },
};
