import { dangerousEdits } from "./dangerous-edits.ts";
import { dangerousMachine } from "./dangerous-machine.ts";
import { dangerousRuns } from "./dangerous-runs.ts";
import { dangerousSystem } from "./dangerous-system.ts";
import type { Pattern } from "./pattern.ts";

/** What a person is asked about. The order is Hermes's within each kind; the first of a command names its prompt. */
export const dangerous: readonly Pattern[] = [
  ...dangerousSystem,
  ...dangerousEdits,
  ...dangerousRuns,
  ...dangerousMachine,
];
