import { dirname, join } from "node:path";
import type { TurnContext } from "#agent";
import { exists, isHostError, localDate, readTextIfExists } from "#host";
import type { Middleware } from "#kernel";
import { conduct, identity } from "./text.ts";

export interface PromptSettings {
  /** The agent's home, absolute; a SOUL.md in it takes the place of the built-in character. */
  readonly agentHome: string;
  /** `linux x64`, as a person would say it. */
  readonly system: string;
  /** The person's shell, as a path or name. */
  readonly shell: string;
  readonly now: () => number;
}

interface Prepared {
  sections?: readonly string[];
}

const longestSoul = 20_000;

const state = (context: TurnContext): Prepared => context.state<Prepared>("default-system-prompt", () => ({}));

/**
 * Who the agent is, how it works and where. Made once per session and then the same to the byte, so that providers
 * can cache it; the date is the day on which it was made.
 */
export function defaultSystemPrompt(settings: PromptSettings): Middleware<TurnContext> {
  return {
    slot: "default-system-prompt",
    async beforeAgent(_, context) {
      const prepared = state(context);
      if (prepared.sections !== undefined) return;
      const soul = await personality(settings, context);
      prepared.sections = [soul ?? identity, conduct, await surroundings(settings, context)];
    },
    sections: (context) => state(context).sections ?? [identity, conduct],
  };
}

async function personality({ agentHome }: PromptSettings, context: TurnContext): Promise<string | undefined> {
  const path = join(agentHome, "SOUL.md");
  try {
    const text = (await readTextIfExists(path, { maxBytes: 1 << 20 }))?.text.trim();
    if (text === undefined || text === "") return undefined;
    return text.length <= longestSoul ? text : `${text.slice(0, longestSoul)}\n[… the rest of SOUL.md is left out]`;
  } catch (error) {
    if (!isHostError(error)) throw error;
    context.surface.emit({ type: "notice", level: "warning", text: `SOUL.md is not used: ${error.message}` });
    return undefined;
  }
}

async function surroundings(settings: PromptSettings, context: TurnContext): Promise<string> {
  const lines = [
    "# Environment",
    `Working folder: ${context.cwd}`,
    `Git repository: ${(await isRepository(context.cwd)) ? "yes" : "no"}`,
    `System: ${settings.system}`,
    `Shell: ${settings.shell}`,
    `Date at the start of this session: ${localDate(settings.now())}`,
    `Model: ${context.model}`,
    `Provider: ${context.provider}`,
  ];
  return lines.map((line) => line.replace(/[\r\n]+/g, " ")).join("\n");
}

async function isRepository(folder: string): Promise<boolean> {
  try {
    for (let place = folder; ; place = dirname(place)) {
      if (await exists(join(place, ".git"))) return true;
      if (dirname(place) === place) return false;
    }
  } catch (error) {
    if (isHostError(error)) return false;
    throw error;
  }
}
