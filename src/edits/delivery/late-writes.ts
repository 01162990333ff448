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
import type { Sight } from "../../store/journal/unanswered.ts";
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
 * A write without an answer may still be carried out, late, over something newer. Its item is watched: a step reads the next
 * such item, now and then while the write is in flight and once more after that. What it reads is stored, and judged there
 * (`judgeLateWrites`), as is what a sweep or an answer shows of the item.
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

/** A creation that was given up may be carried out all the same: its list is asked for once it is in flight no more. */
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

/** Whether the service has told what has become of the item. */
async function look(
  { key, writes }: WatchedItem,
  { store, upstream, clock, onMissing, signal }: WatchDeps & { readonly signal: AbortSignal },
): Promise<boolean> {
  const id = store.mirror.identity(key).serviceId;
  const item = store.mirror.get(key)?.item;
  // Gone, or recreated under another number: no late request can find it.
  const own = writes.filter((write) => write.serviceId === id);
  const [newest] = own;
  if (id === null || !item || !newest) return true;
  const edit = store.journal.get(newest.edit);
  const person = edit?.actor ?? null;
  const plain = createItemCalls(upstream, { priority: "edit", person, signal });
  const calls = createSettledCalls(plain, { store, upstream, clock });
  const found = await find({ item, id: serviceId(id) }, { writes: own, calls });
  if (found === "unknown") return false;
  if (found) storeFound(store, { key, before: item, found });
  else if (edit) onMissing(edit, [sourceOf(item)]);
  return true;
}

/** The item where it is known to be, or where a late move may have taken it; null when it is in none of these places. */
async function find(
  { item, id }: ItemAddress,
  { writes, calls }: { readonly writes: readonly UnansweredWrite[]; readonly calls: ItemCalls },
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

/** What has changed since the request left is newer than the answer. */
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
 * Judges what is seen of items whose writes were not answered. Where a field has turned into what such a write sets, in place
 * of something newer, the request was carried out late: the edit that has set what it has overwritten is carried out again;
 * what somebody else had set is restored by a new edit of the sender. What a late deletion has taken is recreated, when it is
 * wanted again by then. Any other value is somebody else's, and stays.
 */
export function judgeLateWrites(store: Store): (sight: Sight) => void {
  return ({ key, before, after, answered }) => {
    if (after) judgeChange(store, { key, before, after, answered });
    else judgeLoss(store, { key, before });
  };
}

/**
 * What of an item is the doing of a write of ours that was not answered: nobody else has changed these fields, so that an
 * edit of them does not conflict.
 */
export function lateValues(
  key: ItemKey,
  { ours, store }: { readonly ours: Item; readonly store: Store },
): Patch {
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
  // While an edit is on its way, or is being answered, what it wishes may be the work of any of its tries.
  const open = new Set(
    edits.filter(({ state }) => visibleStates.includes(state)).map(({ id }) => id),
  );
  const writes = store.unanswered
    .ofItem(key)
    .filter(({ edit }) => edit !== answered?.id && !open.has(edit));
  for (const write of writes) {
    if (write.act === "delete" || write.serviceId !== after.id || write.carriedOutAt) continue;
    const turned = fieldsOf(write.patch).filter(
      (field) =>
        !explained.has(field) && !sameShown(field, was, is) && isCarried(field, write, after),
    );
    if (turned.length === 0) continue;
    for (const field of turned) explained.add(field);
    store.unanswered.carriedOut(write.id);
    const overwritten = turned.filter((field) => hasReplacedNewer(field, { write, before, edits }));
    if (overwritten.length > 0) restore(store, { ...change, write, overwritten, edits });
  }
}

/** Whether the item says in this field what the write sets, as the service writes it. */
const isCarried = (field: PatchField, { patch }: UnansweredWrite, item: Item): boolean =>
  unstoredFields(pick(patch, [field]), item).length === 0;

/**
 * Whether what the write has replaced was newer than the write. While an edit of the field is on its way that one decides;
 * what was there when the request left is older, unless its edit was answered or given up since. What was there before an edit
 * that was answered, and shows up after that, is from before it, as a lagging copy of the service tells, unless a later edit or
 * stamp says that somebody has wished it back.
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

/** Whether the service says that an item was changed after another time; an item without a stamp may have been at any. */
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
    const setter = edits.find((edit) => hasSet(field, { edit, was })) ?? null;
    setters.set(setter, [...(setters.get(setter) ?? []), field]);
  }
  for (const [setter, fields] of setters) {
    const restores = { patch: pick(was, fields), over: pick(is, fields), by: write.edit };
    if (setter) store.journal.putBack(setter.id, restores);
    else appendRestoration(store, { key, base: after, restores });
  }
}

/** Whether the edit is done and has set what stood in the field. */
function hasSet(
  field: PatchField,
  { edit, was }: { readonly edit: Edit; readonly was: Patch },
): boolean {
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

/** An item is gone: a deletion that was given up may have taken it, when it was wanted again by then. */
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
