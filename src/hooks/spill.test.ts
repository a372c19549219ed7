import { describe, expect, test } from "vitest";
import { workshop } from "./executors/executor-fixture.ts";
import { spilled } from "./spill.ts";

describe("a long text of a hook", () => {
  const kept: string[] = [];
  const { ports } = workshop({
    spill: async (_sessionId, name, text) => {
      kept.push(text);
      return `/home/${name}`;
    },
  });
  const place = { ports, sessionId: "s-1", name: "context.txt" };

  test.each(["x".repeat(10_000), "😀".repeat(10_000), ""])("stays as it is up to 10,000 characters", async (text) => {
    kept.length = 0;
    expect(await spilled(text, place)).toBe(text);
    expect(kept).toEqual([]);
  });

  test.each(["x", "😀"])(
    "goes into a file with one more, and its first 2,000 characters stay: %s",
    async (character) => {
      kept.length = 0;
      const text = character.repeat(10_001);
      const shown = await spilled(text, place);
      expect(kept).toEqual([text]);
      expect(shown.startsWith(`${character.repeat(2000)}\n\n[`)).toBe(true);
      expect(shown).toContain("/home/context.txt");
      expect(shown.isWellFormed()).toBe(true);
    },
  );

  test("that cannot be kept says so", async () => {
    const failing = workshop({ spill: () => Promise.reject(new Error("disk full")) });
    const shown = await spilled("x".repeat(20_000), { ...place, ports: failing.ports });
    expect(shown).toContain("could not be kept: disk full");
    expect(failing.logged).toHaveLength(1);
  });
});
