import { isRecent } from "../../domain/backoff.ts";
import type { Edit, EditAction, ParkReason } from "../../domain/edit.ts";
import type { EditId } from "../../domain/ids.ts";
import type { Item } from "../../domain/item.ts";
import { applyPatch, fieldsOf, type PatchField, valuesOf } from "../../domain/patch.ts";
import { messageOf, unreachable } from "../../domain/result.ts";
import { sameShown } from "../../domain/sameness.ts";
import { describeUntaken } from "../../domain/three-way.ts";
import type { Settlement } from "../../store/journal/endings.ts";
import type { Store } from "../../store/store.ts";
import { stored } from "../../texts/stored.ts";
import type { Call, Upstream } from "../../upstream/client.ts";
import { sameWish } from "../field-changes.ts";
import {
  type Attempt,
  type AttemptEnding,
  type ConflictPolicy,
  cancelledCreation,
  parked,
  postponed,
  trialOf,
  waitForKey,
  watchKey,
} from "./attempt.ts";
import { carryOutCreate } from "./create.ts";
import { carryOutDelete } from "./delete.ts";
import { createExtrasDrain, type ExtraEvent, filesOfCreation } from "./extras.ts";
import { resumeSearches } from "./find-moved.ts";
import {
  createItemCalls,
  createPlaceCalls,
  createSettledCalls,
  recordWrites,
} from "./item-calls.ts";
import { LabelMaker } from "./label-maker.ts";
import { createLateWriteWatch, judgeLateWrites } from "./late-writes.ts";
import { withLater } from "./merge-edit.ts";
import { ClaimLeases, retryAfterDiskFault, settleFailure } from "./settle.ts";
import { carryOutUpdate } from "./update.ts";

/** What happened to an edit, for log and metrics. */
export type DrainEvent =
  | { readonly kind: "applied"; readonly edit: EditId; readonly action: EditAction }
  /** The service answered, but not with what was sent. */
  | { readonly kind: "differs"; readonly edit: EditId; readonly problem: string }
  | {
      readonly kind: "postponed";
      readonly edit: EditId;
      readonly until: Temporal.Instant;
      readonly problem: string;
    }
  | {
      readonly kind: "parked";
      readonly edit: EditId;
      readonly reason: ParkReason;
      readonly problem: string;
    }
  /** Its item keeps changing, so the edit is parked, as further ones will be. */
  | { readonly kind: "frozen"; readonly edit: EditId; readonly problem: string }
  /** The workspace's values were kept, as the policy says. */
  | { readonly kind: "dropped"; readonly edit: EditId; readonly problem: string }
  /** A creation that was not sent, as another edit deletes its item. */
  | { readonly kind: "withdrawn"; readonly edit: EditId; readonly by: EditId }
  | ExtraEvent;

/**
 * `random`: 0 up to 1. `onApplied`: the edit is confirmed, with the service's answer. `onMissing`: the task is not in its list;
 * these sources should be read soon.
 */
export interface DrainDeps {
  readonly store: Store;
  readonly upstream: Upstream;
  readonly conflicts: ConflictPolicy;
  readonly clock: () => Temporal.Instant;
  readonly random: () => number;
  readonly onEvent: (event: DrainEvent) => void;
  readonly onApplied: (edit: Edit) => void;
  readonly onMissing: (edit: Edit, sources: readonly string[]) => void;
}

/** Delivers accepted edits to the service: each is claimed, applied with requests, and stored with the result. */
export interface Drain {
  /**
   * Applies the next edit that may be sent; several steps may run at once. An aborted one is put back. While the service is
   * down, only one is tried now and then, as each would cost a few requests.
   */
  readonly step: (signal: AbortSignal) => Promise<"idle" | "worked">;
  /** Puts back what an earlier run had claimed; returns how many edits. Not while steps run. */
  readonly recover: () => number;
  /** Stores what the disk has refused so far, and puts back everything claimed. Not while steps run. */
  readonly close: () => void;
}

