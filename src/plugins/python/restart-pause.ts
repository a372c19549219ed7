import { ticks } from "#host";

const firstPauseMs = 100;
const longestPauseMs = 30_000;
const steadyMs = 10_000;
/** A pause that short is waited for; during a longer one calls fail at once. */
const patienceMs = 1_000;

/** How long a process that keeps ending is left alone: not at all after ten steady seconds, else twice as long each time. */
export class RestartPause {
  #pauseMs = 0;
  #until = 0;
  #why = "";

  /** Milliseconds to wait before it is started. Throws with why it ended, where that is too long to wait for. */
  rest(): number {
    const rest = this.#until - ticks();
    if (rest > patienceMs) throw new Error(`${this.#why}; it is started again in ${Math.ceil(rest / 1000)} s`);
    return Math.max(0, rest);
  }

  /** It ended after so many milliseconds, or could not be started. */
  begin(livedMs: number, why: string): void {
    this.#why = why;
    this.#pauseMs = livedMs > steadyMs ? 0 : Math.min(longestPauseMs, Math.max(firstPauseMs, this.#pauseMs * 2));
    this.#until = ticks() + this.#pauseMs;
  }
}
