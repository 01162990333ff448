import type { ConfiguredSubscription } from "../../config/config.ts";
import { backOff, slightJitter } from "../../domain/backoff.ts";
import { fingerprint } from "../../domain/fingerprint.ts";
import type { PersonId, ProjectId } from "../../domain/ids.ts";
import { fail, ok, type Result } from "../../domain/result.ts";
import { type IncomingCalendar, readCalendar } from "../../ics/read/calendar-object.ts";
import type { Fetched, RemoteRequest } from "../../remote/fetch-calendar.ts";
import type { SubscriptionRow } from "../../store/rows/channel-rows.ts";
import type { Acceptance, ItemsRequest, Plan } from "../intake/accept.ts";
import { type ContextDeps, readContext } from "../intake/file-context.ts";
import { planSnapshot, type SnapshotPlan, snapshotsUntilGone } from "./plan-snapshot-edits.ts";

/** A subscribed calendar for people and programs; nothing in it tells its address. */
export interface SubscriptionState
  extends Pick<
    SubscriptionRow,
    | "name"
    | "attemptedAt"
    | "succeededAt"
    | "changedAt"
    | "nextAt"
    | "failures"
    | "problem"
    | "notes"
  > {
  readonly project: ProjectId;
  readonly person: PersonId | null;
  /** `new`: it was not read yet. */
  readonly state: "new" | "watched" | "failing";
  /** How many items it last showed. */
  readonly items: number;
}

/** A remote calendar as a way in for edits. */
export interface Subscription {
  readonly name: string;
  /** Reads the calendar if it is due. */
  step(signal: AbortSignal): Promise<"idle">;
  state(): SubscriptionState;
}

const mostNotes = 20;

/**
 * Follows a remote calendar: what changes from one of its whole snapshots to the next becomes edits, stored in one
 * transaction with the snapshot. Whatever is no whole calendar says nothing about it, least of all that items are gone.
 */
export function createSubscription(deps: SubscriptionDeps): Subscription {
  const { options, store, clock } = deps;
  const { subscriptions } = store;
  const address = fingerprint(options.url);
  const open = () => subscriptions.open(options.name, address);

  return {
    name: options.name,
    async step(signal) {
      const row = open();
      if (!deps.known() || isLater(row.nextAt, clock())) return "idle";
      const asked = questions(row, deps);
      const known = asked.wholly ? null : { etag: row.etag, lastModified: row.lastModified };
      const fetched = await deps.fetch({ url: options.url, known, signal });
      if (!signal.aborted) take(fetched, { row: open(), deps, ...asked });
      return "idle";
    },
    state() {
      const { attemptedAt, succeededAt, changedAt, nextAt, failures, problem, notes, ...row } =
        open();
      return {
        name: row.name,
        project: options.project,
        person: options.person,
        state: failures > 0 ? "failing" : row.baselineAt ? "watched" : "new",
        items: subscriptions.count(row.name),
        attemptedAt,
        succeededAt,
        changedAt,
        nextAt,
        failures,
        problem,
        notes,
      };
    },
  };
}

const isLater = (at: Temporal.Instant | null, now: Temporal.Instant): boolean =>
  at !== null && Temporal.Instant.compare(at, now) > 0;

interface Questions {
  /** Whether the calendar must be read again although it may not have changed: items wait for being confirmed absent. */
  readonly wholly: boolean;
}

function questions(row: SubscriptionRow, { options, store }: SubscriptionDeps): Questions {
  if (!row.baselineAt) return { wholly: true };
  const isAwaited = ({ missing }: { readonly missing: number }) =>
    missing > 0 && missing < snapshotsUntilGone;
  const waits = options.gone === "delete" && store.subscriptions.items(row.name).some(isAwaited);
  return { wholly: waits };
}

interface Taking extends Questions {
  readonly row: SubscriptionRow;
  readonly deps: SubscriptionDeps;
}

/** Notes how the try ended and, for a whole calendar, takes over what it says. */
function take(fetched: Fetched, { row, deps, wholly }: Taking): void {
  const { store } = deps;
  if (fetched.kind === "failed") {
    store.subscriptions.put(failedRow(fetched, { row, deps }));
    return;
  }
  if (fetched.kind === "unchanged") {
    store.subscriptions.put(succeededRow(row, deps));
    return;
  }
  const body = fingerprint(Buffer.from(fetched.body).toString("latin1"));
  const { etag, lastModified } = fetched.validators;
  const good = { ...succeededRow(row, deps), etag, lastModified, body };
  if (body === row.body && !wholly) {
    store.subscriptions.put(good);
    return;
  }
  const read = readWhole(fetched.body, deps);
  const taken = read.ok ? takeSnapshot(read.value, { row: good, deps }) : read;
  if (taken.ok) return;
  store.subscriptions.put(failedRow({ problem: taken.failure, retryAfter: null }, { row, deps }));
}

