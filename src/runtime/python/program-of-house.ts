import type { House } from "../house.ts";
import type { Runtime } from "../runtime.ts";

const runtimes = new WeakMap<House, Pick<Runtime, "open" | "route" | "agent" | "store">>();

/** Says which program runs in a house, for Python code that wants an agent of it. */
export function inhabit(house: House, runtime: Pick<Runtime, "open" | "route" | "agent" | "store">): void {
  runtimes.set(house, runtime);
}

export const inhabitantOf = (house: House): Pick<Runtime, "open" | "route" | "agent" | "store"> | undefined =>
  runtimes.get(house);
