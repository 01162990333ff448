import type { MetricLabels, Sample } from "../domain/tallies.ts";
import { troubleKinds } from "../domain/trouble-kinds.ts";
import type { Figures, ListFigures } from "./metric-figures.ts";
import type { TextMetric } from "./metric-text.ts";

/** A documented metric, and how its values are found. */
export interface Metric extends Omit<TextMetric, "samples"> {
  /** Its labels; none for a single value. */
  readonly labels?: readonly string[];
  /** The same figure's name in `/api/status`; null if absent. */
  readonly status: string | null;
  readonly read: (figures: Figures) => TextMetric["samples"];
}

/** The samples of all metrics. */
export const metricsOf = (figures: Figures): readonly TextMetric[] =>
  allMetrics.map(({ name, type, help, read }) => ({ name, type, help, samples: read(figures) }));

/**
 * Every metric, in order. Anyone who can reach the port may read them: no label contains a name, an address, an id or a secret,
 * and each has few values.
 */
export const allMetrics: readonly Metric[] = [
  gauge("dayferry_build_info", {
    labels: ["version"],
    help: "Which version runs; always 1.",
    status: "version",
    read: ({ version }) => [{ labels: { version }, value: 1 }],
  }),
  gauge("dayferry_ready", {
    help: "1 once everything is served: all that there is had been read as a whole.",
    status: "ready",
    read: ({ ready }) => one(flag(ready)),
  }),
  gauge("dayferry_fresh", {
    help: "1 once every list has been read since the start.",
    status: "fresh",
    read: ({ fresh }) => one(flag(fresh)),
  }),
  gauge("dayferry_troubles", {
    labels: ["kind"],
    help: "Troubles that the operator must hear of and that are not over, by kind.",
    status: "troubles",
    read: ({ troubles }) =>
      troubleKinds.map((kind) => ({
        labels: { kind },
        value: troubles.filter((each) => each === kind).length,
      })),
  }),

  gauge("dayferry_lists", {
    labels: ["kind"],
    help: "Lists of the workspace that are read, by kind: events, tasks (with subtasks), names (projects, lists, people, labels), side (comments, history, folders, files).",
    status: "mirror.sources",
    read: byKind(({ lists }) => lists),
  }),
  gauge("dayferry_lists_never_read", {
    labels: ["kind"],
    help: "Lists of which nothing was read yet, by kind.",
    status: "mirror.sourcesNeverRead",
    read: byKind(({ never }) => never),
  }),
  gauge("dayferry_lists_failing", {
    labels: ["kind"],
    help: "Lists whose last reading failed or was not understood as a whole, by kind.",
    status: "errors",
    read: byKind(({ failing }) => failing),
  }),
  gauge("dayferry_listed_items", {
    labels: ["kind"],
    help: "Items that the last reading of each list has shown, together, by kind.",
    status: null,
    read: byKind(({ items }) => items),
  }),
  gauge("dayferry_oldest_age_seconds", {
    labels: ["kind"],
    help: "Age of what was read the longest ago, by kind; nothing for a kind of which nothing was read.",
    status: "mirror.ages",
    read: (figures) => ages(figures, ({ oldest }) => oldest),
  }),
  gauge("dayferry_newest_age_seconds", {
    labels: ["kind"],
    help: "Age of what was read last, by kind.",
    status: "mirror.ages",
    read: (figures) => ages(figures, ({ newest }) => newest),
  }),
  counter("dayferry_polls_total", {
    labels: ["kind", "ending"],
    help: "Readings of lists since the start, by kind of list and how they ended.",
    status: null,
    read: ({ tallies }) => tallies.polls.samples(),
  }),
  {
    name: "dayferry_sweep_duration_seconds",
    type: "histogram",
    help: "How long full sweeps took that have ended since the start.",
    status: null,
    read: ({ tallies }) => tallies.sweeps.spreads(),
  },
  gauge("dayferry_polling_max_age_seconds", {
    help: "The age that no list is to reach, as configured.",
    status: "polling.maxAgeSeconds",
    read: ({ forecast }) => one(forecast.maxAgeSeconds),
  }),
  gauge("dayferry_polling_best_age_seconds", {
    help: "How old each list gets when all are read in turn at the present pace.",
    status: "polling.bestAgeSeconds",
    read: ({ forecast }) => one(forecast.bestAgeSeconds),
  }),
  gauge("dayferry_polling_ceiling_seconds", {
    help: "The age at which a list is read at the latest, as things are.",
    status: "polling.ceilingSeconds",
    read: ({ forecast }) => one(forecast.ceilingSeconds),
  }),
  gauge("dayferry_fast_path", {
    help: "1 while changes are read from the list of all tasks.",
    status: "fastPath",
    read: ({ isFastPathUsed }) => one(flag(isFastPathUsed)),
  }),
  gauge("dayferry_brakes", {
    help: "Lists of which so much vanished at once that removals wait.",
    status: "brakes",
    read: ({ brakes }) => one(brakes),
  }),

  gauge("dayferry_quota_limit", {
    help: "Requests that the service allows within the quota's time.",
    status: "quota.quota",
    read: ({ gate }) => one(gate.quota),
  }),
  gauge("dayferry_quota_span_seconds", {
    help: "The quota's time.",
    status: null,
    read: ({ quotaSpan }) => one(quotaSpan.total("seconds")),
  }),
  gauge("dayferry_quota_used", {
    help: "Requests that may still count at the service.",
    status: "quota.used",
    read: ({ gate }) => one(gate.used),
  }),
  gauge("dayferry_quota_free", {
    help: "Requests that could leave at once.",
    status: null,
    read: ({ gate }) => one(Math.max(0, gate.share - gate.used)),
  }),
  gauge("dayferry_quota_share", {
    help: "Requests that Dayferry allows itself at present; fewer than the limit after the service has refused some.",
    status: "quota.share",
    read: ({ gate }) => one(gate.share),
  }),
  counter("dayferry_quota_refused_total", {
    help: "Requests since the start that the service has refused for the quota (429).",
    status: "quota.rateLimited",
    read: ({ gate }) => one(gate.rateLimited),
  }),
  gauge("dayferry_quota_paused_seconds", {
    help: "How long no request leaves, as the service has asked for it; 0 for no pause.",
    status: "quota.pausedUntil",
    read: ({ gate, now }) => one(Math.max(0, secondsBetween(now, gate.pausedUntil ?? now))),
  }),
  gauge("dayferry_service_waiting", {
    labels: ["priority"],
    help: "Requests that wait for a place within the quota, by how urgent they are.",
    status: "quota.waiting",
    read: ({ gate }) =>
      Object.entries(gate.waiting).map(([priority, value]) => ({ labels: { priority }, value })),
  }),
  gauge("dayferry_service_out", {
    help: "1 while the service cannot be reached or fails as a whole.",
    status: "troubles",
    read: ({ isOut }) => one(flag(isOut)),
  }),
  counter("dayferry_service_requests_total", {
    labels: ["method", "status"],
    help: "Requests to the service since the start, by method and class of its answer; none: no answer came.",
    status: "quota.sent",
    read: ({ tallies }) => tallies.serviceRequests.samples(),
  }),
  {
    name: "dayferry_service_request_duration_seconds",
    labels: ["method"],
    type: "histogram",
    help: "How long the service took for an answer, by method.",
    status: null,
    read: ({ tallies }) => tallies.serviceLengths.spreads(),
  },
  gauge("dayferry_clock_ahead_seconds", {
    help: "How far this machine's clock is ahead of the service's; nothing while that is not known.",
    status: "clockAheadSeconds",
    read: ({ clockLead }) => (clockLead === null ? [] : one(clockLead.total("seconds"))),
  }),

  gauge("dayferry_edits", {
    labels: ["state"],
    help: "Edits that are not there yet, by state: pending and claimed are on their way, parked and held wait for a person.",
    status: "journal",
    read: ({ openEdits }) =>
      openEdits.map(({ state, edits }) => ({ labels: { state }, value: edits })),
  }),
  gauge("dayferry_edit_oldest_waiting_seconds", {
    labels: ["state"],
    help: "How long ago the oldest edit in a state was accepted; 0 where there is none.",
    status: null,
    read: ({ openEdits, now }) =>
      openEdits.map(({ state, oldestAt }) => ({
        labels: { state },
        value: Math.max(0, secondsBetween(oldestAt ?? now, now)),
      })),
  }),
  counter("dayferry_edits_accepted_total", {
    help: "Edits that were ever accepted in this data directory.",
    status: null,
    read: ({ acceptedEdits }) => one(acceptedEdits),
  }),
  counter("dayferry_edit_attempts_total", {
    labels: ["ending"],
    help: "Attempts to carry edits out since the start, by how they ended; differs: beside applied, where the service's answer is another than was wished; extra: a comment or file of an edit.",
    status: null,
    read: ({ tallies }) => tallies.edits.samples(),
  }),
  {
    name: "dayferry_edit_delay_seconds",
    type: "histogram",
    help: "Time from the acceptance of an edit to the service's answer, what it waited for a person included.",
    status: null,
    read: ({ tallies }) => tallies.editDelays.spreads(),
  },

  counter("dayferry_mails_total", {
    labels: ["sort", "ending"],
    help: "Attempts to send a mail since the start, by sort and how they ended.",
    status: "mail",
    read: ({ tallies }) => tallies.mails.samples(),
  }),
  counter("dayferry_messages_total", {
    labels: ["to", "ending"],
    help: "Attempts since the start to notify the operator of troubles by any channel, or people by webhook, by how they ended.",
    status: null,
    read: ({ tallies }) => tallies.messages.samples(),
  }),
  gauge("dayferry_mails_waiting", {
    help: "Mails that are put off until the mail server takes them.",
    status: "mail.deferred",
    read: ({ waitingMails }) => one(waitingMails),
  }),
  gauge("dayferry_channels_failing", {
    help: "Subscribed calendars that cannot be read, and 1 more where the watched folder cannot be used.",
    status: "subscriptions",
    read: ({ failingChannels }) => one(failingChannels),
  }),

  gauge("dayferry_feeds", {
    help: "Feeds with an address that works.",
    status: "feeds",
    read: ({ feeds }) => one(feeds),
  }),
  counter("dayferry_feed_fetches_total", {
    labels: ["status"],
    help: "Fetches of feeds since the start, by status of the answer.",
    status: null,
    read: ({ tallies }) => tallies.feedFetches.samples(),
  }),
  counter("dayferry_cache_purges_total", {
    labels: ["ending"],
    help: "Purge requests since the start to a cache in front (`http.sharedCache.purge`), by how that ended.",
    status: null,
    read: ({ tallies }) => tallies.purges.samples(),
  }),
  gauge("dayferry_cache_purges_waiting", {
    help: "Feeds with a pending purge request to the cache in front.",
    status: null,
    read: ({ purges }) => one(purges.waiting),
  }),
  gauge("dayferry_cache_purges_behind_seconds", {
    help: "For how long the oldest of them waits; 0 where none does.",
    status: null,
    read: ({ purges, now }) =>
      one(purges.since === null ? 0 : Math.max(0, now.since(purges.since).total("seconds"))),
  }),
  gauge("dayferry_copy_age_seconds", {
    help: "With `serve --read-only`: how long ago the newest of the copy was read from the service; 0 where the database is the daemon's own.",
    status: "copy.ageSeconds",
    read: ({ copy }) =>
      copy === null ? one(0) : copy.ageSeconds === null ? [] : one(copy.ageSeconds),
  }),
  gauge("dayferry_copy_usable", {
    help: "With `serve --read-only`: 1 while what lies there is served, 0 while the last good copy is; 1 where the database is the daemon's own.",
    status: "copy.problem",
    read: ({ copy }) => one(flag(copy === null || copy.problem === null)),
  }),
  counter("dayferry_caldav_requests_total", {
    labels: ["method", "status"],
    help: "Requests of calendar programs since the start, by method and class of the answer.",
    status: null,
    read: ({ tallies }) => tallies.caldav.samples(),
  }),
  counter("dayferry_http_requests_total", {
    labels: ["door", "status"],
    help: "All requests since the start, by the way in (feed, caldav, api, page, link, health) and class of the answer.",
    status: null,
    read: ({ tallies }) => tallies.http.samples(),
  }),
  {
    name: "dayferry_http_request_duration_seconds",
    labels: ["door"],
    type: "histogram",
    help: "Time from a request to the end of its answer, by the way in.",
    status: null,
    read: ({ tallies }) => tallies.httpLengths.spreads(),
  },

  gauge("dayferry_event_loop_delay_seconds", {
    labels: ["which"],
    help: "For how long the main thread was at one thing, of the last minutes: median, p99 and longest.",
    status: "eventLoop",
    read: ({ loopDelay }) =>
      [
        ["median", loopDelay.p50Ms] as const,
        ["p99", loopDelay.p99Ms] as const,
        ["longest", loopDelay.longestMs] as const,
      ].map(([which, ms]) => ({ labels: { which }, value: ms / 1000 })),
  }),
  gauge("dayferry_database_size_bytes", {
    help: "Size of the database.",
    status: "disk.databaseBytes",
    read: ({ disk }) => one(disk.databaseBytes),
  }),
  gauge("dayferry_database_wal_size_bytes", {
    help: "Size of the log beside the database (WAL).",
    status: "disk.walBytes",
    read: ({ disk }) => one(disk.walBytes),
  }),
  gauge("dayferry_backup_age_seconds", {
    help: "How long ago the newest good backup of those in the folder was made; since the installation while there is none.",
    status: null,
    read: ({ now, backedUpAt }) =>
      backedUpAt === null ? [] : one(now.since(backedUpAt).total("seconds")),
  }),
  gauge("dayferry_disk_free_bytes", {
    help: "Free on the disk of the data directory.",
    status: "disk.freeBytes",
    read: ({ disk }) => one(disk.freeBytes),
  }),
  gauge("dayferry_disk_size_bytes", {
    help: "Size of the disk of the data directory.",
    status: "disk.sizeBytes",
    read: ({ disk }) => one(disk.sizeBytes),
  }),

  gauge("process_start_time_seconds", {
    help: "When the process began, in seconds since 1970.",
    status: "startedAt",
    read: ({ process: { startedAt } }) => one(startedAt.epochMilliseconds / 1000),
  }),
  counter("process_cpu_seconds_total", {
    help: "Time that the process has used of processors.",
    status: null,
    read: ({ process: { cpuSeconds } }) => one(cpuSeconds),
  }),
  gauge("process_resident_memory_bytes", {
    help: "Memory that the process holds.",
    status: null,
    read: ({ process: { residentBytes } }) => one(residentBytes),
  }),
  gauge("process_open_fds", {
    help: "Files and connections that the process holds open; absent if the system does not provide it.",
    status: null,
    read: ({ process: { openFiles } }) => (openFiles === null ? [] : one(openFiles)),
  }),
  gauge("nodejs_heap_size_used_bytes", {
    help: "Memory of JavaScript that is in use.",
    status: null,
    read: ({ process: { heapBytes } }) => one(heapBytes),
  }),
];

type Description = Omit<Metric, "name" | "type">;

function gauge(name: string, description: Description): Metric {
  return { name, type: "gauge", ...description };
}

function counter(name: string, description: Description): Metric {
  return { name, type: "counter", ...description };
}

const noLabels: MetricLabels = {};

/** The samples of a single value. */
function one(value: number): readonly Sample[] {
  return [{ labels: noLabels, value }];
}

function flag(isSo: boolean): number {
  return isSo ? 1 : 0;
}

function byKind(value: (lists: ListFigures) => number) {
  return ({ lists }: Figures): readonly Sample[] =>
    lists.map((each) => ({ labels: { kind: each.group }, value: value(each) }));
}

function ages(
  { lists, now }: Figures,
  moment: (lists: ListFigures) => Temporal.Instant | null,
): readonly Sample[] {
  return lists.flatMap((each) => {
    const at = moment(each);
    if (at === null) return [];
    return [{ labels: { kind: each.group }, value: Math.max(0, secondsBetween(at, now)) }];
  });
}

function secondsBetween(from: Temporal.Instant, to: Temporal.Instant): number {
  return (to.epochMilliseconds - from.epochMilliseconds) / 1000;
}
