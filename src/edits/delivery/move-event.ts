import { isRecent } from "../../domain/backoff.ts";
import { settlingTime } from "../../domain/eventual.ts";
import type { ServiceId } from "../../domain/ids.ts";
import { canComplete, type Item } from "../../domain/item.ts";
import {
  applyPatch,
  fieldsOf,
  type Patch,
  type PatchField,
  pick,
  valuesOf,
  without,
} from "../../domain/patch.ts";
import { changedFields, differingFields, sameShown } from "../../domain/sameness.ts";
import { sourceOf } from "../../domain/source.ts";
import { describeConflicts } from "../../domain/three-way.ts";
import { stored } from "../../texts/stored.ts";
import { describeFailure, type Failure, isMissing } from "../../upstream/failure.ts";
import { emptied, spokenFields } from "../field-changes.ts";
import {
  type Attempt,
  type AttemptEnding,
  failed,
  isRefusal,
  itemAddressOf,
  parkAsGone,
  parked,
  postponed,
  progressUnknown,
  retried,
} from "./attempt.ts";
import { lookUp } from "./find-created.ts";
import { complete, send } from "./item-calls.ts";
import { mergeEdit } from "./merge-edit.ts";

type Identified = Item & { readonly id: ServiceId };

/**
 * Moves an event to another project. The service cannot do that: the event is created there, then deleted here, and keeps key
 * and UID. The new event is stored before the old one is touched.
 */
export async function moveEvent(
  attempt: Attempt,
  { ours, patch }: { readonly ours: Identified; readonly patch: Patch },
): Promise<AttemptEnding> {
  const { calls } = attempt;
  const wished = applyPatch(ours, patch);
  const fields = without(spokenFields(wished), "completed");
  const created = await calls.create(wished, { patch: fields, files: [] });
  if (!created.ok) return failed(created.failure);
  return settleIn(attempt, ours, created.value);
}

/** Continues a move of an event whose creation is known; null if there is none. */
export async function resumeMove(attempt: Attempt): Promise<AttemptEnding | null> {
  const { edit, store, calls } = attempt;
  const old = leftBehind(attempt);
  const known = store.mirror.identity(edit.item).serviceId;
  if (!old || known === null || known === old.id) return null;
  const address = itemAddressOf(attempt);
  const found = await calls.get(address);
  if (found.ok) return finish(attempt, { old, now: { ...found.value, id: address.id } });
  if (!isMissing(found.failure)) return progressUnknown(found.failure, attempt);
  const madeAt = edit.resentAt ?? edit.sentAt;
  const isNew = madeAt !== null && isRecent(madeAt, { length: settlingTime, now: attempt.now });
  return isNew
    ? failed({ kind: "outdated", request: `GET event ${known}` })
    : parkAsGone(found.failure);
}

/**
 * Looks for the event that an earlier try may have created in the new project, and continues with it; null if there is none.
 * `ours`: the old one's present state; null if it is gone.
 */
export async function recallMove(
  attempt: Attempt,
  ours: Item | null,
): Promise<AttemptEnding | null> {
  const { sentAt, resentAt, actor } = attempt.edit;
  const old = leftBehind(attempt);
  if (!old || sentAt === null) return null;
  const there = ours ?? old;
  const wished = applyPatch(there, mergeEdit(attempt, there).patch);
  const found = await lookUp({ wished, sentAt, resentAt, actor }, attempt);
  if (found.kind === "ended") return found.ending;
  return found.kind === "one" ? settleIn(attempt, old, found.item) : null;
}

/** The event in its old project when the edit's creating request was sent. */
function leftBehind({ edit: { patch, before, sentAt } }: Attempt): Identified | null {
  if (!patch.place || before?.kind !== "event" || before.id === null || !sentAt) return null;
  return { ...before, id: before.id };
}

/** The event exists in its new project, and is shown there from now on. */
async function settleIn(attempt: Attempt, old: Identified, created: Item): Promise<AttemptEnding> {
  const { edit, store } = attempt;
  const { id } = created;
  if (id === null) return stuck(stored("problem.noNewId"));
  const isDone = edit.patch.completed ?? old.completed;
  const full =
    isDone && canComplete(created) && !created.completed
      ? await complete(attempt.calls, { address: { item: created, id }, completed: true })
      : null;
  const now = { ...(full?.ok ? full.value : created), id };
  store.together(() => {
    store.mirror.adopt(edit.item, id);
    store.mirror.put(now, sourceOf(now));
  });
  return full && !full.ok ? failed(full.failure) : finish(attempt, { old, now });
}

interface Both {
  /** As read before a creating request, perhaps an earlier one than the one that succeeded. */
  readonly old: Identified;
  readonly now: Identified;
}

