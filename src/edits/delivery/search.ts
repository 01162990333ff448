import type { Edit } from "../../domain/journal.ts";
import type { Source } from "../../domain/source.ts";
import type { Settlement } from "../../store/journal/journal.ts";
import { isReadSince } from "../../store/mirror/sources.ts";
import type { SourceState } from "../../store/rows/sources.ts";
import type { Errand, Outcome } from "./errand.ts";
import { again } from "./settle.ts";

/** How long the lists are given to show where a task was moved to. */
const patience = Temporal.Duration.from({ seconds: 20 });
/** So many lists are asked for at once: each is a request of the quota that everybody shares. */
const mostHurried = 25;
const mostSearches = 1000;
const mostNamed = 3;

/**
 * Looks for a task that is not in its list, and may have been moved to any other. Null when all lists have been read as a
 * whole since it was missed and none shows it; else the edit waits for them, and for a person once nothing more can be
 * learnt: when the service refuses all lists that are left, or after a day of tries.
 */
export function searchLists(errand: Errand): Outcome | null {
  const { edit, store, now, random, onMissing } = errand;
  const { missedAt } = edit;
  const lists = store.sources.all().filter(mayTell);
  const unread = lists.filter((list) => !missedAt || !isReadSince(missedAt, list));
  if (missedAt && unread.length === 0) return null;
  if (missedAt && areRefused(unread, missedAt) && isAnswering(store.sources.all(), missedAt)) {
    return { kind: "settled", settlement: giveUp(unread) };
  }
  if (!missedAt) store.journal.missing(edit.id, true);
  onMissing(edit, nearestOf(edit, unread));
  const { attempts, createdAt } = edit;
  const trial = { attempts, createdAt, now, random };
  const settlement = again(describe(edit, { lists, unread }), { trial, retryAfter: patience });
  return { kind: "settled", settlement };
}

/** Asks anew for the lists for which edits wait: that they were asked for is forgotten with the process. */
export function searchOn({ store, onMissing }: Pick<Errand, "store" | "onMissing">): void {
  for (const edit of store.journal.list({ state: "pending", limit: mostSearches })) {
    const { missedAt } = edit;
    if (!missedAt) continue;
    const unread = store.sources
      .all()
      .filter((list) => mayTell(list) && !isReadSince(missedAt, list));
    onMissing(edit, nearestOf(edit, unread));
  }
}

/** As `searchLists`, for an item that was there a moment ago and is not any more; null for an event, which is moved by nobody. */
export const searchAnew = (errand: Errand): Outcome | null =>
  errand.edit.base.kind === "event"
    ? null
    : searchLists({ ...errand, edit: { ...errand.edit, missedAt: null } });

/** Where a task may be, and what names the places where one may be; a look-up that the service does not offer says nothing. */
const mayTell = ({ source: { kind }, succeededAt }: SourceState): boolean =>
  kind === "tasks" || ((kind === "todolists" || kind === "projects") && succeededAt !== null);

/** Refused again after a first refusal, and after the task was missed: one refusal alone may be a mistake. */
const areRefused = (lists: readonly SourceState[], missedAt: Temporal.Instant): boolean =>
  lists.every(
    ({ refusedAt, attemptedAt }) =>
      refusedAt !== null &&
      attemptedAt !== null &&
      Temporal.Instant.compare(attemptedAt, refusedAt) > 0 &&
      Temporal.Instant.compare(attemptedAt, missedAt) > 0,
  );

/** Where nothing at all can be read it is the key that is refused, which says nothing about a list. */
const isAnswering = (sources: readonly SourceState[], missedAt: Temporal.Instant): boolean =>
  sources.some((source) => isReadSince(missedAt, source));

function giveUp(unread: readonly SourceState[]): Settlement {
  const names = unread.slice(0, mostNamed).map(({ name, failure }) => `${name} (${failure})`);
  const rest = unread.length > mostNamed ? ` and ${unread.length - mostNamed} more` : "";
  const problem = `the task is not in its list any more, and the service refuses ${names.join(", ")}${rest}, so that nobody can tell whether it was moved`;
  return { kind: "park", reason: "refused", problem };
}

const nearestOf = (edit: Edit, unread: readonly SourceState[]): readonly string[] =>
  unread
    .toSorted(nearFirst(edit))
    .map(({ name }) => name)
    .slice(0, mostHurried);

const nearFirst =
  ({ base: { projectId } }: Edit) =>
  ({ source: a }: SourceState, { source: b }: SourceState): number => {
    const isFar = (source: Source) => "projectId" in source && source.projectId !== projectId;
    return Number(isFar(a)) - Number(isFar(b));
  };

function describe(
  { missedAt }: Edit,
  { lists, unread }: Readonly<Record<"lists" | "unread", readonly SourceState[]>>,
): string {
  const what =
    "the task is not in its list any more; the other lists are read to see whether it was moved";
  if (!missedAt) return what;
  const failing = unread.filter(({ failure }) => failure !== null);
  const [first] = failing;
  const why = first ? ` (${first.name}: ${first.failure})` : "";
  return `${what}, and ${unread.length} of ${lists.length} lists have not been read as a whole since${why}`;
}
