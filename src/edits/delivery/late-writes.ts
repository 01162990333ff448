import { type Edit, type Restoration, visibleStates } from "../../domain/edit.ts";
import { type ItemKey, serviceId } from "../../domain/ids.ts";
import type { Item } from "../../domain/item.ts";
import {
  applyPatch,
  fieldsOf,
  type Patch,
  type PatchField,
  patchFields,
  pick,
  placedIn,
  valuesOf,
} from "../../domain/patch.ts";
import { sameShown, unstoredFields } from "../../domain/sameness.ts";
import { sourceOf } from "../../domain/source.ts";
import type { ObservedChange } from "../../store/journal/unanswered.ts";
import { isReadSince } from "../../store/mirror/sources.ts";
import type { UnansweredWrite } from "../../store/rows/attempt-rows.ts";
import type { Store } from "../../store/store.ts";
import type { Upstream } from "../../upstream/client.ts";
import { isMissing } from "../../upstream/failure.ts";
import { actionOf, recreated, spokenFields } from "../field-changes.ts";
import {
  createItemCalls,
  createSettledCalls,
  type ItemAddress,
  type ItemCalls,
} from "./item-calls.ts";

interface WatchDeps {
  readonly store: Store;
  readonly upstream: Upstream;
  readonly clock: () => Temporal.Instant;
  readonly onMissing: (edit: Edit, sources: readonly string[]) => void;
}

/**
 * A write without an answer may still be carried out late and overwrite something newer. Its item is watched: a step reads the
 * next such item, now and then while the write may be carried out and once after that. The result is stored, and judged there
 * (`judgeLateWrites`), like what a sweep or an answer shows of the item.
 */
export function createLateWriteWatch(
  deps: WatchDeps,
): (signal: AbortSignal) => Promise<"idle" | "worked"> {
  const { store, clock } = deps;
  return async (signal) => {
    if (signal.aborted) return "idle";
    hurryGivenUpCreations(deps);
    const due = store.unanswered.claimLook();
    if (!due) return "idle";
    const begun = clock();
    const isRead = await look(due, { ...deps, signal });
    store.unanswered.looked(due.key, isRead ? begun : null);
    return "worked";
  };
}

/** A creation that was given up may still be carried out: its list is requested once that is no longer possible. */
function hurryGivenUpCreations({ store, clock, onMissing }: WatchDeps): void {
  const now = clock();
  for (const edit of store.journal.givenUpCreations()) {
    const { inFlightUntil: until } = edit;
    if (!until || Temporal.Instant.compare(until, now) > 0) continue;
    const source = sourceOf(applyPatch(edit.base, edit.patch));
    const state = store.sources.all().find(({ name }) => name === source);
    if (state && !isReadSince(until, state)) onMissing(edit, [source]);
  }
}

interface WatchedItem {
  readonly key: ItemKey;
  readonly writes: readonly UnansweredWrite[];
}

/** Returns whether the service has shown the item's state. */
async function look(
  { key, writes }: WatchedItem,
  { store, upstream, clock, onMissing, signal }: WatchDeps & { readonly signal: AbortSignal },
): Promise<boolean> {
  const id = store.mirror.identity(key).serviceId;
  const item = store.mirror.get(key)?.item;
  // Gone, or recreated with another id, which no late request affects.
  const own = writes.filter((write) => write.serviceId === id);
  const [newest] = own;
  if (id === null || !item || !newest) return true;
  const edit = store.journal.get(newest.edit);
  const person = edit?.actor ?? null;
  const plain = createItemCalls(upstream, { priority: "edit", person, signal });
  const calls = createSettledCalls(plain, { store, upstream, clock });
  const found = await find({ item, id: serviceId(id) }, own, calls);
  if (found === "unknown") return false;
  if (found) storeFound(store, { key, before: item, found });
  else if (edit) onMissing(edit, [sourceOf(item)]);
  return true;
}

/** The item in its known place, or where a late move may have taken it; null if it is in neither. */
async function find(
  { item, id }: ItemAddress,
  writes: readonly UnansweredWrite[],
  calls: ItemCalls,
): Promise<Item | "unknown" | null> {
  const elsewhere = writes.flatMap(({ patch: { place } }) =>
    place ? [placedIn(item, place)] : [],
  );
  for (const where of [item, ...elsewhere]) {
    const found = await calls.get({ item: where, id });
    if (found.ok) return found.value;
    if (!isMissing(found.failure)) return "unknown";
  }
  return null;
}