/** Applies what somebody has changed of the old event meanwhile, and deletes it. */
async function finish(attempt: Attempt, { old, now }: Both): Promise<AttemptEnding> {
  const { calls, edit } = attempt;
  const left = await calls.get({ item: old, id: old.id });
  if (!left.ok && !isMissing(left.failure)) {
    const why = `${describeRest(left.failure, old)}; it is in project ${now.projectId} as well`;
    return isRefusal(left.failure) ? retried(why, attempt) : failed(left.failure);
  }
  const at = left.ok ? left.value : old;
  const crossed = crossedSince(at, { old, wish: edit.patch });
  const taken = attempt.policy === "ours" ? "ours" : "theirs";
  const kept = taken === "ours" ? crossed : [];
  const made = madeAs(attempt, { old, now });
  const news = {
    // `old` may be from an earlier try than the one that created the new event, so one that is gone says nothing.
    ...(left.ok && lateChanges(at, { made, now, wish: edit.patch, kept })),
    ...lateCompletion(edit.patch.completed ?? at.completed, now),
  };
  const sent =
    fieldsOf(news).length > 0
      ? await send(attempt.calls, { address: { item: now, id: now.id }, patch: news })
      : null;
  if (sent && !sent.ok) return failed(sent.failure);
  const deleted = await calls.delete({ item: old, id: old.id });
  if (!deleted.ok && !isMissing(deleted.failure)) {
    const late = deletionUnderWay(attempt, old);
    if (late && isRefusal(deleted.failure))
      return postponed(late, describeRest(deleted.failure, old));
    return left.ok && isRefusal(deleted.failure) && !isKeyRefused(deleted.failure)
      ? takeBack(attempt, { old: { ...left.value, id: old.id }, now, failure: deleted.failure })
      : failed(deleted.failure);
  }
  const sides = { base: valuesOf(old), ours: valuesOf(at), theirs: edit.patch, taken } as const;
  const conflicts = describeConflicts(crossed, sides);
  const answer = sent ? sent.value : now;
  return { kind: "done", answer, ...(conflicts.length > 0 && { conflicts }) };
}

/**
 * Fields of the old event that somebody has changed since the creating request was sent, and that the edit sets differently.
 */
function crossedSince(
  left: Item,
  { old, wish }: { readonly old: Item; readonly wish: Patch },
): readonly PatchField[] {
  const [was, is] = [valuesOf(old), valuesOf(left)];
  const spoken = fieldsOf(wish).filter((field) => field !== "place" && field !== "completed");
  return spoken.filter((field) => !sameShown(field, was, is) && !sameShown(field, is, wish));
}

/** Until when a request without an answer may still delete the old event, so that the new one must not be removed. */
function deletionUnderWay(
  { edit, store, clock }: Attempt,
  { id }: Identified,
): Temporal.Instant | null {
  const late = store.unanswered
    .ofItem(edit.item)
    .filter(({ act, serviceId }) => act === "delete" && serviceId === id)
    .map(({ inFlightUntil }) => inFlightUntil)
    .filter((until) => Temporal.Instant.compare(until, clock()) > 0);
  return late.toSorted((a, b) => Temporal.Instant.compare(b, a))[0] ?? null;
}

/** True if the service refuses the key, which says nothing about the event: the move continues once it is accepted again. */
const isKeyRefused = (failure: Failure): boolean =>
  failure.kind === "refused" && failure.status === 401;

/** Values of the new event as it was created: of the request that it resembles most. */
function madeAs({ edit, store }: Attempt, { old, now }: Both): Patch {
  const unspoken = emptied(valuesOf(old));
  const [first = valuesOf(applyPatch(old, edit.patch)), ...others] = store.attempts
    .createdWith(edit.id)
    .map((patch) => ({ ...unspoken, ...patch }));
  const distance = (made: Patch) => differingFields(made, valuesOf(now), sameShown).length;
  return others.reduce((best, one) => (distance(one) < distance(best) ? one : best), first);
}

/**
 * What the new event lacks of the old one's present state, besides the edit's own changes, limited to `kept` fields. What
 * somebody has changed of the new one stays, and if that made it private, nobody else is assigned.
 */
function lateChanges(
  left: Item,
  {
    made,
    now,
    wish,
    kept,
  }: Pick<Both, "now"> & {
    readonly made: Patch;
    readonly wish: Patch;
    readonly kept: readonly PatchField[];
  },
): Patch {
  const [was, is, got] = [made, valuesOf(left), valuesOf(now)];
  const isHidden = got.private === true && was.private !== true;
  const moved = differingFields(was, is, sameShown)
    .filter((field) => field !== "place" && field !== "completed")
    .filter((field) =>
      wish[field] === undefined ? sameShown(field, was, got) : kept.includes(field),
    )
    .filter((field) => !(isHidden && field === "assigned"));
  return changedFields(got, pick(is, moved));
}

const lateCompletion = (completed: boolean, now: Item): Patch =>
  canComplete(now) && completed !== now.completed ? { completed } : {};

/** The old event may not be deleted, so the new one is, to avoid a duplicate. */
async function takeBack(
  { edit, store, calls }: Attempt,
  { old, now, failure }: Both & { readonly failure: Failure },
): Promise<AttemptEnding> {
  const why = describeRest(failure, old);
  const taken = await calls.delete({ item: now, id: now.id });
  if (!taken.ok && !isMissing(taken.failure)) {
    return stuck(`${why}; it is in project ${now.projectId} as well, and stays there`);
  }
  store.together(() => {
    store.mirror.adopt(edit.item, old.id);
    store.mirror.put(old, sourceOf(old));
  });
  return stuck(why);
}

const describeRest = (failure: Failure, { projectId }: Item): string =>
  stored("problem.notRemoved", { project: projectId, failure: describeFailure(failure) });

const stuck = (problem: string): AttemptEnding => parked("refused", problem);
