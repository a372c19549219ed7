import { describe, expect, test } from "vitest";
import type { ModelRequest } from "../models/index.ts";
import { house, type Part, tool, toolbox } from "./agent-fixture.ts";

const part = (given: Omit<Part, "slot">): Part => ({ slot: "goal", ...given });

describe("an answer", () => {
  test("that is empty is asked for again, and the nudge is not stored", async () => {
    await using home = await house({ script: [{ text: "" }, { text: " " }, { text: "Here." }], parts: [toolbox()] });
    const session = await home.open();
    expect(await home.turn(session, "Hello.")).toMatchObject({ outcome: "completed", text: "Here.", iterations: 1 });
    expect(home.model.requests[2]?.messages.at(-1)?.content).toContain("Your last answer was empty");
    expect((await home.messages(session.id)).map(({ message }) => message.content)).toEqual(["Hello.", "Here."]);
  });

  test("that stays empty falls back to what was said beside the last calls", async () => {
    await using home = await house({
      script: [{ text: "The file is fine.", calls: [{ name: "look" }] }, ...Array(4).fill({ text: "" })],
      parts: [toolbox(tool("look"))],
    });
    const session = await home.open();
    expect(await home.turn(session, "Look.")).toMatchObject({ outcome: "completed", text: "The file is fine." });
    expect((await home.messages(session.id)).at(-1)?.message).toMatchObject({
      role: "assistant",
      content: "The file is fine.",
    });
  });

  test("that the output limit cuts is continued, and delivered whole", async () => {
    await using home = await house({
      script: [
        { text: "One, two, ", finishReason: "length" },
        { text: "three, ", finishReason: "length" },
        { text: "four." },
      ],
      parts: [toolbox()],
    });
    const result = await home.turn(await home.open(), "Count.");
    expect(result).toMatchObject({ outcome: "completed", text: "One, two, three, four." });
  });

  test("that is always cut ends after three continuations", async () => {
    await using home = await house({
      script: Array(9).fill({ text: "more ", finishReason: "length" }),
      parts: [toolbox()],
    });
    expect(await home.turn(await home.open(), "Count.")).toMatchObject({ text: "more more more more ", iterations: 4 });
  });

  test("that a transform replaces is what is delivered and what the model sees; the other text stays in the store", async () => {
    const delivered: string[] = [];
    await using home = await house({
      script: [{ text: "secret 42" }, { text: "ok" }],
      parts: [
        toolbox(),
        part({
          on: {
            transform_llm_output: ({ responseText }) => ({ text: responseText.replace("42", "**") }),
            post_llm_call: ({ assistantResponse }) => void delivered.push(assistantResponse),
          },
        }),
      ],
    });
    const session = await home.open();
    expect(await home.turn(session, "Tell.")).toMatchObject({ text: "secret **" });
    await home.turn(session, "Again.");
    expect(delivered).toEqual(["secret **", "ok"]);
    expect(home.model.requests[1]?.messages.map(({ content }) => content)).toEqual(["Tell.", "secret **", "Again."]);
    const all = await home.store.messages(session.id, { inactive: true });
    expect(all.map(({ message, active }) => [message.content, active])).toContainEqual(["secret 42", false]);
  });

  test("that a stop handler refuses goes on, eight times at most", async () => {
    let stops = 0;
    const active: boolean[] = [];
    await using home = await house({
      script: Array.from({ length: 12 }, (_, index) => ({ text: `answer ${index}` })),
      parts: [
        toolbox(),
        part({
          onStop: ({ stopHookActive }) => {
            stops += 1;
            active.push(stopHookActive);
            return { verdict: { decision: "deny", reason: "tests are red" } };
          },
        }),
      ],
    });
    expect(await home.turn(await home.open(), "Fix.")).toMatchObject({
      outcome: "completed",
      text: "answer 8",
      iterations: 9,
    });
    expect(stops).toBe(9);
    expect(active.slice(0, 2)).toEqual([false, true]);
    expect(home.model.requests[1]?.messages.at(-1)?.content).toContain("tests are red");
  });
});

