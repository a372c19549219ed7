import { expect, test } from "vitest";
import { RestartPause } from "./restart-pause.ts";

test("a process that was never started has no pause, nor has one that lived long", () => {
  const pause = new RestartPause();
  expect(pause.rest()).toBe(0);
  pause.begin(60_000, "it was killed");
  expect(pause.rest()).toBe(0);
});

test("a pause grows with each early end, until nobody waits for it, and says why", () => {
  const pause = new RestartPause();
  const rests = [1, 2, 3].map(() => {
    pause.begin(5, "it left with status 3");
    return pause.rest();
  });
  expect(rests[0]).toBeGreaterThan(0);
  expect(rests[2]).toBeGreaterThan(rests[0] ?? 0);
  for (let ends = 0; ends < 3; ends++) pause.begin(5, "it left with status 3");
  expect(() => pause.rest()).toThrow(/^it left with status 3; it is started again in \d+ s$/);
});
