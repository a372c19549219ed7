import { expect, test } from "vitest";
import type { Tool, TurnContext } from "#agent";
import { askUser } from "./ask-user.ts";

function clarify(question: TurnContext["surface"]["question"]) {
  const context = { surface: { ...(question === undefined ? {} : { question }) } } as unknown as TurnContext;
  const [tool] = askUser().tools!(context) as readonly Tool[];
  const run = async (args: Readonly<Record<string, unknown>>) => {
    const signal = new AbortController().signal;
    const outcome = await tool!.run(args, { callId: "c", context, signal, progress: () => undefined });
    return JSON.parse(typeof outcome === "string" ? outcome : (outcome.content as string));
  };
  return { run, offered: tool!.available?.(context) };
}

test("the person's answer comes back with the question and the choices that were shown", async () => {
  const { run, offered } = clarify(async (text, choices) => `${text} ${choices.length}`);
  expect(offered).toBe(true);
  expect(await run({ question: "Which?", choices: ["a", "b", "c", "d", "e"] })).toEqual({
    question: "Which?",
    choices_offered: ["a", "b", "c", "d"],
    user_response: "Which? 4",
  });
});

test("no answer is an error that forbids asking again", async () => {
  for (const nothing of [undefined, " "])
    expect((await clarify(async () => nothing).run({ question: "Which?" })).error).toContain("Do not ask again");
});

test("where nobody can answer it is not offered, and fails when called all the same", async () => {
  const { run, offered } = clarify(undefined);
  expect(offered).toBe(false);
  expect((await run({ question: "Which?" })).error).toContain("Nobody");
  expect((await run({})).error).toContain("missing");
});
