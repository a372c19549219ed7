import type { Draft } from "./answer.ts";
import { OwnCall } from "./call.ts";
import { isThenable } from "./data.ts";
import type { Engine } from "./engine.ts";
import type { Step } from "./part.ts";
import type { Waiter } from "./wait.ts";

/** How one rule of a parallel group ended. */
export interface Outcome {
  readonly step: Step;
  readonly value: unknown;
  readonly failed: boolean;
  readonly draft: Draft | undefined;
}

/** How a firing hands its payload to one rule. */
export interface Asker {
  readonly engine: Engine;
  readonly context: unknown;
  readonly draft: () => Draft | undefined;
  readonly payload: object;
}

/** The rules of one parallel group, started together over one base; tells once, when all have ended. */
export class Gathering implements Waiter {
  private readonly outcomes: Outcome[] = [];
  private readonly asked: { readonly step: Step; readonly draft: Draft | undefined }[] = [];
  private left = 0;
  private readonly told: (outcomes: readonly Outcome[]) => void;

  constructor(told: (outcomes: readonly Outcome[]) => void) {
    this.told = told;
  }

  /** Starts all. The outcomes in declared order when none is pending; else undefined, and `told` later. */
  start(steps: readonly Step[], asker: Asker): readonly Outcome[] | undefined {
    for (const step of steps) this.startOne(step, asker);
    return this.left === 0 ? this.outcomes : undefined;
  }

  settled(slot: number, value: unknown, failed: boolean): void {
    this.end(slot, value, failed);
    if (--this.left === 0) this.told(this.outcomes);
  }

  private startOne(step: Step, asker: Asker): void {
    const slot = this.asked.length;
    const draft = asker.draft();
    this.asked.push({ step, draft });
    try {
      const call = step.call ? new OwnCall(step, asker.context) : undefined;
      const { run } = step;
      step.active = true;
      const value = run(draft?.handed ?? asker.payload, asker.context, call);
      step.active = false;
      if (isThenable(value)) {
        asker.engine.waits.start(value, this, step, call).slot = slot;
        this.left++;
      } else {
        this.end(slot, value, false);
      }
    } catch (error) {
      step.active = false;
      this.end(slot, error, true);
    }
  }

  private end(slot: number, value: unknown, failed: boolean): void {
    const { step, draft } = this.asked[slot] as { step: Step; draft: Draft | undefined };
    this.outcomes[slot] = { step, value, failed, draft };
  }
}
