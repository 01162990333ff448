import type { Verdict } from "./judge.ts";
import type { Life } from "./life.ts";
import type { SoakDaemon, Usage } from "./soak-daemon.ts";

export interface Sample extends Usage {
  readonly hour: number;
  /** By how many hours of the scaled clock the hour ended late, as the machine could not keep up. */
  readonly lateHours: number;
  readonly at: Temporal.Instant;
}

interface Grown {
  readonly samples: readonly Sample[];
  readonly life: Life;
  readonly daemon: SoakDaemon;
}

/** For so many hours a daemon that has started still fills its caches. */
const warmHours = 4;

/** Memory, open files, the database and the log, over the longest life of one process and over all of it. */
export function judgeGrowth(grown: Grown): readonly Verdict[] {
  const alive = grown.samples.filter(({ upHours }) => upHours > 0);
  const longest = longestLife(alive);
  return [
    flat("the heap stays", { of: "heapMB", unit: "MB", room: 12 }, longest),
    flat("resident memory stays", { of: "residentMB", unit: "MB", room: 100 }, longest),
    flat("open files stay", { of: "openFiles", unit: "files", room: 6 }, longest),
    bounded(alive, grown.life),
    quietLog(grown),
  ];
}

/** Samples of the process that lived longest, without its beginning where it is long enough. */
function longestLife(samples: readonly Sample[]): readonly Sample[] {
  const lives: Sample[][] = [];
  for (const sample of samples) {
    const last = lives.at(-1);
    const before = last?.at(-1);
    if (last && before && before.upHours < sample.upHours) last.push(sample);
    else lives.push([sample]);
  }
  const longest = lives.toSorted((a, b) => b.length - a.length)[0] ?? [];
  return longest.length > 3 * warmHours ? longest.slice(warmHours) : longest;
}

interface Measured {
  readonly of: "heapMB" | "residentMB" | "openFiles";
  readonly unit: string;
  /** By how much it may end higher than it began, for certain. */
  readonly room: number;
}

function flat(promise: string, { of, unit, room }: Measured, life: readonly Sample[]): Verdict {
  const points = life.flatMap((sample) => {
    const value = sample[of];
    return value === null ? [] : [{ x: sample.hour, y: value }];
  });
  const hours = (points.at(-1)?.x ?? 0) - (points[0]?.x ?? 0);
  const { slope, error } = line(points);
  const values = points.map(({ y }) => y);
  const least = (slope - 2 * error) * hours;
  const figures = `${perDay(slope)} ± ${perDay(2 * error)} ${unit} a day over ${hours} hours of one process, ${Math.min(...values)} to ${Math.max(...values)}`;
  return {
    promise: `${promise} flat`,
    figures,
    broken: least > room ? [`it has grown by at least ${least.toFixed(1)} ${unit}`] : [],
  };
}

/** The slope by least squares, and its standard error. */
function line(points: readonly { readonly x: number; readonly y: number }[]) {
  const n = points.length;
  const mean = (of: (point: { readonly x: number; readonly y: number }) => number) =>
    points.reduce((sum, point) => sum + of(point), 0) / n;
  const [x, y] = [mean((point) => point.x), mean((point) => point.y)];
  const spread = mean((point) => (point.x - x) ** 2) * n;
  if (n < 4 || spread === 0) return { slope: 0, error: Number.POSITIVE_INFINITY };
  const slope = (mean((point) => (point.x - x) * (point.y - y)) * n) / spread;
  const rest = mean((point) => (point.y - y - slope * (point.x - x)) ** 2) * n;
  return { slope, error: Math.sqrt(rest / (n - 2) / spread) };
}

const perDay = (perHour: number): string => (perHour * 24).toFixed(2);

/** Versions and stories of edits are kept for 90 days, so that a week grows with what happens in it and with nothing else. */
function bounded(samples: readonly Sample[], { tally }: Life): Verdict {
  const first = samples[0]?.databaseMB ?? 0;
  const last = samples.at(-1)?.databaseMB ?? 0;
  const wal = Math.max(0, ...samples.map(({ walMB }) => walMB));
  const happened = tally.edits + tally["edits by programs"] + tally["changes by others"];
  const kilobytes = (Math.max(0, last - first) * 1024) / Math.max(1, happened);
  return {
    promise: "the database grows with what happens, and with nothing else",
    figures: `${first} to ${last} MB, ${kilobytes.toFixed(1)} KB for each change and edit; write-ahead log at most ${wal} MB`,
    broken: [
      ...(kilobytes > 12 ? [`${kilobytes.toFixed(1)} KB are kept for each change and edit`] : []),
      ...(wal > 16 ? [`the write-ahead log has grown to ${wal} MB`] : []),
    ],
  };
}

/** Lines an hour: a line for what a poll has changed, and a few for what goes wrong. */
const mostLines = 90;

function quietLog({ daemon, samples }: Grown): Verdict {
  const lines = [...daemon.logLines.values()].reduce((sum, count) => sum + count, 0);
  const perHour = lines / Math.max(1, samples.length);
  const levels = [...daemon.logLines].map(([level, count]) => `${count} ${level}`).join(", ");
  return {
    promise: "the log is bounded",
    figures: `${perHour.toFixed(1)} lines an hour: ${levels}`,
    broken: perHour > mostLines ? [`${perHour.toFixed(0)} lines an hour`] : [],
  };
}
