import type { Edit } from "../domain/edit.ts";
import type { ItemKey, ServiceId } from "../domain/ids.ts";
import { type Item, spokenKind } from "../domain/item.ts";
import { isReadSince } from "../store/mirror/sources.ts";
import type { Store } from "../store/store.ts";
import type { Snapshot } from "../upstream/client.ts";
import { type BrakeState, nextBrake } from "./brake.ts";
import type { ItemChange, SyncEvent } from "./event.ts";
import {
  type Contents,
  type Expectations,
  type Identified,
  isComplete,
  planSnapshot,
  type SnapshotPlan,
} from "./plan-snapshot.ts";

interface SnapshotFacts {
  /** Name of the source that was read. */
  readonly source: string;
  readonly snapshot: Snapshot<Item>;
  /** The source's rows that were written since the request was made. */
  readonly overtaken: ReadonlySet<ServiceId>;
  /** Whether an item that no list shows has lately answered by itself: that is no question then. */
  readonly isAlive: (key: ItemKey) => boolean;
}

/** What an applied snapshot has done. */
interface Applied {
  readonly polled: Extract<SyncEvent, { readonly kind: "polled" }>;
  /** New or different items, as the service shows them. */
  readonly put: readonly Identified[];
  /** When each item was changed that was not known as it is: what an edit has stored already is no change. */
  readonly changedAt: readonly (Temporal.Instant | null)[];
  /** Items that are questions now. */
  readonly missing: readonly ItemKey[];
  readonly brake: readonly SyncEvent[];
  /** Whether nothing is left open: read again with the rows as they are now, the same snapshot would change nothing. */
  readonly isSettled: boolean;
}

/**
 * Brings the mirror up to date with one snapshot of items. Belongs inside the caller's transaction; writes nothing when
 * nothing has changed.
 */
export function applySnapshot(
  store: Store,
  { source, snapshot, overtaken, isAlive }: SnapshotFacts,
): Applied {
  const known = store.mirror.contents(source);
  const plan = planSnapshot({
    known,
    overtaken,
    items: snapshot.items,
    complete: isComplete(snapshot),
    ...expectationsOf(store, source),
  });

  const { changes, changedAt } = applyPlan(store, { plan, source });
  withdrawSeen(store, { source, known, seen: plan.seen });
  const missing = plan.missing.filter((key) => !isAlive(key));
  const brake = noticeMissing(store, { source, missing, total: known.size });
  const count = (act: ItemChange["act"]) => changes.filter((change) => change.act === act).length;
  return {
    polled: {
      kind: "polled",
      source,
      added: count("added"),
      changed: count("changed"),
      unchanged: plan.unchanged + plan.put.length - changes.length,
      missing: missing.length,
      heldBack: plan.heldBack.length,
      changes,
    },
    put: plan.put,
    changedAt,
    missing,
    brake,
    isSettled:
      overtaken.size + plan.missing.length + brake.length === 0 &&
      plan.heldBack.length + plan.candidates.length + plan.lateCreations.length === 0,
  };
}

/** What edits account for in items that a source shows for the first time. */
export function expectationsOf(store: Store, source: string): Expectations {
  return {
    handleOf: ({ kind, id }) => store.mirror.find(kind, id),
    creations: () => store.journal.openCreations(),
    givenUp: () => store.journal.givenUpCreations(),
    isRuledOut: (edit, item) => isRuledOut(store, { edit, item, source }),
    moves: () => store.moves.recent(),
  };
}

/**
 * Writes what is new or different, and what that says of edits; of what is missing it does nothing. Belongs inside the
 * caller's transaction.
 */
