import { expect, test } from "vitest";
import { withExtraBody } from "./request-body.ts";

const sent = async (body: unknown, extra: object = {}): Promise<string> => {
  let seen = "";
  const fetch = withExtraBody(
    async (_input, init) => {
      seen = String(init?.body);
      return new Response("{}");
    },
    { system: "", messages: [], tools: [], ...extra } as never,
    "chat_completions",
  );
  await fetch("http://localhost/", { method: "POST", body: JSON.stringify(body) });
  return seen;
};

test.each([
  ["a half of a pair is replaced", "a\ud800b", "a\ufffdb"],
  ["each half of a wrong pair is", "\udc00\ud83d", "\ufffd\ufffd"],
  ["whole pairs stay", "🙂", "🙂"],
  ["text that looks like one stays", "\\ud800 \\\\udc00", "\\ud800 \\\\udc00"],
  ["a backslash before one stays", "\\\ud800", "\\\ufffd"],
])("%s", async (_what, text, expected) => {
  expect(JSON.parse(await sent({ messages: [{ content: text }] }))).toEqual({ messages: [{ content: expected }] });
});
