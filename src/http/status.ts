import type { Source } from "../domain/source.ts";
import { stopsSync, troubleReport } from "../domain/trouble.ts";
import type { ZoneData } from "../domain/zone-data.ts";
import type { RepeatedEdit } from "../edits/delivery/repeated-edits.ts";
import { readDiskUse } from "../store/disk-use.ts";
import type { StorageTrouble } from "../store/storage-health.ts";
import type { DaemonState } from "./daemon-state.ts";
import type { TrustProxy } from "./trusted-proxies.ts";

interface StatusDeps extends DaemonState {
  readonly zoneData: ZoneData;
  readonly startedAt: Temporal.Instant;
  /** Edits that may exist twice. */
  readonly repeated: () => readonly RepeatedEdit[];
  /** URL of the metrics; null if there are none. */
  readonly metricsUrl?: () => string | null;
  readonly trustProxy: TrustProxy;
  /** When a request last came through a proxy that is not trusted; null if none has. */
  readonly forwardedAt: Temporal.Instant | null;
  readonly zone: string;
}

/** Mirror counts and ages, quota use, journal depth, mails, held removals and the last errors: the answer of `/api/status`. */
export type Status = ReturnType<typeof readStatus>;

export function readStatus({ store, clock, ...deps }: StatusDeps) {
  const now = clock();
  const trouble = store.health.trouble();
  const read = store.sources.ages();
  const age = (at: Temporal.Instant | null) =>
    at ? Math.round(now.since(at).total("seconds")) : null;
  const agesOf = (kinds: readonly Source["kind"][]) => {
    const own = read.filter(({ kind }) => kinds.includes(kind));
    const newest = own.map((one) => age(one.newest)).filter((old) => old !== null);
    const oldest = own.map((one) => age(one.oldest)).filter((old) => old !== null);
    if (newest.length === 0) return null;
    return { newestSeconds: Math.min(...newest), oldestSeconds: Math.max(...oldest) };
  };
  const all = agesOf(read.map(({ kind }) => kind));
  const held = deps.troubles?.() ?? [];
  const outage = held.find((each) => stopsSync(each.trouble));
  return {
    version: deps.version,
    startedAt: deps.startedAt,
    now,
    ready: deps.ready(),
    fresh: deps.fresh(),
    timeZone: deps.zone,
    // If a copy is served, quota, polling and queues are those stored in the copy.
    copy: deps.copy?.() ?? null,
    zoneData: deps.zoneData,
    mirror: {
      ...store.mirror.counts(),
      projects: store.directory.projects().length,
      todolists: store.directory.todolists().length,
      people: store.directory.people().length,
      labels: store.directory.labels().length,
      revision: store.changes.latest(),
      sources: sum(read.map(({ sources }) => sources)),
      // Projects that are not served yet.
      projectsNeverRead: store.sources.projectsNeverRead(),
      sourcesNeverRead: sum(read.map(({ never }) => never)),
      oldestAgeSeconds: all?.oldestSeconds ?? null,
      newestAgeSeconds: all?.newestSeconds ?? null,
      // Ages by group, because busy lists are read more often than others.
      ages: {
        events: agesOf(["events"]),
        tasks: agesOf(["tasks", "subtasks"]),
        names: agesOf(["projects", "todolists", "people", "labels"]),
      },
      comments: store.comments.count(),
      historyEntries: store.history.count(),
      files: store.files.count(),
      openQuestions: store.absences
        .counts()
        .values()
        .reduce((sum, { open, confirmed }) => sum + open + confirmed, 0),
    },
    fastPath: deps.fastPath(),
    polling: deps.forecast(),
    quota: deps.gate(),
    clockAheadSeconds: secondsOf(deps.clockLead()),
    journal: store.journal.counts(),
    extras: store.extras.counts(),
    frozen: store.pastEdits.frozen().map(({ id, item, base, problem, updatedAt }) => ({
      edit: id,
      uid: store.mirror.identity(item).uid,
      title: base.title,
      problem,
      at: updatedAt,
    })),
    twins: deps.repeated(),
    mail: { ...store.ledger.state(), turnedOff: store.mailChoices.list(null) },
    feeds: deps.feeds.openCount(),
    ...deps.channels(),
    brakes: store.brakes.all(),
    proxy: { trusted: deps.trustProxy !== false, forwardedAt: deps.forwardedAt },
    // The trouble that stops all syncing; null while the service is available.
    outage: outage ? troubleReport(outage) : null,
    troubles: held.map(troubleReport),
    storage: storageOf(trouble),
    disk: deps.databaseFile === undefined ? null : readDiskUse(deps.databaseFile),
    metrics: deps.metricsUrl?.() ?? null,
    eventLoop: deps.loopDelay(),
    errors: [
      ...storageErrors(trouble),
      ...store.sources.failing().map(({ name, kind, failure, failures, attemptedAt }) => ({
        source: name,
        // If the service cannot list people, the configuration lists them.
        severity: kind === "people" ? "note" : "problem",
        problem: failure,
        failures,
        at: attemptedAt,
      })),
    ],
  };
}

const storageOf = (trouble: StorageTrouble | null) =>
  trouble && { kind: trouble.kind, problem: trouble.problem, since: trouble.since };

const storageErrors = (trouble: StorageTrouble | null) =>
  trouble
    ? [
        {
          source: "storage",
          severity: "problem",
          problem: trouble.problem,
          failures: trouble.failures,
          at: trouble.at,
        },
      ]
    : [];

const sum = (counts: readonly number[]): number => counts.reduce((all, one) => all + one, 0);

const secondsOf = (length: Temporal.Duration | null): number | null =>
  length && Math.round(length.total("seconds"));
