import type { Edit } from "../../domain/edit.ts";
import { type ServiceId, serviceId } from "../../domain/ids.ts";
import type { Item } from "../../domain/item.ts";
import { applyPatch, fieldsOf, type Patch, valuesOf, without } from "../../domain/patch.ts";
import { ok, type Result } from "../../domain/result.ts";
import { changedFields, differingFields, looksAlike, sameShown } from "../../domain/sameness.ts";
import { sourceOf } from "../../domain/source.ts";
import { describeConflicts } from "../../domain/three-way.ts";
import { stored } from "../../texts/stored.ts";
import { type Failure, isMissing } from "../../upstream/failure.ts";
import {
  type Attempt,
  type AttemptEnding,
  besideItsTask,
  cancelledCreation,
  endingOf,
  failed,
  parkAsGone,
  postponed,
  progressUnknown,
} from "./attempt.ts";
import { lookUp } from "./find-created.ts";
import { findMoved } from "./find-moved.ts";
import { complete, type ItemAddress, send } from "./item-calls.ts";

/** How long an edit waits for one that creates a look-alike. */
const rivalWait = Temporal.Duration.from({ seconds: 1 });

/**
 * Creates the item once. After a request without an answer, the lists are read before anything is sent, and an item that was
 * created is adopted. Look-alikes are created one after the other, so that a lost one can be identified.
 */
export async function carryOutCreate(given: Attempt): Promise<AttemptEnding> {
  const base = besideItsTask(given.edit.base, given.store);
  const attempt = { ...given, edit: { ...given.edit, base } };
  const { edit, store, calls, now } = attempt;
  const known = store.mirror.identity(edit.item).serviceId;
  if (known !== null) {
    const resumed = await resume(attempt, serviceId(known));
    if (resumed !== "gone") return resumed;
    // An old id of an item to be recreated; nothing was sent for it.
    store.mirror.clearServiceId(edit.item, edit.base.kind);
  }
  const early = edit.sentAt === null ? cancelledCreation(edit, store, now) : null;
  if (early) return early;

  const patch = await fullPatch(attempt);
  if (!patch.ok) return failed(patch.failure);
  const rival = findRival(attempt);
  if (rival) return waitFor(rival, now);
  if (edit.sentAt) {
    const wished = applyPatch(edit.base, patch.value);
    const { sentAt, resentAt, actor } = edit;
    const found = await lookUp({ wished, sentAt, resentAt, actor }, attempt);
    if (found.kind === "ended") return found.ending;
    if (found.kind === "one") return adoptFound(attempt, { wished, found: found.item });
  }
  const files = await attempt.uploadFiles();
  if (!files.ok) return failed(files.failure);
  const late = cancelledCreation(edit, store, attempt.clock());
  if (late) return late;
  const wish = { patch: without(patch.value, "completed"), files: files.value };
  const created = await calls.create(edit.base, wish);
  return created.ok ? adopt(attempt, created.value) : failed(created.failure);
}

/**
 * Adopts the item that a lost request created. Differences were made by someone else since. They are kept, and conflict with
 * later edits.
 */
async function adoptFound(
  attempt: Attempt,
  { wished, found }: { readonly wished: Item; readonly found: Item },
): Promise<AttemptEnding> {
  const ending = await adopt(attempt, found);
  if (ending.kind !== "done" || (looksAlike(found, wished) && !isChanged(found))) return ending;
  const [theirs, ours] = [valuesOf(wished), valuesOf(found)];
  const fields = differingFields(theirs, ours, sameShown).filter((field) => field !== "completed");
  const sides = { base: theirs, ours, theirs, taken: "ours" } as const;
  return { ...ending, conflicts: describeConflicts(fields, sides) };
}

const isChanged = ({ createdAt, updatedAt }: Item): boolean =>
  createdAt !== null && updatedAt !== null && Temporal.Instant.compare(updatedAt, createdAt) > 0;

