import { readdir } from "node:fs/promises";
import { type SideSource, type Source, sideKinds } from "../domain/source.ts";
import type { Tallies } from "../domain/tallies.ts";
import { nextTurn } from "../runtime.ts";
import type { PurgeState } from "../store/channels/cache-purges.ts";
import { type DiskUse, readDiskUse } from "../store/disk-use.ts";
import type { Gauges, OpenEdits } from "../store/gauges.ts";
import type { DaemonState } from "./daemon-state.ts";

/** The sources of all metrics. */
export interface MetricSources extends DaemonState {
  readonly tallies: Tallies;
  readonly databaseFile: string;
  /** The period for which a request counts against the quota. */
  readonly quotaSpan: Temporal.Duration;
  /** True if the service is down. */
  readonly isOut: () => boolean;
  /** Time of the newest backup, or of the installation if there is none yet; null if none are made. */
  readonly backedUpAt: () => Temporal.Instant | null;
}

/** Groups of lists with their ages in `/api/status`. */
export const listGroups = ["events", "tasks", "names", "side"] as const;
export type ListGroup = (typeof listGroups)[number];

export interface ListFigures {
  readonly group: ListGroup;
  readonly lists: number;
  readonly items: number;
  readonly never: number;
  readonly failing: number;
  /** Null before anything of it was read. */
  readonly newest: Temporal.Instant | null;
  readonly oldest: Temporal.Instant | null;
}

/** The sources, and the current figures that several metrics share. */
export interface Figures extends MetricSources {
  readonly now: Temporal.Instant;
  readonly gauges: Gauges;
  readonly lists: readonly ListFigures[];
  readonly openEdits: readonly OpenEdits[];
  readonly purges: PurgeState;
  readonly disk: DiskUse;
  readonly process: ProcessFigures;
}

export interface ProcessFigures {
  readonly startedAt: Temporal.Instant;
  readonly cpuSeconds: number;
  readonly residentBytes: number;
  readonly heapBytes: number;
  /** Null if the system does not report it. */
  readonly openFiles: number | null;
}

/** Reads the figures with pauses for other work. The reader is created once. */
export function createFigures(sources: MetricSources): () => Promise<Figures> {
  const { store, clock } = sources;
  const gauges = store.gauges();
  return async () => {
    const lists = await readLists(gauges);
    const processFigures = await readProcess(clock);
    return {
      ...sources,
      now: clock(),
      gauges,
      lists,
      openEdits: gauges.openEdits(),
      purges: store.cachePurges.state(),
      disk: readDiskUse(sources.databaseFile),
      process: processFigures,
    };
  };
}

const sides: ReadonlySet<string> = new Set(sideKinds);

function groupOf(kind: Source["kind"] | SideSource["kind"]): ListGroup {
  if (kind === "events") return "events";
  if (kind === "tasks" || kind === "subtasks") return "tasks";
  return sides.has(kind) ? "side" : "names";
}

async function readLists(gauges: Gauges): Promise<readonly ListFigures[]> {
  const found = new Map<ListGroup, ListFigures>(
    listGroups.map((group) => [
      group,
      { group, lists: 0, items: 0, never: 0, failing: 0, newest: null, oldest: null },
    ]),
  );
  for (const part of gauges.lists()) {
    for (const tally of part) {
      const group = groupOf(tally.kind);
      const sofar = found.get(group);
      if (!sofar) continue;
      found.set(group, {
        group,
        lists: sofar.lists + tally.lists,
        items: sofar.items + tally.items,
        never: sofar.never + tally.never,
        failing: sofar.failing + tally.failing,
        newest: outer([sofar.newest, tally.newest], 1),
        oldest: outer([sofar.oldest, tally.oldest], -1),
      });
    }
    await nextTurn();
  }
  return [...found.values()];
}

/** The latest of these moments for 1, the earliest for -1; null if there is none. */
function outer(
  moments: readonly (Temporal.Instant | null)[],
  sign: 1 | -1,
): Temporal.Instant | null {
  const [found = null] = moments
    .filter((moment) => moment !== null)
    .toSorted((a, b) => sign * Temporal.Instant.compare(b, a));
  return found;
}

async function readProcess(clock: () => Temporal.Instant): Promise<ProcessFigures> {
  const { user, system } = process.cpuUsage();
  const { rss, heapUsed } = process.memoryUsage();
  const upMs = Math.round(process.uptime() * 1000);
  return {
    startedAt: clock().subtract({ milliseconds: upMs }),
    cpuSeconds: (user + system) / 1e6,
    residentBytes: rss,
    heapBytes: heapUsed,
    openFiles: await openFiles(),
  };
}

async function openFiles(): Promise<number | null> {
  try {
    return (await readdir("/proc/self/fd")).length;
  } catch {
    return null;
  }
}
