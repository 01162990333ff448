import { type IncomingCalendar, inEnglish, readCalendar } from "@dayferry/ical";
import type { ConfiguredSubscription } from "../../config/config.ts";
import { backOff, slightJitter } from "../../domain/backoff.ts";
import { fingerprint } from "../../domain/fingerprint.ts";
import { fail, ok, type Result } from "../../domain/result.ts";
import type { CalendarReader, FileReading } from "../../ics/read/calendar-reader.ts";
import type { FetchedCalendar, RemoteRequest } from "../../remote/fetch-calendar.ts";
import type { SubscriptionRow } from "../../store/rows/channel-rows.ts";
import { stored } from "../../texts/stored.ts";
import type { ItemsRequest } from "../intake/accept.ts";
import type { Acceptance, Plan } from "../intake/plan-answer.ts";
import { type ContextDeps, readContext } from "../intake/plan-part.ts";
import { type CalendarPlan, planCalendar, snapshotsUntilGone } from "./plan-snapshot-edits.ts";

/** The state of a subscribed calendar, for people and programs, without its URL. */
export type SubscriptionState = ReturnType<ReturnType<typeof createSubscription>["state"]>;

/** A configured remote calendar. Whether it may be in a private network only concerns fetching. */
export type SubscriptionOptions = Omit<ConfiguredSubscription, "allowPrivate">;

export interface SubscriptionDeps extends ContextDeps {
  readonly options: SubscriptionOptions;
  readonly acceptItems: (request: ItemsRequest) => Acceptance;
  readonly fetch: (request: RemoteRequest) => Promise<FetchedCalendar>;
  /** Calendars are parsed at once without it. */
  readonly reader?: CalendarReader;
  readonly clock: () => Temporal.Instant;
  /** 0 inclusive to 1 exclusive. */
  readonly random: () => number;
  /** True if the workspace was read, now or in an earlier run. Before that, everything would look unknown. */
  readonly known: () => boolean;
  readonly onEvent: (event: SubscriptionEvent) => void;
}

export type SubscriptionEvent =
  | { readonly kind: "began"; readonly name: string; readonly items: number }
  | { readonly kind: "changed"; readonly name: string; readonly edits: number }
  | { readonly kind: "failed"; readonly name: string; readonly problem: string }
  | { readonly kind: "recovered"; readonly name: string };

/**
 * Polls a remote calendar: changes between two complete snapshots become edits, stored in one transaction with the snapshot. An
 * incomplete response changes nothing, least of all does it delete items. It counts as a failed try, and the next one is
 * delayed.
 */
export function createSubscription(deps: SubscriptionDeps) {
  const { options, store, clock } = deps;
  const { subscriptions } = store;
  // The URL comes from a secret file, which may change.
  const open = () => subscriptions.open(options.name, fingerprint(options.url));

  return {
    name: options.name,
    /** Reads the calendar if it is due. */
    async step(signal: AbortSignal): Promise<"idle"> {
      const row = open();
      if (!deps.known() || isAfter(row.nextAt, clock())) return "idle";
      const unconditional = mustReadWhole(row, deps);
      const known = unconditional ? null : { etag: row.etag, lastModified: row.lastModified };
      const fetched = await deps.fetch({ url: options.url, known, signal });
      if (signal.aborted) return "idle";
      const read = await readNews(fetched, { row: open(), deps, unconditional });
      if (!signal.aborted) settleFetch(fetched, { row: open(), deps, unconditional, read });
      return "idle";
    },
    state() {
      const { name, attemptedAt, succeededAt, changedAt, nextAt, baselineAt, ...row } = open();
      const { failures, problem, notes } = row;
      const { project, person } = options;
      /** `new`: the calendar was not read yet. */
      const state: "new" | "watched" | "failing" =
        failures > 0 ? "failing" : baselineAt ? "watched" : "new";
      /** Number of items in the last snapshot. */
      const items = subscriptions.count(name);
      const times = { attemptedAt, succeededAt, changedAt, nextAt };
      return { name, project, person, state, items, ...times, failures, problem, notes };
    },
  };
}