describe("a model call", () => {
  test("that fails on the way is made anew, and what was streamed is declared void", async () => {
    const errors: unknown[] = [];
    await using home = await house({
      script: [{ error: "server", statusCode: 500, after: { text: "half" } }, { text: "whole" }],
      parts: [
        toolbox(),
        part({
          on: {
            api_request_error: ({ reason, statusCode, retryCount }) =>
              void errors.push([reason, statusCode, retryCount]),
          },
        }),
      ],
    });
    expect(await home.turn(await home.open(), "Go.")).toMatchObject({ outcome: "completed", text: "whole" });
    const shown = home.seen
      .map(({ type }) => type)
      .filter((type) => ["text", "reset", "retry", "message"].includes(type));
    expect(shown.filter((type) => type === "reset")).toHaveLength(1);
    expect(shown.indexOf("reset")).toBeGreaterThan(shown.indexOf("text"));
    expect(errors).toEqual([["server", 500, 0]]);
    expect(home.spans.filter(({ kind }) => kind === "model").map(({ status }) => status)).toEqual(["error", "ok"]);
    expect(home.spans.find(({ kind, status }) => kind === "model" && status === "ok")?.attributes).toMatchObject({
      provider: "scripted",
      inputTokens: 10,
      outputTokens: 5,
      finishReason: "stop",
      responseModel: "scripted",
    });
    expect(home.spans.find(({ kind }) => kind === "turn")?.attributes).toMatchObject({ provider: "scripted" });
  });

  test("carries what request middleware made of it, and untouched messages keep what their provider needs", async () => {
    const signed = [{ text: "thinking", providerData: { signature: "abc" } }];
    const answer = async () => ({ text: "one" });
    await using home = await house({
      script: [answer as never, { text: "two" }],
      parts: [
        toolbox(),
        part({
          modelRequest: ({ request }) => {
            const messages = request["messages"] as { role: string; content: string }[];
            const [system, ...rest] = messages;
            return {
              request: { ...request, temperature: 0.5, messages: [{ ...system, content: "Be terse." }, ...rest] },
            };
          },
          wrapModelCall: async (_payload, next) => {
            const result = await next();
            return { ...result, message: { ...result.message, reasoning: signed } };
          },
        }),
      ],
    });
    const session = await home.open();
    await home.turn(session, "First.");
    await home.turn(session, "Second.");
    const request = home.model.requests[1] as ModelRequest;
    expect(request).toMatchObject({ system: "Be terse.", temperature: 0.5 });
    expect(request.messages[1]).toMatchObject({ role: "assistant", reasoning: signed });
  });

  test("may be answered by a wrapper without the model", async () => {
    await using home = await house({
      script: [],
      parts: [
        toolbox(),
        part({
          wrapModelCall: async () => ({
            message: { role: "assistant" as const, content: "from the cache" },
            finishReason: "stop" as const,
            usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 },
            responseModel: "cache",
          }),
        }),
      ],
    });
    expect(await home.turn(await home.open(), "Go.")).toMatchObject({ outcome: "completed", text: "from the cache" });
  });

  test("carries this turn's context in every request of the turn, in multimodal messages too, and in no later one", async () => {
    await using home = await house({
      script: [{ calls: [{ name: "look" }] }, { text: "ok" }, { text: "later" }],
      parts: [
        toolbox(tool("look")),
        part({
          on: { pre_llm_call: ({ isFirstTurn }) => (isFirstTurn ? { context: ["Monday.", "Rain."] } : undefined) },
        }),
      ],
    });
    const session = await home.open();
    const image = { type: "image" as const, data: "aGk=", mediaType: "image/png" };
    await home.agent.runTurn(session, { content: [{ type: "text", text: "See?" }, image] }, home.surface);
    await home.turn(session, "And now?");
    const joined = [{ type: "text", text: "See?" }, image, { type: "text", text: "Monday.\n\nRain." }];
    expect(home.model.requests.map(({ messages }) => messages[0]?.content)).toEqual([
      joined,
      joined,
      [{ type: "text", text: "See?" }, image],
    ]);
  });
});