export function createDrain(deps: DrainDeps): Drain {
  const { store, upstream, clock } = deps;
  const leases = new ClaimLeases<EditId>();
  const carryOutOne = createWorker(deps, leases);
  const extras = createExtrasDrain(deps);
  const watchLateWrites = createLateWriteWatch(deps);
  store.unanswered.judgeBy(judgeLateWrites(store));

  function recover(): number {
    const edits = store.journal.release() + store.extras.release();
    resumeSearches(deps);
    return edits;
  }

  /** Releases claims of no running step, as after a disk error. They would wait forever. */
  function putBackLost(): void {
    for (const { id } of store.journal.list({ state: "claimed", limit: mostClaimed })) {
      if (leases.isLost(id)) store.journal.releaseOne(id);
    }
  }

  /** While the service is down, edits are tried one at a time to find out whether it is back. */
  let triedAt: Temporal.Instant | null = null;
  function isTooSoon(): boolean {
    const isOut = upstream.isOut();
    if (!isOut && !upstream.takesNoWrites()) return false;
    const now = clock();
    const length = isOut ? betweenTrials.inOutage : betweenTrials.ofWrites;
    if (triedAt && isRecent(triedAt, { length, now })) return true;
    triedAt = now;
    return false;
  }

  return {
    async step(signal) {
      leases.catchUp();
      const edit = signal.aborted || isTooSoon() ? null : store.journal.claimNext();
      if (edit) {
        leases.begin(edit.id);
        const ending = await carryOutOne(edit, signal);
        leases.end(edit.id, {
          store: () => end(edit, ending, deps),
          giveUp: (error) => end(edit, parkFaulty(error), deps),
        });
        return "worked";
      }
      putBackLost();
      return (await watchLateWrites(signal)) === "worked" ? "worked" : extras.step(signal);
    },
    recover,
    close() {
      leases.catchUp();
      extras.catchUp();
      recover();
    },
  };
}

const mostClaimed = 1000;

/** How often an edit is tried while the service is down. Reads notice its return sooner, if reads fail too. */
const betweenTrials = {
  inOutage: Temporal.Duration.from({ minutes: 1 }),
  ofWrites: Temporal.Duration.from({ seconds: 5 }),
} as const;

/** Applies one claimed edit; every error becomes a result. */
function createWorker(
  deps: DrainDeps,
  leases: ClaimLeases<EditId>,
): (edit: Edit, signal: AbortSignal) => Promise<AttemptEnding> {
  const { store, upstream, clock, onMissing } = deps;
  const { directory, attempts } = store;
  const callsWith = (one: Call) => createSettledCalls(createItemCalls(upstream, one), deps);
  const keep = (note: () => void) => leases.keep(note);
  const labels = new LabelMaker({ labels: upstream.labels, directory, attempts, clock, keep });
  return async (edit, signal) => {
    const call: Call = { priority: "edit", person: edit.actor, signal };
    const watched = watchKey(recordWrites(callsWith, { edit, store, call, clock, keep }));
    const attempt: Attempt = {
      edit: asRestoring(edit),
      store,
      calls: watched.calls,
      places: createPlaceCalls(upstream, call),
      // Restored values give way to later changes, as they would have at that time.
      policy: edit.restores ? "ours" : deps.conflicts,
      now: clock(),
      clock,
      clockLead: () => upstream.clockLead(),
      random: deps.random(),
      isOut: () => upstream.isOut(),
      onMissing,
      uploadFiles: () => filesOfCreation(edit, { store, upstream, call }),
      createLabels: () => labels.ensure(edit.newLabels, { call, again: edit.begun > 1 }),
    };
    try {
      return await waitForKey(await carryOut(attempt), attempt, {
        refusal: watched.refusal(),
        probes: [() => upstream.labels.list(call), () => watched.calls.list(edit.base)],
      });
    } catch (error) {
      if (!store.health.note(error)) return parkFaulty(error);
      return { kind: "settled", settlement: retryAfterDiskFault(error, clock()) };
    }
  };
}

/** An edit that causes an error must not block others, nor stay claimed forever. */
const parkFaulty = (error: unknown): AttemptEnding =>
  parked("failed", stored("problem.notDelivered", { what: messageOf(error) }));

/** For an edit that restores overwritten values: the edit as if its editor had seen the overwriting values. */
function asRestoring(edit: Edit): Edit {
  const { restores, action } = edit;
  if (!restores || action === "create") return edit;
  const base = applyPatch(edit.answer ?? edit.base, restores.over);
  const fresh = { newLabels: [], shown: null, sentAt: null, before: null };
  return { ...edit, ...fresh, base, patch: restores.patch };
}

