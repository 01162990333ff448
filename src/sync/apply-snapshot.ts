import type { Edit } from "../domain/edit.ts";
import { type ItemKey, type ServiceId, serviceId } from "../domain/ids.ts";
import { type Item, spokenKind } from "../domain/item.ts";
import { isReadSince } from "../store/mirror/sources.ts";
import type { Store } from "../store/store.ts";
import type { ListSnapshot } from "../upstream/client.ts";
import { type BrakeState, nextBrake } from "./brake.ts";
import type { ItemChange, SyncEvent } from "./event.ts";
import {
  type Expectations,
  type Identified,
  isComplete,
  isIdentified,
  missingFrom,
  planSnapshot,
  type SnapshotPlan,
} from "./plan-snapshot.ts";

interface SnapshotFacts {
  /** Name of the source that was read. */
  readonly source: string;
  readonly snapshot: ListSnapshot<Item>;
  /** Whether an item that no list shows has lately answered by itself: that is no question then. */
  readonly isAlive: (key: ItemKey) => boolean;
  /** Told of items that are questions now, before they are kept as such; returns how many of them are new. */
  readonly noticed: (missing: readonly ItemKey[]) => number;
}

/** What an applied snapshot has done. */
interface Applied {
  readonly polled: Extract<SyncEvent, { readonly kind: "polled" }>;
  /** New or different items, as the service shows them. */
  readonly put: readonly Identified[];
  /** When each item that is new or different was changed, as far as the service says. */
  readonly changedAt: readonly (Temporal.Instant | null)[];
  /** How many items are questions now that were none before. */
  readonly lost: number;
  readonly brake: readonly SyncEvent[];
  /** Whether nothing is left open: read again with the rows as they are now, the same snapshot would change nothing. */
  readonly isSettled: boolean;
}

/**
 * Brings the mirror up to date with one snapshot of items, in one step or in several, as each item is a fact by itself; what is
 * missing is decided once all are put. Writes nothing when nothing has changed. Each step belongs inside a transaction of the
 * caller's, and is told the rows that are newer than the request.
 */
export class SnapshotApplication {
  readonly #store: Store;
  readonly #facts: SnapshotFacts;
  readonly #changes: ItemChange[] = [];
  readonly #changedAt: (Temporal.Instant | null)[] = [];
  readonly #put: Identified[] = [];
  #unchanged = 0;
  #heldBack = 0;
  /** Rows that the source had of these items before, and rows that it has got. */
  #known = 0;
  #gained = 0;
  /** Items that an edit has something to do with. */
  #claimed = 0;

  constructor(store: Store, facts: SnapshotFacts) {
    this.#store = store;
    this.#facts = facts;
  }

  /** Puts some of the snapshot's items, each once. */
  put(items: readonly Item[], overtaken: ReadonlySet<ServiceId>): void {
    const store = this.#store;
    const { source } = this.#facts;
    const known = store.mirror.contentsOf(
      source,
      items.filter(isIdentified).map(({ id }) => id),
    );
    const plan = planSnapshot({
      known,
      overtaken,
      items,
      ...expectationsOf(store, source),
    });
    const { changes, changedAt } = applyPlan(store, { plan, source });
    this.#changes.push(...changes);
    this.#changedAt.push(...changedAt);
    this.#put.push(...plan.put);
    this.#gained += plan.put.filter(({ id }) => !known.has(id)).length;
    this.#known += known.size;
    this.#unchanged += plan.unchanged;
    this.#heldBack += plan.heldBack.length;
    this.#claimed += plan.candidates.length + plan.lateCreations.length;
  }

  /** Decides what the snapshot lacks, after all of its items were put. */
  finish(overtaken: ReadonlySet<ServiceId>): Applied {
    const store = this.#store;
    const { source, snapshot, isAlive, noticed } = this.#facts;
    const { items, same, gone } = snapshot;
    const seen = new Set(items.filter(isIdentified).map(({ id }) => id));
    const rows = gone ? this.#rowsOf(gone) : store.mirror.keysOf(source);
    const total = gone ? same + gone.length + this.#known : rows.size - this.#gained;
    withdrawSeen(store, { source, seen });
    const lacking = isComplete(snapshot) ? missingFrom({ rows, seen, overtaken }) : [];
    const missing = lacking.filter((key) => !isAlive(key));
    const lost = noticed(missing);
    const brake = noticeMissing(store, { source, missing, total });
    const changes = this.#changes;
    const count = (act: ItemChange["act"]) => changes.filter((change) => change.act === act).length;
    return {
      polled: {
        kind: "polled",
        source,
        added: count("added"),
        changed: count("changed"),
        unchanged: same + this.#unchanged + this.#put.length - changes.length,
        missing: missing.length,
        heldBack: this.#heldBack,
        changes,
      },
      put: this.#put,
      changedAt: this.#changedAt,
      lost,
      brake,
      isSettled:
        overtaken.size + lacking.length + brake.length + this.#heldBack + this.#claimed === 0,
    };
  }

  #rowsOf(ids: readonly number[]): ReadonlyMap<ServiceId, ItemKey> {
    const rows = this.#store.mirror.contentsOf(this.#facts.source, ids.map(serviceId));
    return new Map([...rows].map(([id, { key }]) => [id, key]));
  }
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
  { absences, mirror }: Store,
  { source, seen }: { readonly source: string; readonly seen: ReadonlySet<number> },
): void {
  const asked = absences.all().filter((absence) => absence.source === source);
  const back = asked.flatMap(({ item }) => {
    const id = mirror.identity(item).serviceId;
    const isShown = id !== null && seen.has(id) && mirror.get(item)?.source === source;
    return isShown ? [item] : [];
  });
  if (back.length > 0) absences.withdraw(back);
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
