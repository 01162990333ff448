import type { Rival } from "./rivals.ts";

/** How many requests of one kind a server answered in a second, in one round. */
export interface Sample {
  readonly operation: string;
  readonly server: Rival["name"];
  readonly round: number;
  readonly perSecond: number;
}

/** The least that Dayferry may reach of another server's figure. */
export interface Target {
  readonly id: string;
  /** How the operation's name begins. */
  readonly operation: string;
  readonly server: string;
  readonly ratio: number;
}

/** `minimal` promises as much as Dayferry with FULL: what it has answered is safe from a power cut. */
const targetsOfSome: readonly Target[] = [
  { id: "C1", operation: "PUT of a new", server: "Radicale", ratio: 40 },
  { id: "C1", operation: "PUT of a new", server: "Xandikos", ratio: 40 },
  { id: "C1", operation: "PUT of a new", server: "minimal, FULL", ratio: 0.35 },
  { id: "C2", operation: "PROPFIND", server: "Xandikos", ratio: 40 },
  { id: "C2", operation: "PROPFIND", server: "Radicale", ratio: 450 },
  { id: "C2", operation: "PROPFIND", server: "minimal, FULL", ratio: 0.75 },
  { id: "C3", operation: "sync-collection, one", server: "Xandikos", ratio: 40 },
  { id: "C3", operation: "sync-collection, one", server: "minimal, FULL", ratio: 0.5 },
  { id: "C4", operation: "multiget", server: "Radicale", ratio: 8 },
  { id: "C4", operation: "multiget", server: "minimal, FULL", ratio: 0.7 },
  { id: "C4", operation: "calendar-query", server: "minimal, FULL", ratio: 0.5 },
];

/** Every operation against the fastest open server, and against what HTTP and SQLite allow. */
const targetsOfEach = [
  { id: "C5", server: "Cyrus", ratio: 3 },
  { id: "C5", server: "minimal, FULL", ratio: 0.5 },
] as const;

/** What is judged: some targets for some operations, and two for each. */
export function targetsFor(samples: readonly Sample[]): readonly Target[] {
  const operations = [...new Set(samples.map(({ operation }) => operation))];
  return [
    ...targetsOfSome,
    ...targetsOfEach.flatMap((target) => operations.map((operation) => ({ ...target, operation }))),
  ];
}

/** Requests per second: one row per operation, one column per server; medians of the rounds. */
export function figures(samples: readonly Sample[]): readonly Readonly<Record<string, string>>[] {
  const operations = [...new Set(samples.map(({ operation }) => operation))];
  const servers = [...new Set(samples.map(({ server }) => server))];
  return operations.map((operation) => ({
    "requests/s": operation,
    ...Object.fromEntries(
      servers.map((server) => [server, rounded(median(speeds(samples, { operation, server })))]),
    ),
  }));
}

/** Dayferry's figure as a multiple of each other server's; medians of the rounds' ratios. */
export function ratios(samples: readonly Sample[]): readonly Readonly<Record<string, string>>[] {
  const operations = [...new Set(samples.map(({ operation }) => operation))];
  const servers = [...new Set(samples.map(({ server }) => server))].filter(isOther);
  return operations.map((operation) => ({
    "Dayferry : other": operation,
    ...Object.fromEntries(
      servers.map((server) => [server, rounded(ratio(samples, { operation, server }))]),
    ),
  }));
}

export interface Judgement {
  readonly line: string;
  /** Null where the other server did not run. */
  readonly isMet: boolean | null;
}

export function judge(target: Target, samples: readonly Sample[]): Judgement {
  const { id, server, ratio: least } = target;
  const found = samples.find(
    (sample) => sample.server === server && sample.operation.startsWith(target.operation),
  );
  const what = `${id} ${target.operation} at least ${least} x ${server}`;
  if (!found) return { line: `${what}: not measured`, isMet: null };
  const reached = ratio(samples, found);
  const isMet = reached >= least;
  return { line: `${what}: ${rounded(reached)}, ${isMet ? "met" : "MISSED"}`, isMet };
}

type Cell = Pick<Sample, "operation" | "server">;

function speeds(samples: readonly Sample[], { operation, server }: Cell): readonly number[] {
  return samples
    .filter((sample) => sample.operation === operation && sample.server === server)
    .toSorted((a, b) => a.round - b.round)
    .map(({ perSecond }) => perSecond);
}

function ratio(samples: readonly Sample[], { operation, server }: Cell): number {
  const own = speeds(samples, { operation, server: "Dayferry" });
  const others = speeds(samples, { operation, server });
  return median(own.map((speed, round) => speed / (others[round] ?? Number.NaN)));
}

const isOther = (server: string): boolean => server !== "Dayferry";

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const [low, high] = [Math.floor((sorted.length - 1) / 2), Math.ceil((sorted.length - 1) / 2)];
  return ((sorted[low] ?? Number.NaN) + (sorted[high] ?? Number.NaN)) / 2;
}

const rounded = (value: number): string =>
  value >= 100 ? value.toFixed(0) : value.toPrecision(2 + Number(value >= 10));