async function carryOut(attempt: Attempt): Promise<AttemptEnding> {
  const early = waitForRelatedMove(attempt) ?? freeze(attempt);
  return early ?? carryOutAction(attempt);
}

async function carryOutAction(attempt: Attempt): Promise<AttemptEnding> {
  switch (attempt.edit.action) {
    case "create":
      return carryOutCreate(attempt);
    case "update":
    case "complete":
    case "reopen":
      return carryOutUpdate(attempt);
    case "delete":
      return carryOutDelete(attempt);
    default:
      return unreachable(attempt.edit.action);
  }
}

/** How long an edit waits for one that changes its item's place. */
const relatedMoveWait = Temporal.Duration.from({ seconds: 1 });

/**
 * A task and its subtasks share their place, so a move of the task and an edit of a subtask never run at the same time: one
 * would be sent to the wrong place. Null if the claimed edit may be sent.
 */
function waitForRelatedMove({ edit, store, now }: Attempt): AttemptEnding | null {
  const others = store.journal
    .list({ state: "claimed", limit: mostClaimed })
    .filter(({ id }) => id !== edit.id);
  const movesAbove = (move: Edit, { base }: Edit): boolean =>
    move.patch.place !== undefined &&
    base.kind === "subtask" &&
    base.parentId !== null &&
    store.mirror.find("task", base.parentId) === move.item;
  const first = others.find((other) => movesAbove(edit, other) || movesAbove(other, edit));
  if (!first) return null;
  const problem = stored("problem.relatedMove", { edit: first.id });
  return postponed(now.add(relatedMoveWait), problem);
}

/** Creations and deletions are not repeated, so only changes can fail to settle. */
function freeze({ edit, store, now }: Attempt): AttemptEnding | null {
  if (edit.action === "create" || edit.action === "delete") return null;
  const present = store.mirror.get(edit.item)?.item ?? edit.base;
  const problem = freezeReason(edit, { others: store.pastEdits.ofItem(edit.item), now, present });
  if (problem === null) return null;
  const settlement = { kind: "park", reason: "failed", problem, frozen: true } as const;
  return { kind: "settled", settlement };
}

/** After more writes that do not settle, the item waits for a person. Source: docs/architecture.md. */
const mostWrites = 5;
const span = Temporal.Duration.from({ hours: 1 });

/** `others`: all edits of the item; `present`: the item as last seen in the service. */
interface Circumstances {
  readonly others: readonly Edit[];
  readonly now: Temporal.Instant;
  readonly present: Item;
}

/**
 * Why an edit must wait because its item keeps changing; null if it may be sent. That is so if writes of the last hour came
 * back changed, or had to be repeated because something unknown reverted them: the service or another program. A person who
 * ticks and unticks does not count, and an edit that a person has retried is always sent.
 */
function freezeReason(edit: Edit, circumstances: Circumstances): string | null {
  if (edit.insisted) return null;
  const first = circumstances.others.find(({ frozen, id }) => frozen && id !== edit.id);
  if (first) {
    return stored("problem.frozenWith", { edit: first.id });
  }
  const count = unsettledWrites(edit, circumstances);
  if (count < mostWrites) return null;
  return stored("problem.frozen", { count });
}

function unsettledWrites(edit: Edit, { others, now, present }: Circumstances): number {
  const since = now.subtract(span);
  const writes = others
    .filter(({ id, before, answer }) => id !== edit.id && before !== null && answer !== null)
    .filter(({ confirmedAt }) => confirmedAt && Temporal.Instant.compare(confirmedAt, since) > 0);
  const person = Math.max(0, ...writes.filter(({ insisted }) => insisted).map(({ id }) => id));
  const recent = writes.filter(({ id }) => id > person).toSorted((a, b) => a.id - b.id);
  const all = [...recent, { ...edit, before: edit.before ?? present }];
  return recent.filter(
    (write) =>
      (write.answer !== null && describeUntaken(write, write.answer)) || wasChangedBack(write, all),
  ).length;
}

