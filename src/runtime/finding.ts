/** One thing that was looked at. */
export interface Finding {
  readonly about: string;
  readonly state: "ok" | "warning" | "problem";
  readonly detail: string;
  /** What to do; only where something is wrong. */
  readonly mend?: string;
}
