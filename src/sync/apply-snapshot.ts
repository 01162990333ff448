import type { Edit } from "../domain/edit.ts";
import { type ItemKey, type ServiceId, serviceId } from "../domain/ids.ts";
import { type Item, spokenKind } from "../domain/item.ts";
import { lazy } from "../domain/lazy.ts";
import { isReadSince } from "../store/mirror/sources.ts";
import type { Store } from "../store/store.ts";
import type { ListSnapshot } from "../upstream/client.ts";
import { type BrakeState, nextBrake } from "./absence.ts";
import type { DeletionChecks } from "./deletion-checks.ts";
import { type ItemChange, polledEvent, type SyncEvent } from "./event.ts";
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
  readonly deletionChecks: Pick<DeletionChecks, "aliveOf" | "noticed">;
}

/** The result of an applied snapshot. */
interface Applied {
  readonly polled: Extract<SyncEvent, { readonly kind: "polled" }>;
  /** New or changed items, as in the service. */
  readonly put: readonly Identified[];
  /** Shown in the state before one of our edits, so each is read by itself. */
  readonly outdated: readonly Identified[];
  /** When each new or changed item was changed; null if unknown. */
  readonly changedAt: readonly (Temporal.Instant | null)[];
  /** How many items are newly missing. */
  readonly lost: number;
  readonly brake: readonly SyncEvent[];
  /** True if nothing is left open: the same snapshot would change nothing again. */
  readonly isSettled: boolean;
}

/**
 * Updates the mirror from one snapshot of items, in one or several steps, as each item is independent. What is missing is
 * decided at the end. Writes nothing if nothing changed. Run each step in a transaction with the rows that are newer than the
 * request.
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
  /** Numbers of rows: that the source had of these items, that were added, and that the source has in all. */
  #known = 0;
  #gained = 0;
  #rows = 0;
  readonly #unseen = new Map<ServiceId, ItemKey>();
  /** Items that an edit is involved with. */
  #claimed = 0;

  /** Edits that may explain new items, as of the current transaction. */
  #expectations: Expectations;

  constructor(store: Store, facts: SnapshotFacts) {
    this.#store = store;
    this.#facts = facts;
    this.#expectations = expectationsOf(store, facts);
  }

  /** Call at the start of each transaction: edits are queried once in each, when an unknown item turns up. */
  begin(): void {
    const { creations, givenUp, moves, ...others } = expectationsOf(this.#store, this.#facts);
    this.#expectations = {
      ...others,
      creations: lazy(creations),
      givenUp: lazy(givenUp),
      moves: lazy(moves),
    };
  }

  /** Applies some of the snapshot's items, each once. */
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
    const { changes, changedAt } = applyPlan(store, plan, source);
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

  /** The stored content of items applied since the last call. */
  takeContents(): ReadonlyMap<Item, string> {
    const contents = this.#contents;
    this.#contents = new Map();
    return contents;
  }

  /**
   * Looks for rows missing from the snapshot, some per step, after all of its items were applied. A row that others change
   * meanwhile counts as newer than the request.
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

  /** Decides what is missing, after the survey. */
  finish(overtaken: ReadonlySet<ServiceId>): Applied {
    const store = this.#store;
    const { source, snapshot, deletionChecks } = this.#facts;
    const { same, gone } = snapshot;
    const seen = this.#seen;
    const total = gone ? same + gone.length + this.#known : this.#rows - this.#gained;
    const asked = stillAsked(store, source, seen);
    const rows = this.#unseen;
    const isWhole = isComplete(snapshot);
    const lacking = isWhole ? missingFrom({ rows, seen, overtaken }) : [];
    const alive = isWhole ? deletionChecks.aliveOf(source, new Set(lacking)) : new Set();
    const missing = lacking.filter((key) => !alive.has(key));
    const lost = deletionChecks.noticed(missing, asked);
    const brake = noticeMissing(store, { source, missing, total, asked });
    const changes = this.#changes;
    return {
      polled: polledEvent(source, {
        unchanged: same + this.#unchanged + this.#put.length - changes.length,
        missing: missing.length,
        heldBack: this.#heldBack,
        changes,
      }),
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

/** Edits that may explain items that a source shows for the first time. */
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

/** Writes new and changed items, and their effect on edits, but nothing about missing ones. Call inside a transaction. */
export function applyPlan(
  store: Store,
  plan: SnapshotPlan,
  source: string,
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
  for (const { edit, item } of plan.lateCreations) takeBack(store, edit, item);
  return { changes, changedAt };
}

/** Items missing from a source with `total` mirrored items; `asked`: those that are known as missing already. */
interface MissingItems {
  readonly source: string;
  readonly missing: readonly ItemKey[];
  readonly total: number;
  readonly asked: ReadonlySet<ItemKey>;
}

/**
 * Records missing items of a source, and brakes their removal if they are too many at once. Call inside a transaction; returns what the brake did.
 */
export function noticeMissing(
  store: Store,
  { source, missing, total, asked }: MissingItems,
): readonly SyncEvent[] {
  const fresh = missing.filter((key) => !asked.has(key));
  for (const key of fresh) store.absences.notice(key, source);
  if (missing.length === 0 && !brakeOf(store, source)) return [];

  return stepBrake(store, { source, missing: asked.size + fresh.length, total });
}

export const brakeOf = (store: Store, source: string): BrakeState => store.brakes.get(source);

/** Sets, keeps or lifts a source's brake after a loss. Call inside a transaction. */
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

/** Withdraws items that the source shows again; returns those still missing. */
function stillAsked(
  { absences, mirror }: Store,
  source: string,
  seen: ReadonlySet<number>,
): ReadonlySet<ItemKey> {
  const asked = absences.ofSource(source);
  const isBack = ([item, id]: readonly [ItemKey, ServiceId | null]) =>
    id !== null && seen.has(id) && mirror.get(item)?.source === source;
  const back = new Set([...asked].filter(isBack).map(([item]) => item));
  if (back.size > 0) absences.withdraw([...back]);
  return new Set([...asked.keys()].filter((item) => !back.has(item)));
}

/**
 * True if the list was read after the request could last have been carried out. An item that is new after that was created by
 * somebody else, unless it was held back while the edit was open.
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

/** Deletes the item that a given-up creation made late, by an edit of the same person. */
function takeBack({ journal, mirror }: Store, edit: Edit, item: Identified): void {
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
