import { expect, test } from "vitest";
import type { Surface } from "#agent";
import { printedLines } from "./printed-lines.ts";

test("what a plugin prints is shown in the turn that runs, else in the next one", async () => {
  const printed = printedLines();
  const shown: string[] = [];
  const surface = (name: string): Surface => ({
    emit: (event) =>
      void shown.push(`${name} ${event.type === "notice" ? `${event.level} ${event.text}` : event.type}`),
  });
  for (let line = 0; line < 25; line += 1) printed.print(`early ${line}`);
  await printed.during(surface("a"), async () => {
    expect(shown).toHaveLength(20);
    expect(shown.at(-1)).toBe("a info early 24");
    await printed.during(surface("b"), async () => printed.print("inner"));
    printed.print("outer");
  });
  expect(shown.slice(20)).toEqual(["b info inner", "a info outer"]);
});
