import type { Rule, RuleSet } from "../rule.ts";
import { keyOfRule } from "./pin.ts";
import type { PinList, PinsRead } from "./pin-list.ts";
import type { ProgramRule } from "./script-path.ts";

/** Which rules run something else than what was pinned. */
export interface HeldRules {
  /** Pins as they stand now. */
  load(pins: PinsRead): void;
  /** The rules that `look` looks at. */
  watch(sets: readonly RuleSet[]): void;
  /** Looks at the files of all pinned rules. Never rejects. */
  look(): Promise<void>;
  /** Looks at the files of one rule; why it is held back, undefined where it is not. Never rejects. */
  verify(rule: Rule): Promise<string | undefined>;
  /** The same from the last look. */
  reasonOf(rule: Rule): string | undefined;
  isPinned(rule: Rule): boolean;
}

const isProgram = (rule: Rule): rule is ProgramRule => rule.type === "command" || rule.type === "worker";

export function heldRules(list: Pick<PinList, "breachOf">): HeldRules {
  let current: PinsRead = { pins: new Map(), broken: undefined };
  let watched: readonly ProgramRule[] = [];
  let reasons: ReadonlyMap<string, string> = new Map();

  const pinsOf = (rule: ProgramRule) => current.pins.get(keyOfRule(rule));

  async function verify(rule: Rule): Promise<string | undefined> {
    if (!isProgram(rule)) return undefined;
    if (current.broken !== undefined) return `held back: ${current.broken}`;
    const pins = pinsOf(rule);
    if (pins === undefined) return undefined;
    const breach = await list.breachOf(rule, pins).catch((error: unknown) => `${rule.command}: ${String(error)}`);
    return breach === undefined ? undefined : `held back: ${breach}; look at it with \`talaria hooks trust\``;
  }

  return {
    verify,
    load(pins) {
      current = pins;
    },
    watch(sets) {
      watched = sets.flatMap(({ rules }) => rules.filter(isProgram));
    },
    async look() {
      const pinned = current.pins.size === 0 ? [] : watched.filter((rule) => pinsOf(rule) !== undefined);
      const found = await Promise.all(pinned.map(async (rule) => [rule.id, await verify(rule)] as const));
      reasons = new Map(found.flatMap(([id, reason]) => (reason === undefined ? [] : [[id, reason]])));
    },
    reasonOf(rule) {
      if (current.broken !== undefined && isProgram(rule)) return `held back: ${current.broken}`;
      return reasons.get(rule.id);
    },
    isPinned: (rule) => isProgram(rule) && pinsOf(rule) !== undefined,
  };
}