/** Changes since the request was sent are newer than the answer. */
function storeFound(
  store: Store,
  { key, before, found }: { readonly key: ItemKey; readonly before: Item; readonly found: Item },
): void {
  const { id } = found;
  const { mirror } = store;
  store.together(() => {
    const now = mirror.get(key)?.item;
    if (id === null || JSON.stringify(now) !== JSON.stringify(before)) return;
    mirror.put({ ...found, id }, sourceOf(found));
  });
}

/**
 * Judges new states of items with unanswered writes. If a field has turned into what such a write sets, replacing something
 * newer, the request was carried out late: the edit whose value was overwritten is repeated; someone else's value is restored
 * by a new edit of the sender. An item deleted late is recreated if it is wanted again. Any other value is someone else's, and
 * stays.
 */
export function judgeLateWrites(store: Store): (change: ObservedChange) => void {
  return ({ key, before, after, answered }) => {
    if (after) judgeChange(store, { key, before, after, answered });
    else judgeLoss(store, { key, before });
  };
}

/**
 * Fields of an item that one of our unanswered writes has set: nobody else has changed them, so an edit of them does not
 * conflict.
 */
export function lateValues(key: ItemKey, ours: Item, store: Store): Patch {
  const fields = store.unanswered
    .ofItem(key)
    .filter(({ act }) => act !== "delete")
    .flatMap((write) => fieldsOf(write.patch).filter((field) => isCarried(field, write, ours)));
  return pick(valuesOf(ours), fields);
}

interface Change {
  readonly key: ItemKey;
  readonly before: Item;
  readonly after: Item;
  readonly answered: Edit | null;
}

function judgeChange(store: Store, change: Change): void {
  const { key, before, after, answered } = change;
  const [was, is] = [valuesOf(before), valuesOf(after)];
  const isOwn = (field: PatchField) => answered !== null && touches(answered, field);
  const explained = new Set(patchFields.filter(isOwn));
  const edits = store.pastEdits.ofItem(key);
  // While an edit is in progress, or being answered, any of its tries may have set its values.
  const open = new Set(
    edits.filter(({ state }) => visibleStates.includes(state)).map(({ id }) => id),
  );
  const writes = store.unanswered
    .ofItem(key)
    .filter(({ edit }) => edit !== answered?.id && !open.has(edit));
  for (const write of writes) {
    if (write.act === "delete" || write.serviceId !== after.id) continue;
    const turned = fieldsOf(write.patch).filter(
      (field) =>
        !explained.has(field) && !sameShown(field, was, is) && isCarried(field, write, after),
    );
    if (turned.length === 0 || (write.carriedOutAt && !isWhole(turned, write))) continue;
    for (const field of turned) explained.add(field);
    store.unanswered.carriedOut(write.id);
    const overwritten = turned.filter((field) => hasReplacedNewer(field, { write, before, edits }));
    if (overwritten.length > 0) restore(store, { ...change, write, overwritten, edits });
  }
}

/**
 * True if all of several fields turned at once, and the write may still be carried out: what was taken for it before was
 * somebody's change to one of its values.
 */
const isWhole = (turned: readonly PatchField[], { nextLookAt, patch }: UnansweredWrite): boolean =>
  nextLookAt !== null && turned.length > 1 && turned.length === fieldsOf(patch).length;

/** True if the item's field has what the write sets, as the service writes it. */
const isCarried = (field: PatchField, { patch }: UnansweredWrite, item: Item): boolean =>
  unstoredFields(pick(patch, [field]), item).length === 0;

/**
 * True if what the write replaced was newer than the write. While an edit of the field is in progress, that one decides. What
 * was there when the request was sent is older, unless its edit was answered or given up since. A value from before an answered
 * edit that shows up after it is old, as from a lagging replica, unless a later edit or stamp says that somebody restored it.
 */
