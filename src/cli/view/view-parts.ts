import type { TurnEvent } from "#agent";
import type { Terminal } from "#host";
import type { DisplaySettings } from "#runtime";
import type { Paint } from "./paint.ts";
import type { Pen } from "./pen.ts";

/** What each part of a view draws with. */
export interface ViewParts extends Pen {
  readonly terminal: Terminal;
  readonly style: Paint;
  readonly display: DisplaySettings;
  readonly now: () => number;
}

/** How some kinds of events are shown. */
export type Handlers<T extends TurnEvent["type"]> = {
  readonly [E in T]: (event: Extract<TurnEvent, { type: E }>) => void;
};
