import { type Config, type Settings, setKey } from "#config";
import type { ReasoningEffort } from "#models";

/** `display.*` of config.yaml: how a conversation is shown. */
export interface DisplaySettings {
  /** Text appears while it is written; else each message at once. */
  readonly streaming: boolean;
  readonly showReasoning: boolean;
  /** Tokens and cost at the end of a turn. */
  readonly showCost: boolean;
  readonly toolProgress: "off" | "new" | "all" | "verbose";
  readonly bell: boolean;
  readonly timestamps: boolean;
}

/** What the settings say of how people are dealt with. */
export interface Presentation {
  readonly display: DisplaySettings;
  /** Whether a person is asked before a slash command puts away what was said, and what ends that for good. */
  readonly slashConfirmation: { readonly wanted: boolean; forget(): Promise<void> };
  /** Makes this how hard the model thinks in every session to come; undefined: as its provider does by itself. */
  keepReasoningEffort(effort: ReasoningEffort | undefined): Promise<void>;
  /** How a message is taken that comes while a turn runs. */
  readonly busyMode: "interrupt" | "queue" | "steer";
}

function displaySettings(settings: Settings): DisplaySettings {
  return {
    streaming: settings["display.streaming"],
    showReasoning: settings["display.show_reasoning"],
    showCost: settings["display.show_cost"],
    toolProgress: settings["display.tool_progress"],
    bell: settings["display.bell_on_complete"],
    timestamps: settings["display.timestamps"],
  };
}

export function presentation({ settings, file }: Config): Presentation {
  let wanted = settings["approvals.destructive_slash_confirm"];
  return {
    display: displaySettings(settings),
    busyMode: settings["display.busy_input_mode"],
    keepReasoningEffort: async (effort) => void (await setKey(file, ["agent", "reasoning_effort"], effort ?? "")),
    slashConfirmation: {
      get wanted() {
        return wanted;
      },
      async forget() {
        wanted = false;
        await setKey(file, ["approvals", "destructive_slash_confirm"], false);
      },
    },
  };
}
