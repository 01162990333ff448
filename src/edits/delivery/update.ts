import type { Edit, FieldConflict } from "../../domain/edit.ts";
import type { ServiceId } from "../../domain/ids.ts";
import type { Item } from "../../domain/item.ts";
import { fieldsOf, type Patch, valuesOf } from "../../domain/patch.ts";
import { ok, type Result } from "../../domain/result.ts";
import { changedFields, differingFields, sameShown } from "../../domain/sameness.ts";
import { type Source, sourceOf } from "../../domain/source.ts";
import { describeConflicts } from "../../domain/three-way.ts";
import type { Settlement } from "../../store/journal/journal.ts";
import { isReadSince } from "../../store/mirror/sources.ts";
import type { SourceState } from "../../store/rows/source-rows.ts";
import type { Failure } from "../../upstream/failure.ts";
import { namesOf } from "../field-changes.ts";
import {
  type Attempt,
  addressOf,
  goneItem,
  isMissing,
  isTakenBack,
  type Outcome,
  untold,
} from "./attempt.ts";
import { lookBeyond } from "./find-moved.ts";
import { type ItemAddress, send } from "./item-calls.ts";
import { baseOf, describeConflict, mergeEdit } from "./merge-edit.ts";
import { moveEvent, recallMove, resumeMove } from "./move-event.ts";
import { followTask, lookThere, moveTask } from "./move-task.ts";
import { again } from "./settle.ts";

/**
 * Deletes the item; one that is not there any more counts as deleted. What somebody has changed since the editor saw it
 * is deleted, kept, or waits, as the policy says.
 */
export async function carryOutDelete(attempt: Attempt): Promise<Outcome> {
  const { edit, store, policy, calls } = attempt;
  const meeting = await meet(attempt);
  if (meeting.kind === "ended") return meeting.outcome;
  if (meeting.kind === "gone") {
    const { failure } = meeting;
    return isMissing(failure) ? { kind: "done", answer: null } : { kind: "failed", failure };
  }
  const { spot, ours } = meeting;
  const sides = { base: baseOf(attempt, ours), ours: valuesOf(ours), theirs: {} };
  const taken = policy === "ask" ? null : policy;
  const conflicts = describeConflicts(differingFields(sides.base, sides.ours, sameShown), {
    ...sides,
    taken,
  });
  if (conflicts.length > 0 && taken !== "theirs") return yieldTo(ours, { attempt, conflicts });
  if (isTakenBack(edit, store)) return { kind: "taken-back" };
  store.journal.leaving(edit.id, ours);
  const deleted = await calls.delete(spot);
  if (deleted.ok) return { kind: "done", answer: null, conflicts };
  if (isMissing(deleted.failure)) {
    return searchAnew(attempt) ?? { kind: "done", answer: null, conflicts };
  }
  return { kind: "failed", failure: deleted.failure };
}

/**
 * Merges the edit into what the service has now, and sends what is left: a move first, then the changed fields, then the
 * completion, which is a request of its own. Nothing is sent when the service has it all.
 */
export async function carryOutUpdate(attempt: Attempt): Promise<Outcome> {
  const { edit, store } = attempt;
  const resumed = await resumeMove(attempt);
  if (resumed) return resumed;
  const meeting = await meet(attempt);
  if (meeting.kind === "ended") return meeting.outcome;
  const recalled = await recallMove(attempt, meeting.kind === "met" ? meeting.ours : null);
  if (recalled) return recalled;
  if (meeting.kind === "gone") return withoutItem(meeting.failure, attempt);
  const { spot, ours } = meeting;
  const { sides, patch, yields, ...merged } = mergeEdit(attempt, ours);
  const conflicts = edit.restores ? [] : merged.conflicts;
  if (yields && edit.restores) return { kind: "done", answer: ours };
  if (yields) return yieldTo(ours, { attempt, conflicts });
  const full = await withNewLabels(patch, { attempt, ours: sides.ours });
  if (!full.ok) return { kind: "failed", failure: full.failure };
  if (fieldsOf(full.value).length === 0) return { kind: "done", answer: ours, conflicts };
  store.journal.leaving(edit.id, ours);
  const outcome = await carryOver(attempt, { spot, ours, patch: full.value });
  return outcome.kind === "done" ? { ...outcome, conflicts } : outcome;
}

/** An item that is only hidden while a move of it may have been made is asked for again. */
const withoutItem = (failure: Failure, attempt: Attempt): Outcome =>
  attempt.edit.patch.place && attempt.edit.sentAt !== null && !isMissing(failure)
    ? untold(failure, attempt)
    : goneItem(failure);