const isAfter = (at: Temporal.Instant | null, now: Temporal.Instant): boolean =>
  at !== null && Temporal.Instant.compare(at, now) > 0;

/** True if the calendar must be read even if unchanged: nothing is known of it yet, or missing items wait to be confirmed. */
function mustReadWhole(row: SubscriptionRow, { options, store }: SubscriptionDeps): boolean {
  if (!row.baselineAt) return true;
  const isAwaited = ({ missing }: { readonly missing: number }) =>
    missing > 0 && missing < snapshotsUntilGone;
  return options.gone === "delete" && store.subscriptions.items(row.name).some(isAwaited);
}

interface Settling {
  readonly row: SubscriptionRow;
  readonly deps: SubscriptionDeps;
  readonly unconditional: boolean;
}

const printOf = (body: Uint8Array): string => fingerprint(Buffer.from(body).toString("latin1"));

/** Parses a calendar with possible changes while others run. */
async function readNews(
  fetched: FetchedCalendar,
  { row, deps, unconditional }: Settling,
): Promise<FileReading | undefined> {
  if (fetched.kind !== "calendar") return undefined;
  const isNew = unconditional || printOf(fetched.body) !== row.body;
  return isNew ? deps.reader?.file(fetched.body) : undefined;
}

/** Stores the result of the try and, for a complete calendar with possible changes, its edits. */
function settleFetch(
  fetched: FetchedCalendar,
  about: Settling & { readonly read: FileReading | undefined },
): void {
  const { row, deps, unconditional } = about;
  const { store } = deps;
  if (fetched.kind === "failed") {
    store.subscriptions.put(failedRow(fetched, { row, deps }));
    return;
  }
  if (fetched.kind === "unchanged") {
    store.subscriptions.put(succeededRow(row, deps));
    reportRecovery(row, deps);
    return;
  }
  const body = printOf(fetched.body);
  const { etag, lastModified } = fetched.validators;
  const good = { ...succeededRow(row, deps), etag, lastModified, body };
  if (body === row.body && !unconditional) {
    store.subscriptions.put(good);
    reportRecovery(row, deps);
    return;
  }
  const { zone } = deps;
  const read = wholeCalendar(about.read ?? readCalendar(fetched.body, { zone }));
  const taken = read.ok ? acceptSnapshot(read.value, good, deps) : read;
  if (taken.ok) {
    reportRecovery(row, deps);
    return;
  }
  store.subscriptions.put(failedRow({ problem: taken.failure, retryAfter: null }, { row, deps }));
}

/** The calendar of a response. Only one with items can be trusted to be complete. Fails with a sentence. */
function wholeCalendar(read: FileReading): Result<IncomingCalendar, string> {
  if (!read.ok) {
    const [first] = read.failure;
    const reason = first ? inEnglish(first.message) : "";
    return fail(stored("problem.calendar.incomplete", { reason }));
  }
  const { items, method } = read.value;
  if (method === "CANCEL") return fail(stored("problem.calendar.cancellation"));
  if (items.length > 0) return ok(read.value);
  return fail(stored("problem.calendar.empty"));
}

function acceptSnapshot(
  calendar: IncomingCalendar,
  row: SubscriptionRow,
  deps: SubscriptionDeps,
): Result<void, string> {
  const { options, store, clock } = deps;
  const before = row.baselineAt ? store.subscriptions.items(row.name) : null;
  const plan = planCalendar(calendar, {
    store,
    context: readContext(deps, "subscription"),
    projectId: options.project,
    policy: options,
    before,
    reissues: row.reissues,
    at: clock(),
  });
  const accepted = deps.acceptItems({
    calendar: { ...calendar, items: plan.items, ignored: [] },
    bases: plan.bases,
    channel: "subscription",
    actor: options.person,
    projectId: options.project,
    listId: null,
    dryRun: false,
    alongside: (answer) => storeSnapshot(answer, { plan, row, deps, isFirst: before === null }),
  });
  return accepted.kind === "plan"
    ? ok(undefined)
    : fail(accepted.errors.map(({ message }) => message).join("; "));
}

