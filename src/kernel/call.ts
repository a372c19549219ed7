import type { Call, OnBehalf } from "./chain.ts";
import type { Step } from "./part.ts";

/** The kernel's own side of a `Call`: it alone aborts. */
export class OwnCall implements Call {
  readonly owner: string;
  readonly entry: object;
  readonly parent: Call | undefined;
  private controller: AbortController | undefined = undefined;
  private reason: Error | undefined = undefined;

  constructor(step: Step, context: unknown) {
    this.owner = step.owner;
    this.entry = step.entry ?? step;
    this.parent = typeof context === "object" && context !== null ? (context as OnBehalf).onBehalf : undefined;
  }

  get signal(): AbortSignal {
    if (this.controller === undefined) {
      this.controller = new AbortController();
      if (this.reason !== undefined) this.controller.abort(this.reason);
    }
    return this.controller.signal;
  }

  abort(reason: Error): void {
    this.reason = reason;
    this.controller?.abort(reason);
  }
}
