import type { Fault, Faults, Random } from "@dayferry/sandbox";

/** What the service and the way to it do wrong, each for a few requests; every kind that the sandbox has. */
const troubles: Readonly<Record<string, Fault>> = {
  "status 500": { kind: "status", status: 500 },
  "status 503": { kind: "status", status: 503, headers: { "retry-after": "1" } },
  "status 429": { kind: "status", status: 429, headers: { "retry-after": "1" } },
  "burst of 429": { kind: "status", status: 429, headers: { "retry-after": "2" }, times: 30 },
  "drop before": { kind: "drop-before" },
  "drop after": { kind: "drop-after" },
  "hang before": { kind: "hang-before" },
  "hang after": { kind: "hang-after" },
  "web page": { kind: "html" },
  "cut answer": { kind: "cut" },
  "cut answer, as if whole": { kind: "cut", plain: true },
  "empty object": { kind: "replace", body: {} },
  "empty list": { kind: "replace", body: [] },
  "other order, more fields": { kind: "transform", transform: rearranged },
  "half of a list": { kind: "transform", transform: halved },
  // What is answered at once is carried out within seconds, what is not answered before the daemon gives up: as a gateway does it.
  "late creation, dropped": { kind: "late", ms: 8, answer: "drop", method: "POST" },
  "late creation, status 504": { kind: "late", ms: 8, answer: 504, method: "POST" },
  "late creation, no answer": { kind: "late", ms: 600, method: "POST" },
  "late change, no answer": { kind: "late", ms: 600, method: "PUT" },
  delay: { kind: "delay", ms: 300 },
  lag: { kind: "delay", ms: 600, times: 12 },
};

/** Seconds by which the service's clock is wrong, a few hours at a time. */
const skews = [0, 75, -75, 0, 240, -240] as const;

interface WeatherDeps {
  readonly faults: Faults;
  readonly random: Random;
}

/** What goes wrong, hour by hour. Every kind comes before one comes again. */
export class Weather {
  readonly #deps: WeatherDeps;
  /** Requests that each kind was meant for. */
  readonly counts = new Map<string, number>();
  #left: string[] = [];
  skew = Temporal.Duration.from({ seconds: 0 });

  constructor(deps: WeatherDeps) {
    this.#deps = deps;
  }

  hour(hour: number): void {
    const { faults, random } = this.#deps;
    this.skew = Temporal.Duration.from({
      seconds: skews[Math.floor(hour / 5) % skews.length] ?? 0,
    });
    if (!random.chance(0.6)) return;
    if (this.#left.length === 0) this.#left = Object.keys(troubles);
    const kind = random.pick(this.#left);
    this.#left = this.#left.filter((one) => one !== kind);
    const trouble = troubles[kind];
    if (!trouble) return;
    const times = trouble.times ?? random.between(1, 6);
    faults.add({ ...trouble, times });
    this.counts.set(kind, (this.counts.get(kind) ?? 0) + times);
  }

  /** Lets what was meant for requests to come go, and sets the service's clock right. */
  clear(): void {
    this.#deps.faults.clear();
    this.skew = Temporal.Duration.from({ seconds: 0 });
  }

  /** How many kinds have come, and how many there are. */
  kinds(): readonly [number, number] {
    return [this.counts.size, Object.keys(troubles).length];
  }
}

function rearranged(json: unknown): unknown {
  if (Array.isArray(json)) return json.map(rearranged).toReversed();
  if (typeof json !== "object" || json === null) return json;
  return Object.fromEntries([
    ["not_known_yet", { since: 2027 }],
    ...Object.entries(json).toReversed(),
  ]);
}

function halved(json: unknown): unknown {
  return Array.isArray(json) ? json.slice(0, Math.floor(json.length / 2)) : json;
}
