import { type ServiceId, serviceId } from "../../domain/ids.ts";
import type { Item } from "../../domain/item.ts";
import type { Edit } from "../../domain/journal.ts";
import { fieldsOf, type Patch, pick } from "../../domain/merge.ts";
import { ok, type Result } from "../../domain/result.ts";
import { sourceOf } from "../../domain/source.ts";
import type { Store } from "../../store/store.ts";
import { describeFailure, type Failure } from "../../upstream/failure.ts";
import { findAltered, findCreated, looksAlike } from "./adopt.ts";
import { complete } from "./carry-out.ts";
import { type Errand, goneItem, isMissing, type Outcome } from "./errand.ts";
import { again } from "./settle.ts";

/** How long an edit waits for one that creates an item of the same looks. */
const rivalWait = Temporal.Duration.from({ seconds: 1 });

/**
 * Creates the item, once. After a request whose answer was lost, the list is read before anything is sent: what was
 * created is adopted, and several that could be it wait for a person. Items of the same looks are created one after the
 * other, so that a lost one can be told from its twin. `random`: 0 up to 1.
 */
export async function carryOutCreate(errand: Errand, random: number): Promise<Outcome> {
  const { edit, store, calls, now } = errand;
  const known = store.mirror.identity(edit.item).serviceId;
  if (known !== null) {
    const resumed = await resume(errand, serviceId(known));
    if (resumed !== "gone") return resumed;
    // A late look at what is to be made again; nothing has been sent for it.
    store.mirror.disown(edit.item);
  }

  const patch = await fullPatch(errand);
  if (!patch.ok) return { kind: "failed", failure: patch.failure };
  const rival = findRival(errand);
  if (rival) return waitFor(rival, now);
  if (edit.sentAt) {
    const found = await lookUp(errand, edit.sentAt);
    if (!found.ok) return unseen(found.failure);
    if (found.value.kind === "one") return born(errand, found.value.item);
    if (found.value.kind === "several") return severalFound(found.value.items);
    if (found.value.kind === "altered") return alteredFound(found.value.items);
    if (found.value.kind === "unsure") {
      const trial = { attempts: edit.attempts, createdAt: edit.createdAt, now, random };
      const settlement = again(found.value.problem, { trial, retryAfter: null });
      return { kind: "settled", settlement };
    }
  }
  const files = await errand.takeFiles();
  if (!files.ok) return { kind: "failed", failure: files.failure };
  store.journal.sending(edit.id);
  const wish = { patch: withoutCompletion(patch.value), files: files.value };
  const created = await calls.create(edit.base, wish);
  return created.ok ? born(errand, created.value) : { kind: "failed", failure: created.failure };
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

/** An earlier try has created the item and was interrupted. */
async function resume(errand: Errand, id: ServiceId): Promise<Outcome | "gone"> {
  const { edit, store, calls } = errand;
  const item = store.mirror.get(edit.item)?.item ?? edit.base;
  const created = await calls.get({ item, id });
  if (created.ok) return finish(errand, { created: created.value, id });
  if (isMissing(created.failure)) {
    return edit.undoes !== null && edit.sentAt === null ? "gone" : goneItem(created.failure);
  }
  return { kind: "failed", failure: created.failure };
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

type Found =
  | { readonly kind: "one"; readonly item: Item }
  | { readonly kind: "none" }
  | { readonly kind: "several"; readonly items: readonly Item[] }
  | { readonly kind: "altered"; readonly items: readonly Item[] }
  | { readonly kind: "unsure"; readonly problem: string };

async function lookUp(errand: Errand, sentAt: Temporal.Instant): Promise<Result<Found, Failure>> {
  const { edit, store, calls } = errand;
  const listed = await calls.list(edit.base);
  if (!listed.ok) return listed;
  const { items, problems } = listed.value;
  const lost = { wished: edit.base, sentAt, actor: edit.actor };
  const found = findCreated(items, lost).filter(({ kind, id }) => {
    const key = id && store.mirror.find(kind, id);
    return key === null || key === edit.item;
  });
  const [first, second] = found;
  if (first && second) return { ok: true, value: { kind: "several", items: found } };
  if (first) return { ok: true, value: { kind: "one", item: first } };
  const altered = findAltered(items, lost).filter((item) => isUnexplained(item, errand));
  if (altered.length > 0) return { ok: true, value: { kind: "altered", items: altered } };
  const doubts = [...problems, ...doubtsAbout(items, { store, source: sourceOf(edit.base) })];
  if (doubts.length === 0) return { ok: true, value: { kind: "none" } };
  const problem = `whether the item was created is not known, as its list cannot be read as a whole: ${doubts.join("; ")}`;
  return { ok: true, value: { kind: "unsure", problem } };
}

/** Whether no other creation has made this item, or could have. */
function isUnexplained(item: Item, { edit, store }: Errand): boolean {
  const key = item.id && store.mirror.find(item.kind, item.id);
  const own = key === null ? [] : store.pastEdits.ofItem(key);
  if (own.some(({ action }) => action === "create")) return false;
  return !store.journal
    .openCreations()
    .some((other) => other.id !== edit.id && looksAlike(item, other.base));
}

/**
 * Why a list may be less than the whole: it lacks what is known to be there, as one that was cut silently would. What
 * was to be deleted from here is no such sign.
 */
function doubtsAbout(
  items: readonly Item[],
  { store, source }: { readonly store: Store; readonly source: string },
): readonly string[] {
  const listed = new Set(items.map(({ id }) => id));
  const missing = [...store.mirror.contents(source)].filter(
    ([id, { key }]) =>
      !listed.has(id) && !store.pastEdits.ofItem(key).some(({ action }) => action === "delete"),
  );
  return missing.length > 0 ? [`${missing.length} known items are not in it`] : [];
}

/** That the list is refused says nothing about the creation. */
function unseen(failure: Failure): Outcome {
  if (failure.kind !== "refused" && failure.kind !== "service-refused") {
    return { kind: "failed", failure };
  }
  const problem = `the answer to the creation was lost, and the service does not show whether it was made: ${describeFailure(failure)}`;
  return { kind: "settled", settlement: { kind: "park", reason: "unknown-outcome", problem } };
}

function severalFound(items: readonly Item[]): Outcome {
  const ids = items.map(({ id }) => id).join(", ");
  const problem = `the answer to the creation was lost, and several items in the workspace could be it: ${ids}`;
  return { kind: "settled", settlement: { kind: "park", reason: "unknown-outcome", problem } };
}

function alteredFound(items: readonly Item[]): Outcome {
  const ids = items.map(({ id }) => id).join(", ");
  const problem = `the answer to the creation was lost, and what it made may have been changed in the workspace since: it could be ${ids}; discard the edit if it is`;
  return { kind: "settled", settlement: { kind: "park", reason: "unknown-outcome", problem } };
}
