import type { Edit } from "../domain/edit.ts";
import { type ItemKey, type ServiceId, serviceId } from "../domain/ids.ts";
import { type Item, spokenKind } from "../domain/item.ts";
import { lazy } from "../domain/lazy.ts";
import { isReadSince } from "../store/mirror/sources.ts";
import type { Store } from "../store/store.ts";
import type { ListSnapshot } from "../upstream/client.ts";
import { type BrakeState, nextBrake } from "./brake.ts";
import type { ItemChange, SyncEvent } from "./event.ts";
import { isOutdated } from "./outdated.ts";
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
  readonly clockLead: Temporal.Duration | null;
  /** Of the items that a whole list lacks, those that have lately answered by themselves: they are no questions. */
  readonly aliveOf: (source: string, lacking: ReadonlySet<ItemKey>) => ReadonlySet<ItemKey>;
  /** Told of items that are questions now, before they are kept as such; returns how many of them are new. */
  readonly noticed: (missing: readonly ItemKey[], asked: ReadonlySet<ItemKey>) => number;
}

/** What an applied snapshot has done. */
interface Applied {
  readonly polled: Extract<SyncEvent, { readonly kind: "polled" }>;
  /** New or different items, as the service shows them. */
  readonly put: readonly Identified[];
  /** Shown as they were before an own edit: the items themselves have to say what is true. */
  readonly outdated: readonly Identified[];
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
  readonly #outdated: Identified[] = [];
  #unchanged = 0;
  #heldBack = 0;
  readonly #seen = new Set<ServiceId>();
  #contents = new Map<Item, string>();
  /** Rows that the source had of these items before, rows that it has got, and all that it has, as far as they were counted. */
  #known = 0;
  #gained = 0;
  #rows = 0;
  readonly #unseen = new Map<ServiceId, ItemKey>();
  /** Items that an edit has something to do with. */
  #claimed = 0;

  /** The edits of the present transaction. */
  #expectations: Expectations;

  constructor(store: Store, facts: SnapshotFacts) {
    this.#store = store;
    this.#facts = facts;
    this.#expectations = expectationsOf(store, facts);
  }

  /** Belongs at the beginning of each transaction: edits are asked for once in each, when an unknown item turns up. */
  begin(): void {
    const { creations, givenUp, moves, ...others } = expectationsOf(this.#store, this.#facts);
    this.#expectations = {
      ...others,
      creations: lazy(creations),
      givenUp: lazy(givenUp),
      moves: lazy(moves),
    };
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
      ...this.#expectations,
    });
    const { changes, changedAt } = applyPlan(store, { plan, source });
    this.#changes.push(...changes);
    this.#changedAt.push(...changedAt);
    this.#put.push(...plan.put);
    this.#outdated.push(...plan.outdated);
    for (const { id } of items) if (id !== null) this.#seen.add(id);
    for (const [item, content] of plan.contents) this.#contents.set(item, content);
    this.#gained += plan.put.filter(({ id }) => !known.has(id)).length;
    this.#known += known.size;
    this.#unchanged += plan.unchanged;
    this.#heldBack += plan.heldBack.length + plan.outdated.length;
    this.#claimed += plan.candidates.length + plan.lateCreations.length;
  }

  /** What items that were put since the last call say, as the mirror writes it. */
  takeContents(): ReadonlyMap<Item, string> {
    const contents = this.#contents;
    this.#contents = new Map();
    return contents;
  }

  /**
   * Looks for rows that the snapshot lacks, some at a step, after all of its items were put. What others do to a row meanwhile
   * makes it one that is newer than the request.
   */
  *survey(): Generator<void> {
    const { source, snapshot } = this.#facts;
    const { gone } = snapshot;
    const parts = gone ? [this.#rowsOf(gone)] : this.#store.mirror.keysInParts(source);
    for (const rows of parts) {
      this.#rows += rows.size;
      for (const [id, key] of rows) if (!this.#seen.has(id)) this.#unseen.set(id, key);
      yield;
    }
  }

  /** Decides what the snapshot lacks, after the survey. */
  finish(overtaken: ReadonlySet<ServiceId>): Applied {
    const store = this.#store;
    const { source, snapshot, aliveOf, noticed } = this.#facts;
    const { same, gone } = snapshot;
    const seen = this.#seen;
    const total = gone ? same + gone.length + this.#known : this.#rows - this.#gained;
    const asked = stillAsked(store, { source, seen });
    const rows = this.#unseen;
    const isWhole = isComplete(snapshot);
    const lacking = isWhole ? missingFrom({ rows, seen, overtaken }) : [];
    const alive = isWhole ? aliveOf(source, new Set(lacking)) : new Set();
    const missing = lacking.filter((key) => !alive.has(key));
    const lost = noticed(missing, asked);
    const brake = noticeMissing(store, { source, missing, total, asked });
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
      outdated: this.#outdated,
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
export function expectationsOf(
  store: Store,
  { source, clockLead }: Pick<SnapshotFacts, "source" | "clockLead">,
): Expectations {
  const isAnyLate = lazy(() => store.pastEdits.hasLately());
  return {
    isOutdated(item, known) {
      if (!isAnyLate()) return false;
      const key = known ?? store.mirror.find(item.kind, item.id);
      if (key === null) return false;
      return isOutdated(item, {
        edits: store.pastEdits.latelyOfItem(key),
        isKnown: known !== null,
      });
    },
    handleOf: ({ kind, id }) => store.mirror.find(kind, id),
    creations: () => store.journal.openCreations(),
    givenUp: () => store.journal.givenUpCreations(),
    isRuledOut: (edit, item) => isRuledOut(store, { edit, item, source }),
    moves: () => store.moves.recent(),
    clockLead,
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
    const content = plan.contents.get(item);
    const act =
      content === undefined
        ? store.mirror.put(item, source)
        : store.mirror.putWritten(item, { source, content });
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
    asked,
  }: {
    readonly source: string;
    readonly missing: readonly ItemKey[];
    readonly total: number;
    /** Items of the source that are missing already. */
    readonly asked: ReadonlySet<ItemKey>;
  },
): readonly SyncEvent[] {
  const fresh = missing.filter((key) => !asked.has(key));
  for (const key of fresh) store.absences.notice(key, source);
  if (missing.length === 0 && !brakeOf(store, source)) return [];

  return stepBrake(store, { source, missing: asked.size + fresh.length, total });
}

export const brakeOf = (store: Store, source: string): BrakeState => store.brakes.get(source);

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

/** Withdraws the questions of a source that it has answered itself; the items that it does not show either. */
function stillAsked(
  { absences, mirror }: Store,
  { source, seen }: { readonly source: string; readonly seen: ReadonlySet<number> },
): ReadonlySet<ItemKey> {
  const asked = absences.ofSource(source);
  const isBack = ([item, id]: readonly [ItemKey, ServiceId | null]) =>
    id !== null && seen.has(id) && mirror.get(item)?.source === source;
  const back = new Set([...asked].filter(isBack).map(([item]) => item));
  if (back.size > 0) absences.withdraw([...back]);
  return new Set([...asked.keys()].filter((item) => !back.has(item)));
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
  const state = sources.get(source);
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