/** Sends what is left of the edit; to another place with a move. */
async function carryOver(
  attempt: Attempt,
  sending: { readonly spot: ItemAddress; readonly ours: Item; readonly patch: Patch },
): Promise<Outcome> {
  const { spot, ours, patch } = sending;
  const { place } = patch;
  if (place && ours.kind === "event") {
    return moveEvent(attempt, { ours: { ...ours, id: spot.id }, patch });
  }
  if (place) return moveTask(attempt, { spot, ours, patch, place });
  const sent = await send(attempt, { spot, patch });
  if (sent.ok) return { kind: "done", answer: sent.value };
  return isMissing(sent.failure)
    ? (searchAnew(attempt) ?? goneItem(sent.failure))
    : { kind: "failed", failure: sent.failure };
}

/** The workspace keeps what it has: for good, or until a person has decided. */
function yieldTo(
  before: Item,
  {
    attempt,
    conflicts,
  }: { readonly attempt: Attempt; readonly conflicts: readonly FieldConflict[] },
): Outcome {
  const { edit, store } = attempt;
  const problem = describeConflict({ action: edit.action, conflicts }, namesOf(store)) ?? "";
  const clash = { before, conflicts };
  const isOpen = conflicts.some(({ taken }) => taken === null);
  const settlement = isOpen
    ? ({ kind: "park", reason: "conflict", problem, clash } as const)
    : ({ kind: "discard", problem, clash } as const);
  return { kind: "settled", settlement };
}

/** The patch with the ids of the labels that were created for the edit, unless the item has them all. */
async function withNewLabels(
  patch: Patch,
  { attempt, ours }: { readonly attempt: Attempt; readonly ours: Patch },
): Promise<Result<Patch, Failure>> {
  if (attempt.edit.newLabels.length === 0) return ok(patch);
  const made = await attempt.makeLabels();
  if (!made.ok) return made;
  const labels = [...new Set([...(patch.labels ?? ours.labels ?? []), ...made.value])];
  return ok({ ...patch, ...changedFields(ours, { labels }) });
}

/** What the service has of an item right now. */
type Meeting =
  | { readonly kind: "met"; readonly spot: ItemAddress; readonly ours: Item }
  /** Not there, or not for this person's eyes; it was not moved either, as far as the mirror knows. */
  | { readonly kind: "gone"; readonly failure: Failure }
  | { readonly kind: "ended"; readonly outcome: Outcome };

/**
 * Reads the item that an edit is about to change. A task that is not in its list may have been moved: the lists are
 * asked for, and the edit waits until all have been read before it takes the item for gone.
 */
async function meet(attempt: Attempt): Promise<Meeting> {
  const spot = addressOf(attempt);
  const found = await attempt.calls.get(spot);
  if (found.ok) {
    if (attempt.edit.missedAt) attempt.store.journal.missing(attempt.edit.id, false);
    notice(attempt, { ...found.value, id: spot.id });
    return { kind: "met", spot, ours: found.value };
  }
  const { failure } = found;
  const isHidden = failure.kind === "refused" && failure.status === 403;
  if (!isMissing(failure) && !isHidden)
    return { kind: "ended", outcome: { kind: "failed", failure } };
  const there = await lookThere(attempt, spot);
  if (there?.kind === "ended") return there;
  if (there) return meetThere(attempt, { item: there.item, id: there.item.id ?? spot.id });
  const { action, before, missedAt } = attempt.edit;
  // A deletion that was sent before and whose answer was lost has worked.
  const isSent = action === "delete" && before !== null && missedAt === null;
  const isOwnDoing = isSent && isMissing(failure);
  if (spot.item.kind === "event" || isOwnDoing) return { kind: "gone", failure };
  const search = searchLists(attempt);
  if (search) return { kind: "ended", outcome: search };
  // What is not gone for certain must not be taken for deleted; a change of it waits for a person in any case.
  if (action !== "delete" || isHidden) return { kind: "gone", failure };
  const beyond = await lookBeyond(attempt, spot);
  if (beyond.kind === "nowhere") return { kind: "gone", failure };
  if (beyond.kind === "ended") return beyond;
  return { kind: "met", spot: { item: beyond.item, id: spot.id }, ours: beyond.item };
}

/** The task is where the edit takes it: somebody has moved it there, or a request of ours whose answer was lost. */
function meetThere({ edit, store }: Attempt, spot: ItemAddress): Meeting {
  const now = { ...spot.item, id: spot.id };
  store.together(() => followTask(edit.item, { now, store }));
  return { kind: "met", spot, ours: now };
}

/** What is read of an item under watch may be the work of a late request, which is judged when it is stored. */
function notice({ edit, store }: Attempt, ours: Item & { readonly id: ServiceId }): void {
  if (store.unanswered.ofItem(edit.item).length > 0) store.mirror.put(ours, sourceOf(ours));
}

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
function searchLists(attempt: Attempt): Outcome | null {
  const { edit, store, now, random, onMissing } = attempt;
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
export function searchOn({ store, onMissing }: Pick<Attempt, "store" | "onMissing">): void {
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
const searchAnew = (attempt: Attempt): Outcome | null =>
  attempt.edit.base.kind === "event"
    ? null
    : searchLists({ ...attempt, edit: { ...attempt.edit, missedAt: null } });

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
