import { type ServiceId, serviceId } from "../../domain/ids.ts";
import type { Item } from "../../domain/item.ts";
import type { Edit } from "../../domain/journal.ts";
import { looksAlike } from "../../domain/lost-creation.ts";
import {
  applyPatch,
  changedFields,
  fieldsOf,
  type Patch,
  pick,
  placedIn,
  placeOf,
  valuesOf,
} from "../../domain/merge.ts";
import { ok, type Result } from "../../domain/result.ts";
import { sourceOf } from "../../domain/source.ts";
import type { Failure } from "../../upstream/failure.ts";
import { type Errand, goneItem, isMissing, type Outcome, untold } from "./errand.ts";
import type { Spot } from "./item-calls.ts";
import { lookUp } from "./look-up.ts";
import { needless } from "./needless.ts";
import { complete, send } from "./send.ts";

/** How long an edit waits for one that creates an item of the same looks. */
const rivalWait = Temporal.Duration.from({ seconds: 1 });

/**
 * Creates the item, once. After a request whose answer was lost, the lists are read before anything is sent: what was
 * created is adopted. Items of the same looks are created one after the
 * other, so that a lost one can be told from its twin.
 */
export async function carryOutCreate(given: Errand): Promise<Outcome> {
  const errand = belowItsTask(given);
  const { edit, store, calls, now } = errand;
  const known = store.mirror.identity(edit.item).serviceId;
  if (known !== null) {
    const resumed = await resume(errand, serviceId(known));
    if (resumed !== "gone") return resumed;
    // A late look at what is to be made again; nothing has been sent for it.
    store.mirror.disown(edit.item, edit.base.kind);
  }
  const early = edit.sentAt === null ? needless(edit, { store, now }) : null;
  if (early) return early;

  const patch = await fullPatch(errand);
  if (!patch.ok) return { kind: "failed", failure: patch.failure };
  const rival = findRival(errand);
  if (rival) return waitFor(rival, now);
  if (edit.sentAt) {
    const wished = applyPatch(edit.base, patch.value);
    const sought = { wishes: [wished], sentAt: edit.sentAt, actor: edit.actor } as const;
    const found = await lookUp(sought, errand);
    if (found.kind === "ended") return found.outcome;
    if (found.kind === "one") return born(errand, found.item);
  }
  const files = await errand.takeFiles();
  if (!files.ok) return { kind: "failed", failure: files.failure };
  const late = needless(edit, { store, now: errand.clock() });
  if (late) return late;
  store.journal.sending(edit.id);
  const wish = { patch: withoutCompletion(patch.value), files: files.value };
  const created = await calls.create(edit.base, wish);
  return created.ok ? born(errand, created.value) : { kind: "failed", failure: created.failure };
}

/** What is to hang below a task is made where that task is now: it may have moved since. */
function belowItsTask(errand: Errand): Errand {
  const { edit, store } = errand;
  const { base } = edit;
  if (base.kind !== "subtask" || base.parentId === null) return errand;
  const key = store.mirror.find("task", base.parentId);
  const task = key === null ? null : (store.mirror.get(key)?.item ?? null);
  return task ? { ...errand, edit: { ...edit, base: placedIn(base, placeOf(task)) } } : errand;
}

const withoutCompletion = (patch: Patch): Patch =>
  pick(
    patch,
    fieldsOf(patch).filter((field) => field !== "completed"),
  );

/** The item exists; what is left of the edit is its completion. Its id is kept first, so that it is never made twice. */
async function born(errand: Errand, created: Item): Promise<Outcome> {
  const { edit, store } = errand;
  const { id } = created;
  if (id === null || edit.patch.completed !== true || created.completed) {
    return { kind: "done", answer: created };
  }
  store.together(() => {
    store.mirror.adopt(edit.item, id);
    store.mirror.put({ ...created, id }, sourceOf(created));
  });
  return finish(errand, { created, id });
}

async function finish(
  errand: Errand,
  { created, id }: { readonly created: Item; readonly id: ServiceId },
): Promise<Outcome> {
  if (errand.edit.patch.completed !== true || created.completed) {
    return { kind: "done", answer: created };
  }
  const spot = { item: created, id };
  const completed = await complete(errand, { spot, completed: true });
  return completed.ok
    ? { kind: "done", answer: completed.value }
    : { kind: "failed", failure: completed.failure };
}

/** An earlier try has created the item and was interrupted; or it is the item's former life, if nothing was sent yet. */
async function resume(errand: Errand, id: ServiceId): Promise<Outcome | "gone"> {
  const { edit, store, calls } = errand;
  const { kind } = store.mirror.identity(edit.item);
  const mirrored = store.mirror.get(edit.item)?.item;
  // A task may have the number that a subtask had.
  if (!mirrored && kind !== edit.base.kind) return "gone";
  const item = mirrored ?? edit.base;
  const created = await calls.get({ item, id });
  if (created.ok) {
    const isFormer = edit.sentAt === null && edit.undoes === null;
    const spot = { item: created.value, id };
    return isFormer ? keepAlive(errand, spot) : finish(errand, { created: created.value, id });
  }
  if (isMissing(created.failure)) return edit.sentAt === null ? "gone" : goneItem(created.failure);
  return edit.sentAt === null
    ? { kind: "failed", failure: created.failure }
    : untold(created.failure, errand);
}

/** What was to be deleted and made again is still there: it becomes what it was to be made as. */
async function keepAlive(errand: Errand, spot: Spot): Promise<Outcome> {
  const full = await fullPatch(errand);
  if (!full.ok) return { kind: "failed", failure: full.failure };
  const patch = changedFields(valuesOf(spot.item), full.value);
  if (fieldsOf(patch).length === 0) return { kind: "done", answer: spot.item };
  const sent = await send(errand, { spot, patch });
  return sent.ok ? { kind: "done", answer: sent.value } : { kind: "failed", failure: sent.failure };
}

/** The edit's patch with the ids of the labels that were created for it. */
async function fullPatch({ edit, makeLabels }: Errand): Promise<Result<Patch, Failure>> {
  if (edit.newLabels.length === 0) return ok(edit.patch);
  const made = await makeLabels();
  if (!made.ok) return made;
  const labels = [...new Set([...(edit.patch.labels ?? []), ...made.value])];
  return ok({ ...edit.patch, labels });
}

/** Another creation of the same looks whose outcome is open, and which goes first. */
function findRival({ edit, store }: Errand): Edit | null {
  const rival = store.journal.openCreations().find((other) => {
    const goesFirst = edit.sentAt === null || other.id < edit.id;
    const isOpen = other.id !== edit.id && other.state !== "parked";
    return isOpen && goesFirst && looksAlike(other.base, edit.base);
  });
  return rival ?? null;
}

function waitFor(rival: Edit, now: Temporal.Instant): Outcome {
  const problem = `waits for edit ${rival.id}, which creates an item of the same title and dates`;
  const next = rival.notBefore ?? now;
  const from = Temporal.Instant.compare(next, now) > 0 ? next : now;
  return {
    kind: "settled",
    settlement: { kind: "retry", notBefore: from.add(rivalWait), problem },
  };
}
