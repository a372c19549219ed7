import type { HookSource, Rule } from "../rule.ts";
import type { KnownEvent } from "./event-name.ts";
import type { Fields } from "./fields.ts";

/** What all rules have, whatever they run. */
export type Frame = Pick<
  Rule,
  | "id"
  | "source"
  | "event"
  | "eventName"
  | "where"
  | "matcher"
  | "condition"
  | "once"
  | "statusMessage"
  | "onFailure"
  | "mode"
  | "payload"
  | "rejudge"
  | "parallel"
>;

/** What a matcher group says for its handlers. */
export interface GroupSettings {
  readonly matcher: string | undefined;
  readonly parallel: boolean;
  readonly strict: boolean;
  readonly mode: "enforce" | "shadow";
}

export interface Place {
  readonly source: HookSource;
  readonly known: KnownEvent;
  readonly eventName: string;
  /** Event, group and handler, as `PreToolUse/0/1`. */
  readonly path: string;
  readonly where: string;
  readonly group: GroupSettings;
}

export function frameOf(fields: Fields, place: Place): Frame {
  const { source, known, group } = place;
  const failClosed = fields.flag("failClosed");
  const onFailure = fields.choice("onFailure", ["continue", "block"]);
  const settled =
    onFailure ?? (failClosed === true || (failClosed === undefined && group.strict) ? "block" : undefined);
  return {
    id: `${source.name}#${place.path}`,
    source,
    event: known.event,
    eventName: place.eventName,
    where: place.where,
    matcher: group.matcher,
    condition: undefined,
    once: fields.flag("once") ?? false,
    statusMessage: fields.text("statusMessage"),
    onFailure: settled,
    mode: fields.choice("mode", ["enforce", "shadow"]) ?? group.mode,
    payload: fields.choice("payload", ["full", "redacted"]) ?? "full",
    rejudge: fields.flag("rejudge") ?? true,
    parallel: group.parallel,
  };
}
