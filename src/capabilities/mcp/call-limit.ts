import { after, ticks } from "#host";
import type { Answerer } from "./elicitation.ts";

/** In whose name a tool is called. */
export interface Asking {
  readonly signal: AbortSignal;
  /** Who answers questions that the server has meanwhile; absent: nobody. */
  readonly answerer?: Answerer | undefined;
}

/** A call's time limit, which stands still while a person is asked. */
export interface CallLimit {
  readonly signal: AbortSignal;
  pause(): void;
  goOn(): void;
  end(): void;
}

export function callLimit(ms: number): CallLimit {
  const controller = new AbortController();
  const late = (): void => controller.abort(new Error(`it did not answer in ${ms / 1000} s`));
  let left = ms;
  let pauses = 0;
  let since = ticks();
  let cancel = after(left, late, true);
  return {
    signal: controller.signal,
    pause() {
      pauses += 1;
      if (pauses > 1) return;
      cancel();
      left -= ticks() - since;
    },
    goOn() {
      pauses -= 1;
      if (pauses > 0) return;
      since = ticks();
      cancel = after(Math.max(0, left), late, true);
    },
    end: () => cancel(),
  };
}
