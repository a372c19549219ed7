import { afterEach, expect, test } from "vitest";
import { isTimeZone, localClock, localDate, localTime, useTimeZone } from "./local-time.ts";

afterEach(() => useTimeZone(""));
const lateEvening = Date.UTC(2026, 10, 30, 23, 5);

test.each([
  ["UTC", "2026-11-30", "23:05"],
  ["Europe/Berlin", "2026-12-01", "00:05"],
  ["Asia/Kolkata", "2026-12-01", "04:35"],
  ["Pacific/Marquesas", "2026-11-30", "13:35"],
])("in %s it is %s %s", (zone, date, clock) => {
  useTimeZone(zone);
  expect([localDate(lateEvening), localClock(lateEvening), localTime(lateEvening)]).toEqual([
    date,
    clock,
    `${date} ${clock}`,
  ]);
});

test("without a zone it is the machine's", () => {
  const date = new Date(lateEvening);
  useTimeZone("");
  expect(localClock(lateEvening)).toBe(
    `${String(date.getHours()).padStart(2, "0")}:${String(date.getMinutes()).padStart(2, "0")}`,
  );
});

test("a name that is no zone is known as such", () => {
  expect(["Europe/Berlin", "UTC", "Mars/Olympus", "", "+99:00"].map(isTimeZone)).toEqual([
    true,
    true,
    false,
    false,
    false,
  ]);
});
