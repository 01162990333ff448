/** Labels of a metric: names with values from a small set. */
export type MetricLabels = Readonly<Record<string, string>>;

/** One number with its labels. */
export interface Sample {
  readonly labels: MetricLabels;
  readonly value: number;
}

/**
 * A histogram: how many values were at most as large as each bound (the last is infinite), their sum and their number.
 */
export interface Spread {
  readonly labels: MetricLabels;
  readonly upTo: readonly { readonly bound: number; readonly count: number }[];
  readonly sum: number;
  readonly count: number;
}

/** A counter. Labels given at the start are reported as 0 before anything happens. */
export class Count {
  readonly #samples = new Map<string, { readonly labels: MetricLabels; value: number }>();

  constructor(first: readonly MetricLabels[] = [{}]) {
    for (const labels of first) this.add(labels, 0);
  }

  add(labels: MetricLabels = {}, by = 1): void {
    const key = keyOf(labels);
    const sample = this.#samples.get(key);
    if (sample) sample.value += by;
    else this.#samples.set(key, { labels, value: by });
  }

  samples(): readonly Sample[] {
    return [...this.#samples.values()].map(({ labels, value }) => ({ labels, value }));
  }
}

/** A histogram of durations in seconds. */
export class Lengths {
  readonly #bounds: readonly number[];
  readonly #spreads = new Map<string, { labels: MetricLabels; counts: number[]; sum: number }>();

  /** `bounds`: ascending. */
  constructor(bounds: readonly number[], first: readonly MetricLabels[] = [{}]) {
    this.#bounds = bounds;
    for (const labels of first) this.#of(labels);
  }

  add(seconds: number, labels: MetricLabels = {}): void {
    const spread = this.#of(labels);
    // A clock that was set back gives no negative length.
    const length = Math.max(0, seconds);
    const at = this.#bounds.findIndex((bound) => length <= bound);
    const bucket = at < 0 ? this.#bounds.length : at;
    spread.counts[bucket] = (spread.counts[bucket] ?? 0) + 1;
    spread.sum += length;
  }

  spreads(): readonly Spread[] {
    return [...this.#spreads.values()].map(({ labels, counts, sum }) => {
      let count = 0;
      const upTo = [...this.#bounds, Number.POSITIVE_INFINITY].map((bound, index) => {
        count += counts[index] ?? 0;
        return { bound, count };
      });
      return { labels, upTo, sum, count };
    });
  }

  #of(labels: MetricLabels): {
    readonly labels: MetricLabels;
    readonly counts: number[];
    sum: number;
  } {
    const key = keyOf(labels);
    const known = this.#spreads.get(key);
    if (known) return known;
    const spread = { labels, counts: this.#bounds.map(() => 0), sum: 0 };
    this.#spreads.set(key, spread);
    return spread;
  }
}

const keyOf = (labels: MetricLabels): string => Object.values(labels).join("\n");

const requestBounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const delayBounds = [0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600, 14_400, 86_400];
const sweepBounds = [1, 5, 15, 60, 300, 900, 3600, 14_400];

const serviceMethods = ["GET", "POST", "PUT", "DELETE"] as const;

/** How an attempt to apply an edit may end. */
const editEndings = [
  "applied",
  "postponed",
  "parked",
  "frozen",
  "dropped",
  "withdrawn",
  "differs",
  "extra-done",
  "extra-postponed",
  "extra-parked",
] as const;

/** Kinds of HTTP requests, for counting. */
export const doors = ["feed", "caldav", "api", "page", "link", "health"] as const;
export type Door = (typeof doors)[number];

const mailSorts = ["reminder", "notice", "log-in", "invitation"] as const;
const mailEndings = ["sent", "deferred", "rejected", "given-up"] as const;

/** Counters and histograms since the start, for metrics. */
export function createTallies() {
  return {
    polls: new Count(
      ["events", "tasks", "subtasks", "projects", "todolists", "people", "labels"].flatMap((kind) =>
        ["read", "failed"].map((ending) => ({ kind, ending })),
      ),
    ),
    sweeps: new Lengths(sweepBounds),
    serviceRequests: new Count(
      serviceMethods.flatMap((method) =>
        ["2xx", "4xx", "5xx", "none"].map((status) => ({ method, status })),
      ),
    ),
    serviceLengths: new Lengths(
      requestBounds,
      serviceMethods.map((method) => ({ method })),
    ),
    edits: new Count(editEndings.map((ending) => ({ ending }))),
    editDelays: new Lengths(delayBounds),
    mails: new Count(mailSorts.flatMap((sort) => mailEndings.map((ending) => ({ sort, ending })))),
    messages: new Count(
      ["operator", "people", "webhooks"].flatMap((to) =>
        mailEndings.map((ending) => ({ to, ending })),
      ),
    ),
    purges: new Count(["done", "failed"].map((ending) => ({ ending }))),
    feedFetches: new Count(["200", "304", "404", "503"].map((status) => ({ status }))),
    caldav: new Count(
      ["PROPFIND", "REPORT", "GET", "PUT", "DELETE"].flatMap((method) =>
        ["2xx", "4xx", "5xx"].map((status) => ({ method, status })),
      ),
    ),
    http: new Count(
      doors.flatMap((door) => ["2xx", "4xx", "5xx"].map((status) => ({ door, status }))),
    ),
    httpLengths: new Lengths(
      requestBounds,
      doors.map((door) => ({ door })),
    ),
  };
}

export type Tallies = ReturnType<typeof createTallies>;

/** The class of a status: "4xx". */
export const statusClass = (status: number): string =>
  status >= 100 && status < 600 ? `${Math.floor(status / 100)}xx` : "none";
