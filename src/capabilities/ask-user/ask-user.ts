import type { Tool, ToolOutcome, ToolRun, TurnContext } from "#agent";
import type { Middleware } from "#kernel";
import { type Arguments, textArgument, textListArgument } from "../argument.ts";
import { answer, failure } from "../outcome.ts";

const mostChoices = 4;

const clarify: Tool = {
  name: "clarify",
  toolset: "clarify",
  description:
    "Asks the person one question and waits for the answer. Use it when the answer changes what you do and you cannot find it out yourself. Give up to four choices where there are clear ones; the person may always answer in their own words.",
  parameters: {
    type: "object",
    properties: {
      question: { type: "string", description: "The question, complete in itself." },
      choices: { type: "array", items: { type: "string" }, description: "Up to four possible answers." },
    },
    required: ["question"],
  },
  available: (context) => context.surface.question !== undefined,
  summary: (args) => textArgument(args, "question") ?? "",
  run: ask,
};

/** `clarify`: a question of the agent to the person; offered only where somebody can answer. */
export function askUser(): Middleware<TurnContext> {
  return { slot: "ask-user", tools: () => [clarify] };
}

async function ask(args: Arguments, { context, signal }: ToolRun): Promise<ToolOutcome> {
  const question = textArgument(args, "question")?.trim();
  if (question === undefined || question === "") return failure("question is missing");
  if (context.surface.question === undefined)
    return failure("Nobody can be asked here. Decide by yourself and say what you assumed.");
  const choices = textListArgument(args, "choices").slice(0, mostChoices);
  const given = await context.surface.question(question, choices, signal);
  if (given === undefined || given.trim() === "")
    return failure("The person gave no answer. Do not ask again: decide by yourself and say what you assumed.");
  return answer({ question, ...(choices.length > 0 ? { choices_offered: choices } : {}), user_response: given });
}
