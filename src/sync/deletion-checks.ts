import { backOff, isRecent, later } from "../domain/backoff.ts";
import type { ItemKey } from "../domain/ids.ts";
import { type Item, spokenKind } from "../domain/item.ts";
import { toPlain } from "../domain/plain-item.ts";
import type { Result } from "../domain/result.ts";
import { isItemSource, sourceOf } from "../domain/source.ts";
import { isLagging } from "../store/mirror/lagging-reads.ts";
import type { Mirrored } from "../store/mirror/mirror.ts";
import type { AbsenceRow } from "../store/rows/source-rows.ts";
import type { Store } from "../store/store.ts";
import type { Call, Upstream } from "../upstream/client.ts";
import { describeFailure, type Failure } from "../upstream/failure.ts";
import { type AbsencePlan, areSettled, judgeRefusal, planAbsences } from "./absence.ts";
import type { ItemChange, SyncEvent } from "./event.ts";
import { buryBelow } from "./follow-parents.ts";
import { isIdentified, isUnderWay, restAfter } from "./plan-snapshot.ts";
import type { PolledSource } from "./polled-source.ts";
import type { SyncContext } from "./sync-context.ts";

type DeletionChecksDeps = Pick<
  SyncContext,
  "store" | "upstream" | "sources" | "clock" | "maxAge" | "report"
>;

interface Attempt {
  readonly underWay: boolean;
  readonly failures: number;
  readonly notBefore: Temporal.Instant | null;
}

/** An item that exists although its list lacks it: when and how often a GET has shown that. */
interface Alive {
  readonly source: string;
  readonly at: Temporal.Instant;
  readonly times: number;
}

/** A list with this many consecutive failures no longer delays deletions. */
const mostFailures = 8;

/** True if a list was read, or permanently refused, by an attempt after a turn. */
const isReadAfter = ({ answered, ended, failures }: PolledSource, turn: number): boolean =>
  answered > turn || (ended > turn && failures >= mostFailures);

/**
 * Requests items missing from their lists one by one, and removes those that are gone. The store has the missing items; this
 * class knows the requests of this process.
 */
export class DeletionChecks {
  readonly #deps: DeletionChecksDeps;
  readonly #asked = new Map<ItemKey, Attempt>();
  /** The source list's turn when the item was found missing; absent for those of an earlier process. */
  readonly #noticed = new Map<ItemKey, number>();
  /** Missing items that answered a single GET. */
  readonly #alive = new Map<ItemKey, Alive>();
  /**
   * The source list's turn when a request for an item was last answered with 403. A later poll of its list shows whether only
   * the item is hidden.
   */
  readonly #forbidden = new Map<ItemKey, number>();
  /** True if something may have changed since `settle` last ran. */
  #hasNews = true;
  #settledAt: Temporal.Instant | null = null;
  /** The last key examined for something to look up; 0 = start from the first. */
  #lookedUpTo = 0;
  #awaited: ReadonlySet<string> = new Set();

  constructor(deps: DeletionChecksDeps) {
    this.#deps = deps;
  }

