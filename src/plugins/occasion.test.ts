import { expect, test } from "vitest";
import { occasion, onOccasion } from "./occasion.ts";

test("code that runs later still knows on whose behalf", async () => {
  const house = {};
  const seen = await onOccasion({ house, plugin: "a" }, async () => {
    await new Promise((settle) => setImmediate(settle));
    return occasion();
  });
  expect(seen).toEqual({ house, plugin: "a" });
  expect(occasion()).toEqual({});
});

test("an inner occasion keeps what it does not say, and two at a time stay apart", async () => {
  const context = {};
  const seen = await Promise.all(
    ["a", "b"].map((plugin) =>
      onOccasion({ context }, () =>
        onOccasion({ plugin }, async () => {
          await new Promise((settle) => setImmediate(settle));
          return occasion();
        }),
      ),
    ),
  );
  expect(seen).toEqual([
    { context, plugin: "a" },
    { context, plugin: "b" },
  ]);
});
