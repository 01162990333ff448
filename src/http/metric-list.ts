import type { MetricLabels, Sample } from "../domain/tallies.ts";
import { troubleKinds } from "../domain/trouble-kinds.ts";
import type { Figures, ListFigures } from "./metric-figures.ts";
import type { TextMetric } from "./metric-text.ts";

/** A documented metric and the function that reads its values. */
export interface Metric extends Omit<TextMetric, "samples"> {
  /** Its labels; empty for a single value. */
  readonly labels?: readonly string[];
  /** Name of the same figure in `/api/status`, if it is there. */
  readonly status?: string;
  /** A single value, or a sample for each combination of labels. A flag counts as 1 or 0; null is left out. */
  readonly read: (figures: Figures) => number | boolean | null | TextMetric["samples"];
}

/** The samples of all metrics. */
export const metricsOf = (figures: Figures): readonly TextMetric[] =>
  allMetrics.map(({ name, type, help, read }) => {
    const value = read(figures);
    const samples =
      typeof value === "object" ? (value ?? []) : [{ labels: noLabels, value: Number(value) }];
    return { name, type, help, samples };
  });

const metric =
  (type: Metric["type"]) =>
  (name: string, description: Omit<Metric, "name" | "type">): Metric => ({
    name,
    type,
    ...description,
  });
const gauge = metric("gauge");
const counter = metric("counter");
const histogram = metric("histogram");

/**
 * Every metric, in order. Anyone who can reach the port may read them: no label contains a name, an address, an id or a secret,
 * and each has few values.
 */
