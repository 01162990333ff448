import type { Source } from "../domain/source.ts";
import type { ZoneData } from "../domain/zone-data.ts";
import type { ChannelStates } from "../edits/channel-states.ts";
import { describeDuplicates } from "../edits/delivery/find-created.ts";
import type { PublishedFeeds } from "../feeds/published-feeds.ts";
import type { StorageTrouble } from "../store/storage-health.ts";
import type { Store } from "../store/store.ts";
import type { FastPathState } from "../sync/fast-path.ts";
import type { Outlook } from "../sync/outlook.ts";
import type { GateState } from "../upstream/gate.ts";
import type { LoopDelay } from "./loop-delay.ts";

export interface StatusDeps {
  readonly version: string;
  readonly zoneData: ZoneData;
  readonly startedAt: Temporal.Instant;
  readonly store: Store;
  readonly feeds: PublishedFeeds;
  readonly ready: () => boolean;
  /** How the account-wide list of tasks stands. */
  readonly fastPath: () => FastPathState;
  /** Whether every list has been read since the start. */
  readonly fresh: () => boolean;
  readonly outlook: () => Outlook;
  readonly gate: () => GateState;
  /** How far this machine's clock is ahead of the service's; null = not known. */
  readonly clockLead: () => Temporal.Duration | null;
  readonly channels: () => ChannelStates;
  readonly loopDelay: () => LoopDelay;
  readonly trustProxy: boolean;
  /** When a request last said that a proxy has passed it on, where none is trusted; null = none has. */
  readonly forwardedAt: Temporal.Instant | null;
  readonly zone: string;
  readonly clock: () => Temporal.Instant;
}

/** Mirror counts and ages, quota use, journal depth, mails, what is held and the last errors: the answer of `/api/status`. */
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
  return {
    version: deps.version,
    startedAt: deps.startedAt,
    now,
    ready: deps.ready(),
    fresh: deps.fresh(),
    timeZone: deps.zone,
    zoneData: deps.zoneData,
    mirror: {
      ...store.mirror.counts(),
      projects: store.directory.projects().length,
      todolists: store.directory.todolists().length,
      people: store.directory.people().length,
      labels: store.directory.labels().length,
      revision: store.changes.latest(),
      sources: sum(read.map(({ sources }) => sources)),
      // Of these nothing is served yet.
      projectsNeverRead: store.sources.projectsNeverRead(),
      sourcesNeverRead: sum(read.map(({ never }) => never)),
      oldestAgeSeconds: all?.oldestSeconds ?? null,
      newestAgeSeconds: all?.newestSeconds ?? null,
      // What changes often is read more often: one age for all would tell of the slowest alone.
      ages: {
        events: agesOf(["events"]),
        tasks: agesOf(["tasks", "subtasks"]),
        names: agesOf(["projects", "todolists", "people", "labels"]),
      },
      comments: store.comments.count(),
      historyEntries: store.history.count(),
      files: store.files.count(),
      openQuestions: store.absences.all().length,
    },
    fastPath: deps.fastPath(),
    polling: deps.outlook(),
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
    twins: store.pastEdits.resent().flatMap((edit) => {
      const problem = describeDuplicates(edit, store);
      return problem === null ? [] : [{ edit: edit.id, title: edit.base.title, problem }];
    }),
    mail: { ...store.ledger.state(), turnedOff: store.mailChoices.list(null) },
    feeds: deps.feeds.openCount(),
    ...deps.channels(),
    brakes: store.brakes.all(),
    proxy: { trusted: deps.trustProxy, forwardedAt: deps.forwardedAt },
    storage: storageOf(trouble),
    eventLoop: deps.loopDelay(),
    errors: [
      ...storageErrors(trouble),
      ...store.sources.failing().map(({ name, kind, failure, failures, attemptedAt }) => ({
        source: name,
        // Listed people stand in for a look-up that the service does not offer.
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
