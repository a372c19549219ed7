type Attributes = Readonly<Record<string, string>>;

interface Series {
  readonly name: string;
  readonly unit: string;
  readonly attributes: Attributes;
  count: number;
  sum: number;
  min: number;
  max: number;
  readonly buckets: number[];
}

/** Numbers by name and attributes, as OTLP's histograms in its JSON form; cumulative since the plugin was loaded. */
export interface Meter {
  record(name: string, unit: string, value: number, attributes: Attributes): void;
  /** The body of an export; undefined while nothing is new. */
  report(): object | undefined;
}

const bounds: Readonly<Record<string, readonly number[]>> = {
  s: [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92],
  "{token}": [1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576],
};
/** Kinds of series that are kept; further ones are left out. */
const mostSeries = 2_000;

const boundsOf = (unit: string): readonly number[] => bounds[unit] ?? [];
const nanoseconds = (ms: number): string => `${ms}000000`;

export function meter(service: string): Meter {
  const series = new Map<string, Series>();
  const start = nanoseconds(Date.now());
  let isNew = false;
  return {
    record(name, unit, value, attributes) {
      if (!Number.isFinite(value)) return;
      const key = JSON.stringify([name, attributes]);
      const limits = boundsOf(unit);
      let one = series.get(key);
      if (one === undefined) {
        if (series.size >= mostSeries) return;
        one = {
          name,
          unit,
          attributes,
          count: 0,
          sum: 0,
          min: value,
          max: value,
          buckets: new Array(limits.length + 1).fill(0),
        };
        series.set(key, one);
      }
      one.count += 1;
      one.sum += value;
      one.min = Math.min(one.min, value);
      one.max = Math.max(one.max, value);
      const place = limits.findIndex((limit) => value <= limit);
      const bucket = place < 0 ? limits.length : place;
      one.buckets[bucket] = (one.buckets[bucket] ?? 0) + 1;
      isNew = true;
    },
    report() {
      if (!isNew) return undefined;
      isNew = false;
      const time = nanoseconds(Date.now());
      const names = Map.groupBy(series.values(), ({ name }) => name);
      const metrics = [...names].map(([name, all]) => ({
        name,
        unit: all[0]?.unit,
        histogram: { aggregationTemporality: 2, dataPoints: all.map((one) => point(one, start, time)) },
      }));
      const resource = { attributes: listed({ "service.name": service }) };
      return { resourceMetrics: [{ resource, scopeMetrics: [{ scope: { name: "talaria" }, metrics }] }] };
    },
  };
}

const listed = (attributes: Attributes) =>
  Object.entries(attributes).map(([key, stringValue]) => ({ key, value: { stringValue } }));

const point = ({ attributes, unit, count, sum, min, max, buckets }: Series, start: string, time: string) => ({
  attributes: listed(attributes),
  startTimeUnixNano: start,
  timeUnixNano: time,
  count: String(count),
  sum,
  min,
  max,
  bucketCounts: buckets.map(String),
  explicitBounds: boundsOf(unit),
});