export const allMetrics: readonly Metric[] = [
  gauge("dayferry_build_info", {
    labels: ["version"],
    help: "Version; always 1.",
    status: "version",
    read: ({ version }) => [{ labels: { version }, value: 1 }],
  }),
  gauge("dayferry_ready", {
    help: "1 once the first sync is complete and everything is served.",
    status: "ready",
    read: ({ ready }) => ready(),
  }),
  gauge("dayferry_fresh", {
    help: "1 after the first full sync since the start.",
    status: "fresh",
    read: ({ fresh }) => fresh(),
  }),
  gauge("dayferry_troubles", {
    labels: ["kind"],
    help: "Open problems, by kind.",
    status: "troubles",
    read({ gauges }) {
      const open = gauges.troubles();
      return troubleKinds.map((kind) => ({
        labels: { kind },
        value: open.filter((each) => each === kind).length,
      }));
    },
  }),

  gauge("dayferry_lists", {
    labels: ["kind"],
    help: "Polled lists, by kind: events, tasks (with subtasks), names (projects, lists, people, labels), side (comments, history, folders, files).",
    status: "mirror.sources",
    read: byKind(({ lists }) => lists),
  }),
  gauge("dayferry_lists_never_read", {
    labels: ["kind"],
    help: "Lists never synced, by kind.",
    status: "mirror.sourcesNeverRead",
    read: byKind(({ never }) => never),
  }),
  gauge("dayferry_lists_failing", {
    labels: ["kind"],
    help: "Lists whose last poll failed or was incomplete, by kind.",
    status: "errors",
    read: byKind(({ failing }) => failing),
  }),
  gauge("dayferry_listed_items", {
    labels: ["kind"],
    help: "Items in the last responses of all lists, by kind.",
    read: byKind(({ items }) => items),
  }),
  gauge("dayferry_oldest_age_seconds", {
    labels: ["kind"],
    help: "Age of the oldest list, by kind; absent if none was synced.",
    status: "mirror.ages",
    read: (figures) => ages(figures, ({ oldest }) => oldest),
  }),
  gauge("dayferry_newest_age_seconds", {
    labels: ["kind"],
    help: "Age of the newest list, by kind.",
    status: "mirror.ages",
    read: (figures) => ages(figures, ({ newest }) => newest),
  }),
  counter("dayferry_polls_total", {
    labels: ["kind", "ending"],
    help: "Polls since the start, by kind of list and result.",
    read: ({ tallies }) => tallies.polls.samples(),
  }),
  histogram("dayferry_sweep_duration_seconds", {
    help: "Duration of full syncs since the start.",
    read: ({ tallies }) => tallies.sweeps.spreads(),
  }),
  gauge("dayferry_polling_max_age_seconds", {
    help: "Configured maximum age of a list.",
    status: "polling.maxAgeSeconds",
    read: ({ forecast }) => forecast().maxAgeSeconds,
  }),
  gauge("dayferry_polling_best_age_seconds", {
    help: "Age of each list if all are polled in turn at the present rate.",
    status: "polling.bestAgeSeconds",
    read: ({ forecast }) => forecast().bestAgeSeconds,
  }),
  gauge("dayferry_polling_ceiling_seconds", {
    help: "Present limit for the age of a list.",
    status: "polling.ceilingSeconds",
    read: ({ forecast }) => forecast().ceilingSeconds,
  }),
  gauge("dayferry_fast_path", {
    help: "1 while the list of all tasks is used to find changes.",
    status: "fastPath",
    read: ({ fastPath }) => fastPath().kind === "used",
  }),
  gauge("dayferry_brakes", {
    help: "Lists with removals on hold, because too many items disappeared at once.",
    status: "brakes",
    read: ({ store }) => store.brakes.all().length,
  }),

  gauge("dayferry_quota_limit", {
    help: "Requests that the service allows per quota window.",
    status: "quota.quota",
    read: ({ gate }) => gate().quota,
  }),
  gauge("dayferry_quota_span_seconds", {
    help: "Length of the quota window.",
    read: ({ quotaSpan }) => quotaSpan.total("seconds"),
  }),
  gauge("dayferry_quota_used", {
    help: "Requests in the present quota window.",
    status: "quota.used",
    read: ({ gate }) => gate().used,
  }),
  gauge("dayferry_quota_free", {
    help: "Requests that could be sent at once.",
    read({ gate }) {
      const { share, used } = gate();
      return Math.max(0, share - used);
    },
  }),
  gauge("dayferry_quota_share", {
    help: "Requests that Dayferry uses per window; below the limit after rejected requests.",
    status: "quota.share",
    read: ({ gate }) => gate().share,
  }),
  counter("dayferry_quota_refused_total", {
    help: "Requests rejected by the rate limit (429) since the start.",
    status: "quota.rateLimited",
    read: ({ gate }) => gate().rateLimited,
  }),
  gauge("dayferry_quota_paused_seconds", {
    help: "Remaining pause that the service asked for; 0 for none.",
    status: "quota.pausedUntil",
    read: ({ gate, now }) => Math.max(0, secondsBetween(now, gate().pausedUntil ?? now)),
  }),
  gauge("dayferry_service_waiting", {
    labels: ["priority"],
    help: "Requests that wait for quota, by priority.",
    status: "quota.waiting",
    read: ({ gate }) =>
      Object.entries(gate().waiting).map(([priority, value]) => ({ labels: { priority }, value })),
  }),
  gauge("dayferry_service_out", {
    help: "1 while the service is unreachable or fails entirely.",
    status: "troubles",
    read: ({ isOut }) => isOut(),
  }),
  counter("dayferry_service_requests_total", {
    labels: ["method", "status"],
    help: "Requests to the service since the start, by method and status class; none: no response.",
    status: "quota.sent",
    read: ({ tallies }) => tallies.serviceRequests.samples(),
  }),
  histogram("dayferry_service_request_duration_seconds", {
    labels: ["method"],
    help: "Response time of the service, by method.",
    read: ({ tallies }) => tallies.serviceLengths.spreads(),
  }),
  gauge("dayferry_clock_ahead_seconds", {
    help: "How far this machine's clock is ahead of the service's; absent if unknown.",
    status: "clockAheadSeconds",
    read: ({ clockLead }) => clockLead()?.total("seconds") ?? null,
  }),

  gauge("dayferry_edits", {
    labels: ["state"],
    help: "Unfinished edits, by state: pending and claimed are being sent, parked and held wait for a decision.",
    status: "journal",
    read: ({ openEdits }) =>
      openEdits.map(({ state, edits }) => ({ labels: { state }, value: edits })),
  }),
  gauge("dayferry_edit_oldest_waiting_seconds", {
    labels: ["state"],
    help: "Age of the oldest edit in a state; 0 if there is none.",
    read: ({ openEdits, now }) =>
      openEdits.map(({ state, oldestAt }) => ({
        labels: { state },
        value: Math.max(0, secondsBetween(oldestAt ?? now, now)),
      })),
  }),
  counter("dayferry_edits_accepted_total", {
    help: "Edits accepted in this data directory.",
    read: ({ gauges }) => gauges.acceptedEdits(),
  }),
  counter("dayferry_edit_attempts_total", {
    labels: ["ending"],
    help: "Attempts to send edits since the start, by result; differs: also counted as applied, but the service stored something else; extra: a comment or file of an edit.",
    read: ({ tallies }) => tallies.edits.samples(),
  }),
  histogram("dayferry_edit_delay_seconds", {
    help: "Time from accepting an edit to the service's confirmation, including time waiting for a decision.",
    read: ({ tallies }) => tallies.editDelays.spreads(),
  }),

  counter("dayferry_mails_total", {
    labels: ["sort", "ending"],
    help: "Attempts to send a mail since the start, by sort and result.",
    status: "mail",
    read: ({ tallies }) => tallies.mails.samples(),
  }),
  counter("dayferry_messages_total", {
    labels: ["to", "ending"],
    help: "Attempts since the start to notify the operator of problems, or people by webhook, by result.",
    read: ({ tallies }) => tallies.messages.samples(),
  }),
  gauge("dayferry_mails_waiting", {
    help: "Mails waiting for the mail server.",
    status: "mail.deferred",
    read: ({ gauges }) => gauges.waitingMails(),
  }),
  gauge("dayferry_channels_failing", {
    help: "Failing subscribed calendars, plus 1 if the watched folder fails.",
    status: "subscriptions",
    read({ channels }) {
      const { inbox, subscriptions } = channels();
      const all = inbox ? [inbox, ...subscriptions] : subscriptions;
      return all.filter(({ problem }) => problem !== null).length;
    },
  }),

  gauge("dayferry_feeds", {
    help: "Open feeds.",
    status: "feeds",
    read: ({ feeds }) => feeds.openCount(),
  }),
  counter("dayferry_feed_fetches_total", {
    labels: ["status"],
    help: "Feed requests since the start, by status.",
    read: ({ tallies }) => tallies.feedFetches.samples(),
  }),
  counter("dayferry_cache_purges_total", {
    labels: ["ending"],
    help: "Purge requests to the shared cache (`http.sharedCache.purge`) since the start, by result.",
    read: ({ tallies }) => tallies.purges.samples(),
  }),
  gauge("dayferry_cache_purges_waiting", {
    help: "Feeds with a pending purge of the shared cache.",
    read: ({ purges }) => purges.waiting,
  }),
  gauge("dayferry_cache_purges_behind_seconds", {
    help: "Age of the oldest pending purge; 0 if there is none.",
    read: ({ purges, now }) =>
      purges.since === null ? 0 : Math.max(0, now.since(purges.since).total("seconds")),
  }),
  gauge("dayferry_copy_age_seconds", {
    help: "With `serve --read-only`: time since the copy was last synced with the service; otherwise 0.",
    status: "copy.ageSeconds",
    read: ({ copy }) => (copy ? copy().ageSeconds : 0),
  }),
  gauge("dayferry_copy_usable", {
    help: "With `serve --read-only`: 1 if the present copy is served, 0 if the last good one is; otherwise 1.",
    status: "copy.problem",
    read: ({ copy }) => !copy || copy().problem === null,
  }),
  counter("dayferry_caldav_requests_total", {
    labels: ["method", "status"],
    help: "CalDAV requests since the start, by method and status class.",
    read: ({ tallies }) => tallies.caldav.samples(),
  }),
  counter("dayferry_http_requests_total", {
    labels: ["door", "status"],
    help: "All requests since the start, by entry point (feed, caldav, api, page, link, health) and status class.",
    read: ({ tallies }) => tallies.http.samples(),
  }),
  histogram("dayferry_http_request_duration_seconds", {
    labels: ["door"],
    help: "Response time, by entry point.",
    read: ({ tallies }) => tallies.httpLengths.spreads(),
  }),

  gauge("dayferry_event_loop_delay_seconds", {
    labels: ["which"],
    help: "Event loop delay of the last minutes: median, p99 and maximum.",
    status: "eventLoop",
    read({ loopDelay }) {
      const { p50Ms, p99Ms, longestMs } = loopDelay();
      return Object.entries({ median: p50Ms, p99: p99Ms, longest: longestMs }).map(
        ([which, ms]) => ({ labels: { which }, value: ms / 1000 }),
      );
    },
  }),
  gauge("dayferry_database_size_bytes", {
    help: "Size of the database.",
    status: "disk.databaseBytes",
    read: ({ disk }) => disk.databaseBytes,
  }),
  gauge("dayferry_database_wal_size_bytes", {
    help: "Size of the write-ahead log (WAL).",
    status: "disk.walBytes",
    read: ({ disk }) => disk.walBytes,
  }),
  gauge("dayferry_backup_age_seconds", {
    help: "Age of the newest good backup; age of the installation if there is none.",
    read({ now, backedUpAt }) {
      const at = backedUpAt();
      return at && now.since(at).total("seconds");
    },
  }),
  gauge("dayferry_disk_free_bytes", {
    help: "Free space on the disk of the data directory.",
    status: "disk.freeBytes",
    read: ({ disk }) => disk.freeBytes,
  }),
  gauge("dayferry_disk_size_bytes", {
    help: "Size of the disk of the data directory.",
    status: "disk.sizeBytes",
    read: ({ disk }) => disk.sizeBytes,
  }),

  gauge("process_start_time_seconds", {
    help: "Start time of the process, in seconds since 1970.",
    status: "startedAt",
    read: ({ process: { startedAt } }) => startedAt.epochMilliseconds / 1000,
  }),
  counter("process_cpu_seconds_total", {
    help: "CPU time of the process.",
    read: ({ process: { cpuSeconds } }) => cpuSeconds,
  }),
  gauge("process_resident_memory_bytes", {
    help: "Resident memory of the process.",
    read: ({ process: { residentBytes } }) => residentBytes,
  }),
  gauge("process_open_fds", {
    help: "Open file descriptors; absent if the system does not provide it.",
    read: ({ process: { openFiles } }) => openFiles,
  }),
  gauge("nodejs_heap_size_used_bytes", {
    help: "JavaScript heap in use.",
    read: ({ process: { heapBytes } }) => heapBytes,
  }),
];

const noLabels: MetricLabels = {};

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