const mostNotes = 20;
/** Limit of these notes; the others describe the last change. */
const mostSkipped = 10;
/** Prefix of notes about unparsable parts of the present calendar. */
const skippedMark = "Skipped: ";

/** Stores the snapshot with its edits. Call inside their transaction. */
function storeSnapshot(
  answer: Plan,
  about: {
    readonly plan: CalendarPlan;
    readonly row: SubscriptionRow;
    readonly deps: SubscriptionDeps;
    readonly isFirst: boolean;
  },
): void {
  const { plan, row, deps, isFirst } = about;
  const { name } = row;
  const now = deps.clock();
  const edits = answer.items.filter(({ editId }) => editId !== null).length;
  const said = answer.items.flatMap(({ action, title, problems }) =>
    action === "unchanged"
      ? []
      : problems.map(({ message }) => `${JSON.stringify(title)}: ${message}`),
  );
  const notes = [...plan.notes, ...said];
  const isNew = isFirst || edits > 0 || notes.length > 0;
  const skipped = plan.skipped.map((what) => `${skippedMark}${what}`);
  const last = isNew ? notes : row.notes.filter((note) => !note.startsWith(skippedMark));
  deps.store.subscriptions.putItems(name, plan);
  deps.store.subscriptions.put({
    ...row,
    baselineAt: row.baselineAt ?? now,
    changedAt: isFirst || edits > 0 ? now : row.changedAt,
    notes: [...last.slice(0, mostNotes - Math.min(skipped.length, mostSkipped)), ...skipped].slice(
      0,
      mostNotes,
    ),
    reissues: row.reissues || plan.reissued,
  });
  if (isFirst) deps.onEvent({ kind: "began", name, items: plan.put.length });
  else if (edits > 0) deps.onEvent({ kind: "changed", name, edits });
}

/** `row`: as it was before the calendar was read. */
function reportRecovery(row: SubscriptionRow, { onEvent }: SubscriptionDeps): void {
  if (row.failures > 0) onEvent({ kind: "recovered", name: row.name });
}

/** The row after the calendar was read, or was unchanged. */
function succeededRow(
  row: SubscriptionRow,
  { options, clock, random }: SubscriptionDeps,
): SubscriptionRow {
  const now = clock();
  // Calendars on one host are not all fetched at the same moment.
  const seconds = options.every.total("seconds") * slightJitter(random());
  return {
    ...row,
    attemptedAt: now,
    succeededAt: now,
    nextAt: now.add({ milliseconds: Math.round(seconds * 1000) }),
    failures: 0,
    problem: null,
  };
}

/** Delay after the first failure. It grows up to the polling interval, so that recovery is noticed in time. */
const firstRetryDelay = Temporal.Duration.from({ seconds: 15 });
/** A Retry-After is respected up to this length, or the polling interval if longer. */
const longestRetryAfter = Temporal.Duration.from({ hours: 1 });

/** The row after a failed try: the next one is delayed further with each failure, up to the polling interval. */
function failedRow(
  {
    problem,
    retryAfter,
  }: { readonly problem: string; readonly retryAfter: Temporal.Duration | null },
  { row, deps }: { readonly row: SubscriptionRow; readonly deps: SubscriptionDeps },
): SubscriptionRow {
  const { options, clock, onEvent } = deps;
  const now = clock();
  const failures = row.failures + 1;
  const every = options.every.total("seconds");
  const wait = backOff(failures, { first: firstRetryDelay, ceiling: options.every }).total(
    "seconds",
  );
  const most = Math.max(longestRetryAfter.total("seconds"), every);
  const asked = Math.min(retryAfter?.total("seconds") ?? 0, most);
  if (row.problem !== problem) onEvent({ kind: "failed", name: row.name, problem });
  return {
    ...row,
    attemptedAt: now,
    nextAt: now.add({ milliseconds: Math.round(Math.max(wait, asked) * 1000) }),
    failures,
    problem,
  };
}