  /**
   * Call before the missing items are stored; `asked`: those of the source stored already. Returns how many are new. An item
   * that is missing again after it was found counts as new, so every list must be read again.
   */
  noticed(keys: readonly ItemKey[], asked: ReadonlySet<ItemKey>): number {
    const fresh = keys.filter((key) => !this.#noticed.has(key) || !asked.has(key));
    for (const key of fresh) this.#noticed.set(key, this.#deps.sources.turn);
    if (fresh.length > 0) this.#hasNews = true;
    return fresh.length;
  }

  /**
   * Of the items missing from a complete list, those that recently answered a single GET. They do not count as missing for now.
   * If few items are missing, the list may have been outdated, so they are requested again soon. A truncated list costs one
   * request per item in each `maxAge`.
   */
  aliveOf(source: string, lacking: ReadonlySet<ItemKey>): ReadonlySet<ItemKey> {
    const { clock, maxAge } = this.#deps;
    const now = clock();
    const alive = new Set<ItemKey>();
    for (const [key, { source: from, at, times }] of this.#alive) {
      if (from !== source) continue;
      if (!lacking.has(key)) this.#alive.delete(key);
      const first = lacking.size > fewLacking ? maxAge : firstTrust;
      const length = backOff(times, { first, ceiling: maxAge });
      if (lacking.has(key) && isRecent(at, { length, now })) alive.add(key);
    }
    return alive;
  }

  /** Items to look up now; `skip` = those already looked up in this sweep, which ignores rest periods. */
  next(room: number, skip: ReadonlySet<ItemKey> | null): readonly ItemKey[] {
    if (room <= 0) return [];
    const { absences } = this.#deps.store;
    if (!skip) {
      const items = absences.unconfirmed(this.#lookedUpTo, mostLooked);
      const keys = items.filter((item) => this.#isDue(item, null)).slice(0, room);
      // Many may be resting: the next call continues after the last one examined.
      const last = items.length < mostLooked ? undefined : items.at(-1);
      if (keys.length === 0) this.#lookedUpTo = last ?? 0;
      return keys;
    }
    const keys: ItemKey[] = [];
    for (let last: number | undefined = 0; last !== undefined && keys.length < room; ) {
      const items = absences.unconfirmed(last, mostLooked);
      keys.push(...items.filter((item) => this.#isDue(item, skip)));
      last = items.at(-1);
    }
    return keys.slice(0, room);
  }

  #isDue(item: ItemKey, skip: ReadonlySet<ItemKey> | null): boolean {
    const asked = this.#asked.get(item);
    if (asked?.underWay) return false;
    const now = this.#deps.clock();
    const rests = !!asked?.notBefore && Temporal.Instant.compare(asked.notBefore, now) > 0;
    return !(skip ? skip.has(item) : rests) && this.#isReachable(item);
  }

  /**
   * True if no item is missing except those that wait for a person, that could not be requested, or whose project is not
   * polled.
   */
  get settled(): boolean {
    const { absences, brakes } = this.#deps.store;
    const isSilent = (item: ItemKey) => (this.#asked.get(item)?.failures ?? 0) > 0;
    const isAside = (item: ItemKey) => isSilent(item) || !this.#isReachable(item);
    const itemsOf = (source: string) => absences.ofSource(source).keys();
    return areSettled(absences.counts().keys(), { brakes: brakes.all(), itemsOf, isAside });
  }

  /**
   * Items that were answered with 403 since their list was last read, with that list. It must be read before they are requested
   * again.
   */
  forbidden(): ReadonlyMap<ItemKey, string> {
    const open = this.#deps.store.absences.all().filter(({ confirmedAt }) => confirmedAt === null);
    const unread = open.filter(
      ({ item, source }) => this.#forbidden.has(item) && !this.#readSince(item, source),
    );
    return new Map(unread.map(({ item, source }) => [item, source]));
  }

  /** Looks up one item and records the answer. Never rejects for an answer of the service. */
  async ask(key: ItemKey, signal: AbortSignal): Promise<void> {
    const { store } = this.#deps;
    const before = store.mirror.get(key);
    if (!before) return;
    const failures = this.#asked.get(key)?.failures ?? 0;
    this.#asked.set(key, { underWay: true, failures, notBefore: null });
    try {
      const call = { priority: "sweep", signal } as const;
      const answer = await getItem(this.#deps, { item: before.item, call });
      this.#note(before, answer);
    } catch (error) {
      this.#postpone(key, failures + 1);
      this.#deps.report({ kind: "fault", source: before.source, error });
    }
  }

  /** Records that a source was polled. Missing items may wait for that. */
  polled(source: string): void {
    if (this.#awaited.has(source)) this.#hasNews = true;
  }

  /** Runs `settle` if something may have changed, and now and then, as people and edits have an effect too. */
  settleNews(): AbsencePlan {
    const now = this.#deps.clock();
    const at = this.#settledAt;
    const isRested = !at || !isRecent(at, { length: settleRest, now });
    return this.#hasNews || isRested ? this.settle(mostLooked) : nothing;
  }

  /**
   * Removes items that are confirmed as gone, at most `most` per source, and lifts brakes without missing items. Returns what
   * the other items wait for.
   */
  settle(most = Number.MAX_SAFE_INTEGER): AbsencePlan {
    this.#hasNews = false;
    this.#settledAt = this.#deps.clock();
    this.#awaited = new Set();
    const { store, report } = this.#deps;
    const counts = new Map(store.absences.counts());
    const brakes = new Map(store.brakes.all().map((brake) => [brake.source, brake]));
    if (counts.size === 0 && brakes.size === 0) return nothing;

    // An item that an edit has moved is not gone: it appears in another list.
    const moving = new Set<ItemKey>();
    for (const { item } of counts.size > 0 ? store.moves.recent().filter(isUnderWay) : []) {
      const absence = moving.has(item) ? null : store.absences.get(item);
      const count = absence?.confirmedAt ? counts.get(absence.source) : undefined;
      if (!absence || !count) continue;
      moving.add(item);
      counts.set(absence.source, { open: count.open + 1, confirmed: count.confirmed - 1 });
    }
    const plan = planAbsences({
      counts,
      brakeOf: (source) => brakes.get(source) ?? null,
      confirmedOf: (source) =>
        store.absences.confirmedOf(source, most).filter(({ item }) => !moving.has(item)),
      unread: this.#unreadFor(),
    });
    this.#awaited = plan.read;
    // A restored database is outdated. Nothing is removed until everything was read once.
    if (store.rounds.isReconciling()) return { ...plan, bury: [] };

    const done = store.together(() => {
      const events = plan.bury.flatMap((key) => this.#bury(key));
      const left = events.length > 0 ? store.absences.counts() : counts;
      // A look-up's brake has no items here. Its next poll lifts it.
      const lifted = [...brakes.keys()].filter((name) => isItemSource(name) && !left.has(name));
      for (const source of lifted) store.brakes.lift(source);
      return { events, lifted };
    });
    // The rest follows in the next call.
    if (plan.bury.length >= most) this.#hasNews = true;
    for (const event of done.events) report(event);
    for (const source of done.lifted) report({ kind: "brake-lifted", source });
    return plan;
  }

  #note({ key, source, item }: Mirrored, answer: Result<Item, Failure>): void {
    this.#hasNews = true;
    const { store, sources, report } = this.#deps;
    const now = store.mirror.get(key);
    const asked = store.absences.get(key);
    if (!asked || !now || now.source !== source || text(now.item) !== text(item)) {
      // The item has changed since the request was sent.
      this.#asked.delete(key);
      return;
    }
    if (answer.ok && isIdentified(answer.value) && answer.value.id === item.id) {
      this.#asked.delete(key);
      this.#noticed.delete(key);
      const times = (this.#alive.get(key)?.times ?? 0) + 1;
      this.#alive.set(key, { source, at: this.#deps.clock(), times });
      const found = answer.value;
      const isOld = this.#isUnsettled(item, found);
      const act = store.together(() => {
        store.absences.withdraw([key]);
        return isOld ? "unchanged" : store.mirror.put(found, sourceOf(found));
      });
      const change = { kind: spokenKind(found), title: found.title };
      const changes = act === "unchanged" ? [] : [{ ...change, act }];
      report({ kind: "found", source, title: found.title, changes });
      return;
    }
    const failures = (this.#asked.get(key)?.failures ?? 0) + 1;
    const problem = answer.ok
      ? `the answer for ${item.kind} ${item.id} is about another item`
      : describeFailure(answer.failure);
    if (!answer.ok && answer.failure.kind === "aborted") {
      this.#asked.delete(key);
    } else if (
      !answer.ok &&
      !this.#isUnsettled(item, null) &&
      judgeRefusal(answer.failure, this.#readSince(key, source)) === "gone"
    ) {
      this.#asked.delete(key);
      this.#forbidden.delete(key);
      store.absences.confirm(key);
    } else {
      if (!answer.ok && answer.failure.kind === "refused" && answer.failure.status === 403) {
        this.#forbidden.set(key, sources.turn);
        sources.hurry(source);
      }
      this.#postpone(key, failures);
      report({ kind: "unanswered", source, problem });
    }
  }

  #isUnsettled(item: Item, read: Item | null): boolean {
    return isIdentified(item) && isLagging(item, read, this.#deps);
  }

  /** True if the list was read after the item was first forbidden. Then the item itself is hidden. */
  #readSince(key: ItemKey, source: string): boolean {
    const forbidden = this.#forbidden.get(key);
    const { sources } = this.#deps;
    const ended = sources.get(source)?.ended ?? 0;
    return sources.isReadable(source) && forbidden !== undefined && ended > forbidden;
  }

  #postpone(key: ItemKey, failures: number): void {
    const { clock, maxAge } = this.#deps;
    const notBefore = later(clock(), restAfter(failures, maxAge));
    this.#asked.set(key, { underWay: false, failures, notBefore });
  }

  /** True if the item's project is polled. Other items are left as they are. */
  #isReachable(key: ItemKey): boolean {
    const { store, sources } = this.#deps;
    const mirrored = store.mirror.get(key);
    return mirrored !== null && sources.get(`events:${mirrored.item.projectId}`) !== null;
  }

  /** Lists that were not read since an item was found missing, by this process or an earlier one. */
  #unreadFor(): (question: AbsenceRow) => readonly string[] {
    const { sources } = this.#deps;
    const lists = sources.ofKind("tasks");
    const lookUps = sources.ofKind("todolists");
    const found = new Map<string, readonly string[]>();
    return ({ item, source, noticedAt }) => {
      if (source.startsWith("events:")) return [];
      const noticed = this.#noticed.get(item) ?? 0;
      const since = this.#noticed.has(item) ? null : noticedAt;
      const own = this.#listOf(source);
      const memo = `${own} ${noticed} ${since?.toString()}`;
      const known = found.get(memo);
      if (known) return known;
      const others = sources.get(own) ? lists : [...lists, ...lookUps];
      const unread = others
        // The item's own list was read when it was found missing; a list new to the source list was not.
        .filter((list) =>
          list.name === own
            ? list.turn === 0 && (!since || !list.readBefore)
            : !isReadAfter(list, noticed) && !isAfter(list.readBefore, since),
        )
        .map(({ name }) => name);
      found.set(memo, unread);
      return unread;
    };
  }

  #listOf(source: string): string {
    const entry = this.#deps.sources.get(source);
    return entry?.source.kind === "subtasks" ? `tasks:${entry.source.listId}` : source;
  }

  #bury(key: ItemKey): readonly SyncEvent[] {
    const { store, sources } = this.#deps;
    const mirrored = store.mirror.get(key);
    if (!mirrored) return [];
    const { item, source } = mirrored;
    store.mirror.bury(key);
    this.#noticed.delete(key);
    this.#alive.delete(key);
    this.#forbidden.delete(key);
    const own: ItemChange = { kind: spokenKind(item), title: item.title, act: "buried" };
    const below =
      item.kind === "task" && item.id !== null ? buryBelow(store, sources, item.id) : [];
    return [{ kind: "buried", source, changes: [own, ...below] }];
  }
}

/** How long the first answer of a missing item counts. Each further one counts twice as long, up to `maxAge`. */
const firstTrust = Temporal.Duration.from({ seconds: 20 });
/** A list that lacks more existing items is truncated, not old. */
const fewLacking = 25;

/** Items examined or removed at once. */
const mostLooked = 25;

const nothing: AbsencePlan = { bury: [], read: new Set(), braked: 0 };

/** How soon missing items are removed after a person has agreed, or an edit has ended. */
const settleRest = Temporal.Duration.from({ seconds: 2 });

const isAfter = (at: Temporal.Instant | null, since: Temporal.Instant | null): boolean =>
  at !== null && since !== null && Temporal.Instant.compare(at, since) > 0;

const text = (item: Item): string => JSON.stringify(toPlain(item));

/** Looks up one item at its last known place. Throws for an item without an id. */
export function getItem(
  { store, upstream }: { readonly store: Store; readonly upstream: Upstream },
  { item, call }: { readonly item: Item; readonly call: Call },
): Promise<Result<Item, Failure>> {
  const { id, projectId } = item;
  if (id === null) throw new NamelessItemError(item);
  if (item.kind === "event") return upstream.events.get({ projectId, id }, call);
  if (item.parentId === null) {
    return upstream.tasks.get({ projectId, listId: item.listId, id }, call);
  }
  const taskId = item.parentId;
  // A subtask's own row may still name the list that its parent has left.
  const task = store.mirror.byId("task", taskId)?.item;
  const { listId, ...beside } = task?.kind === "task" ? task : item;
  return upstream.subtasks.get({ projectId: beside.projectId, listId, taskId, id }, call);
}

/** Thrown if a mirrored item has no id, which is a bug. */
class NamelessItemError extends Error {
  override readonly name = "NamelessItemError";
  constructor(item: Item) {
    super(`the ${item.kind} "${item.title}" is mirrored without an id`);
  }
}
