import fc from "fast-check";
import { expect, test } from "vitest";
import type { Message } from "../kernel/index.ts";
import type { ModelRequest } from "../models/index.ts";
import { chatBody, requestFromChatBody } from "./chat-form.ts";

const content = fc.oneof(
  fc.string(),
  fc.array(
    fc.oneof(
      fc.record({ type: fc.constant("text" as const), text: fc.string() }),
      fc.record({ type: fc.constant("image" as const), data: fc.base64String(), mediaType: fc.constant("image/png") }),
    ),
    { minLength: 1, maxLength: 3 },
  ),
);
const message: fc.Arbitrary<Message> = fc.oneof(
  fc.record({ role: fc.constant("user" as const), content }),
  fc.record({ role: fc.constant("assistant" as const), content: fc.string() }),
  fc.record({
    role: fc.constant("assistant" as const),
    content: fc.string(),
    toolCalls: fc.array(
      fc.record({
        id: fc.string(),
        name: fc.string(),
        args: fc.dictionary(fc.string(), fc.jsonValue({ noNegativeZero: true } as never)),
      }),
      { minLength: 1, maxLength: 3 },
    ),
  }),
  fc.record({ role: fc.constant("tool" as const), toolCallId: fc.string(), toolName: fc.string(), content }),
);
const request: fc.Arbitrary<ModelRequest> = fc.record(
  {
    system: fc.string(),
    messages: fc.array(message, { maxLength: 6 }),
    tools: fc.constant([{ name: "look", description: "Looks.", parameters: { type: "object" } }]),
    temperature: fc.double({ min: 0, max: 2, noNaN: true }),
    maxOutputTokens: fc.nat(),
    toolChoice: fc.constantFrom("auto", "none", "required"),
  },
  { requiredKeys: ["system", "messages", "tools"] },
);

test("a body that comes back as it went is the same request, with the very same messages", () => {
  fc.assert(
    fc.property(request, (given) => {
      const back = requestFromChatBody(JSON.parse(JSON.stringify(chatBody(given, "m"))), given);
      expect(back).toEqual(given);
      expect(back.tools).toBe(given.tools);
    }),
  );
});

test("messages can be read from their chat form alone", () => {
  fc.assert(
    fc.property(request, (given) => {
      const back = requestFromChatBody(JSON.parse(JSON.stringify(chatBody(given, "m"))), { ...given, messages: [] });
      expect(chatBody(back, "m")).toEqual(JSON.parse(JSON.stringify(chatBody(given, "m"))));
    }),
  );
});

test.each([
  [{ messages: "no list" }, "`messages` is no list"],
  [{ messages: [5] }, "messages are no objects"],
  [{ messages: [{ role: "wizard", content: "" }] }, "unknown role wizard"],
  [{ messages: [{ role: "user", content: 5 }] }, "neither text nor a list"],
  [{ messages: [{ role: "assistant", content: "", tool_calls: [{}] }] }, "lack id or name"],
])("the body %j is refused with a reason", (body, reason) => {
  expect(() => requestFromChatBody(body, { system: "", messages: [], tools: [] })).toThrow(reason);
});