/** Only a calendar that holds something can be trusted to be the whole one. Fails with a sentence. */
function readWhole(body: Uint8Array, { zone }: SubscriptionDeps): Result<IncomingCalendar, string> {
  const read = readCalendar(body, { zone });
  if (!read.ok) {
    const [first] = read.failure;
    return fail(`the answer is no whole calendar: ${first?.message ?? "it cannot be read"}`);
  }
  const { items, method } = read.value;
  if (method === "CANCEL") return fail("the answer is a cancellation, not a calendar");
  if (items.length > 0) return ok({ ...read.value, ignored: [] });
  return fail("the calendar holds nothing; that is not taken for a deletion");
}

function takeSnapshot(
  calendar: IncomingCalendar,
  { row, deps }: { readonly row: SubscriptionRow; readonly deps: SubscriptionDeps },
): Result<void, string> {
  const { options, store, clock } = deps;
  const before = row.baselineAt ? store.subscriptions.items(row.name) : null;
  const plan = planSnapshot(calendar, {
    store,
    context: readContext(deps, true),
    projectId: options.project,
    policy: options,
    before,
    reissues: row.reissues,
    at: clock(),
  });
  const accepted = deps.acceptItems({
    calendar: { ...calendar, items: plan.items },
    bases: plan.bases,
    channel: "subscription",
    actor: options.person,
    projectId: options.project,
    listId: null,
    dryRun: false,
    alongside: (answer) => remember(answer, { plan, row, deps, isFirst: before === null }),
  });
  return accepted.kind === "plan" ? ok(undefined) : fail(accepted.errors.map(messageOf).join("; "));
}

const messageOf = ({ message }: { readonly message: string }): string => message;

/** Belongs into the transaction that stores the edits. */
function remember(
  answer: Plan,
  about: {
    readonly plan: SnapshotPlan;
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
  deps.store.subscriptions.putItems(name, plan);
  deps.store.subscriptions.put({
    ...row,
    baselineAt: row.baselineAt ?? now,
    changedAt: isFirst || edits > 0 ? now : row.changedAt,
    notes: isNew ? notes.slice(0, mostNotes) : row.notes,
    reissues: row.reissues || plan.reissued,
  });
  if (isFirst) deps.onEvent({ kind: "began", name, items: plan.put.length });
  else if (edits > 0) deps.onEvent({ kind: "changed", name, edits });
}

/** A remote calendar as the configuration has it; who fetches it has heard whether its network is private. */
export type SubscriptionOptions = Omit<ConfiguredSubscription, "allowPrivate">;

export interface SubscriptionDeps extends ContextDeps {
  readonly options: SubscriptionOptions;
  readonly acceptItems: (request: ItemsRequest) => Acceptance;
  readonly fetch: (request: RemoteRequest) => Promise<Fetched>;
  readonly clock: () => Temporal.Instant;
  /** 0 inclusive to 1 exclusive. */
  readonly random: () => number;
  /** Whether the workspace was read, now or in an earlier run: before that, everything would look unknown. */
  readonly known: () => boolean;
  readonly onEvent: (event: SubscriptionEvent) => void;
}

export type SubscriptionEvent =
  | { readonly kind: "began"; readonly name: string; readonly items: number }
  | { readonly kind: "changed"; readonly name: string; readonly edits: number }
  | { readonly kind: "failed"; readonly name: string; readonly problem: string }
  | { readonly kind: "recovered"; readonly name: string };

/** The rest after the first failure; it grows up to the usual rest between two readings, so that no outage outlasts itself. */
const firstRest = Temporal.Duration.from({ seconds: 15 });
/** A host that asks for a rest gets it, but not for ever. */
const longestAsked = Temporal.Duration.from({ hours: 1 });

/** The row after the calendar was read, or found to be what it was. */
function succeededRow(
  row: SubscriptionRow,
  { options, clock, random, onEvent }: SubscriptionDeps,
): SubscriptionRow {
  const now = clock();
  if (row.failures > 0) onEvent({ kind: "recovered", name: row.name });
  // Calendars of one host are not all asked in the same moment.
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

/** The row after a try that says nothing about the calendar: the next one is put off further and further, up to the usual rest. */
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
  const wait = backOff(failures, { first: firstRest, ceiling: options.every }).total("seconds");
  const most = Math.max(longestAsked.total("seconds"), every);
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