/** The item exists; only its completion is left. Its id is stored first, so that it is never created twice. */
async function adopt(attempt: Attempt, created: Item): Promise<AttemptEnding> {
  const { edit, store } = attempt;
  const { id } = created;
  if (id === null || edit.patch.completed !== true || created.completed) {
    return { kind: "done", answer: created };
  }
  store.together(() => {
    store.mirror.adopt(edit.item, id);
    store.mirror.put({ ...created, id }, sourceOf(created));
  });
  return finish(attempt, created, id);
}

async function finish(attempt: Attempt, created: Item, id: ServiceId): Promise<AttemptEnding> {
  if (attempt.edit.patch.completed !== true || created.completed) {
    return { kind: "done", answer: created };
  }
  const address = { item: created, id };
  const completed = await complete(attempt.calls, { address, completed: true });
  return endingOf(completed);
}

/** An interrupted earlier try created the item; or, if nothing was sent yet, it is the item before its deletion. */
async function resume(attempt: Attempt, id: ServiceId): Promise<AttemptEnding | "gone"> {
  const { edit, store, calls } = attempt;
  const { kind } = store.mirror.identity(edit.item);
  const mirrored = store.mirror.get(edit.item)?.item;
  // Tasks and subtasks may have the same ids.
  if (!mirrored && kind !== edit.base.kind) return "gone";
  const address = { item: mirrored ?? edit.base, id };
  const found = await calls.get(address);
  if (found.ok) {
    if (edit.missedAt) store.journal.missing(edit.id, false);
    const isFormer = edit.sentAt === null && edit.undoes === null;
    const there = { item: found.value, id };
    return isFormer
      ? updateKept(attempt, there)
      : adoptFound(attempt, { wished: wishedBeside(edit, there.item), found: there.item });
  }
  const { failure } = found;
  if (edit.sentAt === null) return isMissing(failure) ? "gone" : failed(failure);
  if (!isMissing(failure)) return progressUnknown(failure, attempt);
  // Somebody may have moved it since.
  const moved = await findMoved(attempt, address, failure);
  if (moved.kind === "ended") return moved.ending;
  if (moved.kind === "gone") return parkAsGone(failure);
  return finish(attempt, moved.ours, id);
}

/** The item that a creation asked for. New labels have no id in the edit, so they are taken from the item that was found. */
function wishedBeside({ base, patch, newLabels }: Edit, found: Item): Item {
  const { labels = [] } = valuesOf(found);
  return applyPatch(base, newLabels.length > 0 ? { ...patch, labels } : patch);
}

/** The item to be recreated still exists: it is updated instead. */
async function updateKept(attempt: Attempt, address: ItemAddress): Promise<AttemptEnding> {
  const full = await fullPatch(attempt);
  if (!full.ok) return failed(full.failure);
  const patch = changedFields(valuesOf(address.item), full.value);
  if (fieldsOf(patch).length === 0) return { kind: "done", answer: address.item };
  const sent = await send(attempt.calls, { address, patch });
  return endingOf(sent);
}

/** The edit's patch with the ids of its new labels. */
async function fullPatch({ edit, createLabels }: Attempt): Promise<Result<Patch, Failure>> {
  if (edit.newLabels.length === 0) return ok(edit.patch);
  const made = await createLabels();
  if (!made.ok) return made;
  const labels = [...new Set([...(edit.patch.labels ?? []), ...made.value])];
  return ok({ ...edit.patch, labels });
}

/** Another creation of a look-alike with an open result, which goes first. */
function findRival({ edit, store }: Attempt): Edit | null {
  const rival = store.journal.openCreations().find((other) => {
    const goesFirst = edit.sentAt === null || other.id < edit.id;
    const isOpen = other.id !== edit.id && other.state !== "parked";
    return isOpen && goesFirst && looksAlike(other.base, edit.base);
  });
  return rival ?? null;
}

function waitFor(rival: Edit, now: Temporal.Instant): AttemptEnding {
  const problem = stored("problem.rival", { edit: rival.id });
  const next = rival.notBefore ?? now;
  const from = Temporal.Instant.compare(next, now) > 0 ? next : now;
  return postponed(from.add(rivalWait), problem);
}
