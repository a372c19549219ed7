/** Formats are made once: making one takes milliseconds. */
let zoned: Intl.DateTimeFormat | undefined;

/** Whether a name such as `Europe/Berlin` is a time zone that this machine knows. */
export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** Times of this process are shown in this zone from now on; empty: in the machine's. Throws a `RangeError` for a name that is none. */
export function useTimeZone(name: string): void {
  zoned =
    name === ""
      ? undefined
      : new Intl.DateTimeFormat("en", {
          timeZone: name,
          hourCycle: "h23",
          year: "numeric",
          month: "2-digit",
          day: "2-digit",
          hour: "2-digit",
          minute: "2-digit",
        });
}

interface Parts {
  readonly date: string;
  readonly clock: string;
}

function parts(epochMs: number): Parts {
  const date = new Date(epochMs);
  if (zoned !== undefined) {
    const found = Object.fromEntries(zoned.formatToParts(date).map(({ type, value }) => [type, value]));
    return {
      date: `${found["year"]}-${found["month"]}-${found["day"]}`,
      clock: `${found["hour"]}:${found["minute"]}`,
    };
  }
  const two = (value: number): string => String(value).padStart(2, "0");
  return {
    date: `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`,
    clock: `${two(date.getHours())}:${two(date.getMinutes())}`,
  };
}

/** `2026-11-30`, as a person at the machine would say it (`timezone` in docs/reference/config.md). */
export const localDate = (epochMs: number): string => parts(epochMs).date;

/** `18:50`. */
export const localClock = (epochMs: number): string => parts(epochMs).clock;

/** `2026-11-30 18:50`. */
export function localTime(epochMs: number): string {
  const { date, clock } = parts(epochMs);
  return `${date} ${clock}`;
}
