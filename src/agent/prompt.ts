import type { TurnContext } from "./context.ts";

/** The sections of all middlewares, in chain order, a blank line between. */
export function systemPrompt(context: TurnContext): string {
  const sections: string[] = [];
  for (const part of context.plan.chain) {
    if (!("sections" in part) || part.sections === undefined) continue;
    for (const section of part.sections(context)) if (section.trim() !== "") sections.push(section.trim());
  }
  return sections.join("\n\n");
}
