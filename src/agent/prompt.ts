import type { TurnContext } from "./context.ts";

const childSection = `You are a sub-agent: another agent gave you one task. Do it by yourself; nobody can answer questions.
When done, answer with a summary for that agent: what you did and found, which files you changed or made (absolute paths), and what is left or went wrong.`;

/** The sections of all middlewares, in chain order, a blank line between. */
export function systemPrompt(context: TurnContext, child: boolean): string {
  const sections: string[] = [];
  for (const part of context.plan.chain) {
    if (!("sections" in part) || part.sections === undefined) continue;
    for (const section of part.sections(context)) if (section.trim() !== "") sections.push(section.trim());
  }
  if (child) sections.push(childSection);
  return sections.join("\n\n");
}