export function applyPlan(
  store: Store,
  { plan, source }: { readonly plan: SnapshotPlan; readonly source: string },
): Pick<Applied, "changedAt"> & { readonly changes: readonly ItemChange[] } {
  const changes: ItemChange[] = [];
  const changedAt: (Temporal.Instant | null)[] = [];
  for (const item of plan.put) {
    const act = store.mirror.put(item, source);
    if (act === "unchanged") continue;
    changes.push({ kind: spokenKind(item), title: item.title, act });
    changedAt.push(item.updatedAt);
  }
  for (const { edit, item } of plan.candidates) store.candidates.note(edit.id, item);
  for (const { edit, item } of plan.lateCreations) takeBack(store, { edit, item });
  return { changes, changedAt };
}

/**
 * Makes questions of items that a source does not show any more, and brakes their burial when they are too many at once. `total`:
 * mirrored items of the source. Belongs inside the caller's transaction; returns what the brake did.
 */
export function noticeMissing(
  store: Store,
  {
    source,
    missing,
    total,
  }: { readonly source: string; readonly missing: readonly ItemKey[]; readonly total: number },
): readonly SyncEvent[] {
  for (const key of missing) store.absences.notice(key, source);
  if (missing.length === 0 && !brakeOf(store, source)) return [];

  const open = store.absences.all().filter((absence) => absence.source === source).length;
  return stepBrake(store, { source, missing: open, total });
}

export const brakeOf = (store: Store, source: string): BrakeState =>
  store.brakes.all().find((brake) => brake.source === source) ?? null;

/** Sets, keeps or lifts a source's brake after its loss. Belongs inside the caller's transaction. */
export function stepBrake(
  store: Store,
  { source, ...loss }: { readonly source: string } & Parameters<typeof nextBrake>[1],
): readonly SyncEvent[] {
  const { missing, total } = loss;
  const brake = brakeOf(store, source);
  const step = nextBrake(brake, loss);
  switch (step.kind) {
    case "keep":
      return [];
    case "lift":
      store.brakes.lift(source);
      return [{ kind: "brake-lifted", source }];
    case "brake": {
      if (step.isNew) store.brakes.lift(source);
      const needsPerson = step.needsPerson || (!step.isNew && brake?.needsPerson === true);
      store.brakes.set(source, { missing, total, needsPerson });
      return [{ kind: "braked", source, missing, total, needsPerson }];
    }
  }
}

function withdrawSeen(
  store: Store,
  {
    source,
    known,
    seen,
  }: {
    readonly source: string;
    readonly known: Contents;
    readonly seen: ReadonlySet<number>;
  },
): void {
  const asked = new Set(
    store.absences
      .all()
      .filter((absence) => absence.source === source)
      .map(({ item }) => item),
  );
  if (asked.size === 0) return;
  const back = [...known].flatMap(([id, { key }]) => (seen.has(id) && asked.has(key) ? [key] : []));
  store.absences.withdraw(back);
}

/**
 * Whether the list was read since the request could last be carried out: what is new now is somebody's new wish. What was
 * seen while the edit was open, and was held back for it, is not new; what was shown to people since is theirs.
 */
function isRuledOut(
  { sources, candidates, mirror }: Store,
  {
    edit,
    item,
    source,
  }: { readonly edit: Edit; readonly item: Identified; readonly source: string },
): boolean {
  const wasSeen = candidates
    .ofEdit(edit.id)
    .some(({ kind, id }) => kind === item.kind && id === item.id);
  if (wasSeen && mirror.find(item.kind, item.id) === null) return false;
  const state = sources.all().find(({ name }) => name === source);
  return !!edit.inFlightUntil && !!state && isReadSince(edit.inFlightUntil, state);
}

/** What was made after its creation had been given up goes again, by an edit of the same person. */
function takeBack(
  { journal, mirror }: Store,
  { edit, item }: { readonly edit: Edit; readonly item: Identified },
): void {
  const key = mirror.find(item.kind, item.id);
  if (key === null) return;
  const { channel, actor, id } = edit;
  journal.append({
    channel,
    actor,
    item: key,
    action: "delete",
    base: item,
    patch: {},
    newLabels: [],
    state: "pending",
    restores: { patch: {}, over: {}, by: id },
  });
}