function hasReplacedNewer(
  field: PatchField,
  {
    write,
    before,
    edits,
  }: { readonly write: UnansweredWrite; readonly before: Item; readonly edits: readonly Edit[] },
): boolean {
  const own = edits.filter((edit) => touches(edit, field));
  if (own.some(({ state }) => visibleStates.includes(state))) return false;
  const isLater = ({ id, confirmedAt }: Edit) => id > write.edit && confirmedAt !== null;
  if (own.some(isLater) || !sameShown(field, valuesOf(write.before), valuesOf(before))) return true;
  const sender = edits.find(({ id }) => id === write.edit);
  if (sender?.state !== "confirmed") return sender !== undefined && hasEnded(sender);
  return isStampedLater(before, sender.answer);
}

/** True if the service says that an item was changed after another one; an item without a stamp may have been at any time. */
const isStampedLater = ({ updatedAt: at }: Item, than: Item | null): boolean =>
  !at || !than?.updatedAt || Temporal.Instant.compare(at, than.updatedAt) > 0;

const hasEnded = ({ state }: Edit): boolean =>
  state === "confirmed" || state === "discarded" || state === "undone";

const touches = ({ patch, restores, newLabels }: Edit, field: PatchField): boolean =>
  (restores?.patch ?? patch)[field] !== undefined || (field === "labels" && newLabels.length > 0);

interface Overwritten extends Change {
  readonly write: UnansweredWrite;
  readonly overwritten: readonly PatchField[];
  readonly edits: readonly Edit[];
}

function restore(
  store: Store,
  { before, after, key, write, overwritten, edits }: Overwritten,
): void {
  const [was, is] = [valuesOf(before), valuesOf(after)];
  const setters = new Map<Edit | null, PatchField[]>();
  for (const field of overwritten) {
    const setter = edits.find((edit) => hasSet(field, edit, was)) ?? null;
    setters.set(setter, [...(setters.get(setter) ?? []), field]);
  }
  for (const [setter, fields] of setters) {
    const restores = { patch: pick(was, fields), over: pick(is, fields), by: write.edit };
    if (setter) store.journal.putBack(setter.id, restores);
    else appendRestoration(store, { key, base: after, restores });
  }
}

/** True if the edit is done and has set the field's value. */
function hasSet(field: PatchField, edit: Edit, was: Patch): boolean {
  const { state, action, answer } = edit;
  const isChange = state === "confirmed" && action !== "create" && action !== "delete";
  return isChange && touches(edit, field) && !!answer && sameShown(field, valuesOf(answer), was);
}

function appendRestoration(
  { journal }: Store,
  {
    key,
    base,
    restores,
  }: { readonly key: ItemKey; readonly base: Item; readonly restores: Restoration },
): void {
  const sender = journal.get(restores.by);
  if (!sender) return;
  const { channel, actor } = sender;
  const { patch } = restores;
  const action = actionOf(patch);
  const common = { channel, actor, item: key, newLabels: [], state: "pending" } as const;
  journal.append({ ...common, action, base, patch, restores });
}

/** An item is gone: a deletion that was given up may have deleted it after it was wanted again. */
function judgeLoss(store: Store, { key, before }: Pick<Change, "key" | "before">): void {
  const { serviceId: id } = store.mirror.identity(key);
  const write = store.unanswered
    .ofItem(key)
    .find((one) => one.act === "delete" && id !== null && one.serviceId === serviceId(id));
  if (!write || write.carriedOutAt) return;
  const edits = store.pastEdits.ofItem(key);
  const isWanted = (edit: Edit) => edit.action === "delete" && visibleStates.includes(edit.state);
  const sender = edits.find((edit) => edit.id === write.edit);
  if (!sender || edits.some(isWanted)) return;
  const isTakenBack =
    sender.state === "discarded" || edits.some((edit) => isDoneAfter(edit, sender));
  if (!isTakenBack) return;
  store.unanswered.carriedOut(write.id);
  const { channel, actor } = sender;
  const base = recreated(store.view.get(key)?.item ?? before);
  store.journal.append({
    channel,
    actor,
    item: key,
    action: "create",
    base,
    patch: spokenFields(base),
    newLabels: [],
    state: "pending",
    recreates: true,
    restores: { patch: {}, over: {}, by: sender.id },
  });
}

const isDoneAfter = ({ id, action, state }: Edit, sender: Edit): boolean =>
  id > sender.id && action !== "delete" && state === "confirmed";
