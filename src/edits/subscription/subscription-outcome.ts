import type { PersonId, ProjectId } from "../../domain/ids.ts";
import type { Fetched, RemoteRequest } from "../../remote/fetch.ts";
import type { SubscriptionRow } from "../../store/rows/channels.ts";
import type { Acceptance, ItemsRequest } from "../intake/accept.ts";
import type { ContextDeps } from "../intake/context.ts";

export interface SubscriptionOptions {
  readonly name: string;
  /** Secret. */
  readonly url: string;
  readonly project: ProjectId;
  /** Whose edits these are; null = the account's. */
  readonly person: PersonId | null;
  readonly every: Temporal.Duration;
  readonly new: "ignore" | "create";
  readonly gone: "ignore" | "delete";
}

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
export function succeededRow(
  row: SubscriptionRow,
  { options, clock, random, onEvent }: SubscriptionDeps,
): SubscriptionRow {
  const now = clock();
  if (row.failures > 0) onEvent({ kind: "recovered", name: row.name });
  // Calendars of one host are not all asked in the same moment.
  const seconds = options.every.total("seconds") * (1 + random() / 10);
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
export function failedRow(
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
  const wait = Math.min(firstRest.total("seconds") * 2 ** Math.min(failures - 1, 20), every);
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
