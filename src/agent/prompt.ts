import type { TurnContext } from "./context.ts";
import { AgentError, errorText } from "./error.ts";

const childSection = `You are a sub-agent: another agent gave you one task. Do it by yourself; nobody can answer questions.
When done, answer with a summary for that agent: what you did and found, which files you changed or made (absolute paths), and what is left or went wrong.`;

/** What a middleware gives; its failure names it. */
export function named<T>(slot: string, what: string, give: () => T): T {
  try {
    return give();
  } catch (error) {
    throw new AgentError(
      "middleware_failed",
      `The middleware "${slot}" could not give its ${what}: ${errorText(error)}`,
      error,
    );
  }
}

/** The sections of all middlewares, in chain order, a blank line between. */
export function systemPrompt(context: TurnContext, child: boolean): string {
  const sections: string[] = [];
  for (const part of context.plan.chain) {
    if (!("sections" in part) || part.sections === undefined) continue;
    const { slot } = part;
    const given = named(slot, "sections of the prompt", () => part.sections?.(context) ?? []);
    for (const section of given) if (section.trim() !== "") sections.push(section.trim());
  }
  if (child) sections.push(childSection);
  return sections.join("\n\n");
}
