import { subscribed } from "#kernel";
import type { FoundHook } from "./hook-folder.ts";

export interface Match<H> {
  readonly hook: H;
  /** The name under which it hears of the event. */
  readonly event: string;
}

/**
 * Who hears of an event that goes by these names (`command:new` and, where it was typed so, `command:reset`): first the hooks that
 * name it exactly, then those of `prefix:*`, each in the order of the folders. A hook that did both is called for each.
 */
export function matching<H extends Pick<FoundHook, "events">>(
  hooks: readonly H[],
  names: readonly string[],
): readonly Match<H>[] {
  const exact = hooks.flatMap((hook) => {
    const event = names.find((name) => hook.events.includes(name));
    return event === undefined ? [] : [{ hook, event }];
  });
  const [event] = names;
  if (event === undefined) return [];
  const isWide = (one: string): boolean => !names.includes(one) && subscribed(one, event);
  const wide = hooks.filter(({ events }) => events.some(isWide));
  return [...exact, ...wide.map((hook) => ({ hook, event }))];
}