/** True if the same change was requested again later, after something else had reverted the write. */
function wasChangedBack(write: Edit, all: readonly Edit[]): boolean {
  const later = all.filter(({ id }) => id > write.id);
  const next = later.find((other) => sameWish(other, write));
  if (!next?.before || !write.answer) return false;
  const [written, found] = [valuesOf(write.answer), valuesOf(next.before)];
  const own = later.filter(({ id }) => id < next.id);
  return spokenOf(write).some((field) => {
    const isOurs = ({ answer }: Edit) =>
      answer !== null && sameShown(field, valuesOf(answer), found);
    const ownLast = own.findLast((other) => spokenOf(other).includes(field));
    return !sameShown(field, written, found) && !(ownLast && isOurs(ownLast));
  });
}

const spokenOf = ({ patch, newLabels }: Edit): readonly PatchField[] =>
  fieldsOf(newLabels.length > 0 ? { labels: [], ...patch } : patch);

function end(edit: Edit, ending: AttemptEnding, deps: DrainDeps): void {
  // The edit was replaced meanwhile, or its result is stored already.
  if (deps.store.journal.get(edit.id)?.state !== "claimed") return;
  switch (ending.kind) {
    case "discarded":
      return;
    case "done": {
      // Conflicts of earlier tries, and a person's decisions, are kept.
      const conflicts = withLater(edit.conflicts, ending.conflicts ?? []);
      deps.store.together(() => {
        deps.store.journal.confirm({ ...edit, conflicts }, ending.answer);
        deps.store.extras.attached(edit.id);
      });
      deps.onEvent({ kind: "applied", edit: edit.id, action: edit.action });
      const problem = ending.answer && describeUntaken({ ...edit, conflicts }, ending.answer);
      if (problem) deps.onEvent({ kind: "differs", edit: edit.id, problem });
      deps.onApplied(deps.store.journal.get(edit.id) ?? edit);
      return;
    }
    case "failed": {
      const isOut = () => deps.upstream.isOut();
      const trial = trialOf({ edit, now: deps.clock(), random: deps.random(), isOut });
      settle(edit, settleFailure(ending.failure, trial), deps);
      return;
    }
    case "withdrawn":
      withdraw(edit, deps);
      return;
    case "settled":
      settle(edit, ending.settlement, deps);
      return;
    default:
      unreachable(ending);
  }
}

/** The deletion may have been taken back meanwhile; then the item is created. */
function withdraw(edit: Edit, deps: DrainDeps): void {
  const { store, clock, onEvent } = deps;
  const ending = cancelledCreation(edit, store, clock());
  if (ending?.kind === "withdrawn") {
    store.journal.withdraw(edit, ending.by);
    onEvent({ kind: "withdrawn", edit: edit.id, by: ending.by.id });
    return;
  }
  const problem = stored("problem.deletionUndone");
  const retry = { kind: "retry", notBefore: clock(), problem } as const;
  settle(edit, ending?.settlement ?? retry, deps);
}

function settle(edit: Edit, settlement: Settlement, deps: DrainDeps): void {
  const { store, onEvent } = deps;
  if (settlement.kind === "retry") {
    store.journal.settle(edit, settlement);
    const { notBefore: until, problem } = settlement;
    onEvent({ kind: "postponed", edit: edit.id, until, problem });
    return;
  }
  if (settlement.kind === "discard") {
    store.journal.settle(edit, settlement);
    onEvent({ kind: "dropped", edit: edit.id, problem: settlement.problem });
    return;
  }
  const isUnborn = store.mirror.identity(edit.item).serviceId === null;
  const isNever = isUnborn && edit.action === "create" && !mayExist(edit, { settlement, store });
  const ending = isNever ? cancelledCreation(edit, store, deps.clock()) : null;
  if (ending) {
    end(edit, ending, deps);
    return;
  }
  const along = store.journal.settle(edit, settlement);
  const { reason, problem } = settlement;
  if (settlement.frozen) onEvent({ kind: "frozen", edit: edit.id, problem });
  else onEvent({ kind: "parked", edit: edit.id, reason, problem });
  for (const id of along) {
    onEvent({
      kind: "parked",
      edit: id,
      reason: "failed",
      problem: stored("problem.waitsFor", { edit: edit.id }),
    });
  }
}

/** True if a creation that is given up may have happened all the same. */
function mayExist(
  { id }: Edit,
  about: { readonly settlement: Settlement; readonly store: Store },
): boolean {
  const { settlement, store } = about;
  const isRefused = settlement.kind === "park" && settlement.reason === "refused";
  return !isRefused && store.journal.get(id)?.sentAt !== null;
}
