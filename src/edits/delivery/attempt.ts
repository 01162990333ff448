import { type Edit, type FieldConflict, nextLook, type ParkReason } from "../../domain/edit.ts";
import { type LabelId, serviceId } from "../../domain/ids.ts";
import type { Item } from "../../domain/item.ts";
import { placedIn, placeOf } from "../../domain/patch.ts";
import type { Result } from "../../domain/result.ts";
import type { Settlement } from "../../store/journal/endings.ts";
import type { Store } from "../../store/store.ts";
import { stored } from "../../texts/stored.ts";
import { describeFailure, type Failure } from "../../upstream/failure.ts";
import type { AttachmentRef } from "../../upstream/resources/tasks.ts";
import type { ItemAddress, ItemCalls, PlaceCalls } from "./item-calls.ts";
import { retryLater, type Trial, waitingForKey } from "./settle.ts";

/** What happens to a field that both sides changed: a person decides, the edit wins, or the workspace wins. */
export type ConflictPolicy = "ask" | "theirs" | "ours";

/** One try to apply a claimed edit, with calls on behalf of its person. */
export interface Attempt {
  readonly edit: Edit;
  readonly store: Store;
  readonly calls: ItemCalls;
  readonly places: PlaceCalls;
  readonly policy: ConflictPolicy;
  /** When it started. */
  readonly now: Temporal.Instant;
  readonly clock: () => Temporal.Instant;
  /** How far the clock is ahead of the service's; null if unknown. */
  readonly clockLead: () => Temporal.Duration | null;
  /** 0 up to 1, for this try. */
  readonly random: number;
  /** True if the service is down, judging by its last answers. */
  readonly isOut: () => boolean;
  /** Finds or creates the labels that the edit needs. */
  readonly createLabels: () => Promise<Result<readonly LabelId[], Failure>>;
  /** Uploads the files of the creation. */
  readonly uploadFiles: () => Promise<Result<readonly AttachmentRef[], Failure>>;
  /** Requests the lists that may contain a moved item, by source name. */
  readonly onMissing: (edit: Edit, sources: readonly string[]) => void;
}

/**
 * The result of an attempt. `answer` is null for a deletion; `conflicts`: decided by the policy; `withdrawn`: a creation that
 * was not sent, as its item is deleted; `discarded`: a deletion that was not sent, as its editor discarded it.
 */
export type AttemptEnding =
  | {
      readonly kind: "done";
      readonly answer: Item | null;
      readonly conflicts?: readonly FieldConflict[];
    }
  | { readonly kind: "failed"; readonly failure: Failure }
  | { readonly kind: "withdrawn"; readonly by: Edit }
  | { readonly kind: "discarded" }
  | { readonly kind: "settled"; readonly settlement: Settlement };

/** The result for the service's answer to the last request. */
export const endingOf = (answer: Result<Item | null, Failure>): AttemptEnding =>
  answer.ok ? { kind: "done", answer: answer.value } : failed(answer.failure);

export const failed = (failure: Failure): AttemptEnding => ({ kind: "failed", failure });

/** A look-up that ends the attempt. */
export interface Ended {
  readonly kind: "ended";
  readonly ending: AttemptEnding;
}

export const ended = (ending: AttemptEnding): Ended => ({ kind: "ended", ending });

/** The edit waits for a person. */
export const parked = (reason: ParkReason, problem: string): AttemptEnding => ({
  kind: "settled",
  settlement: { kind: "park", reason, problem },
});

/** The edit is retried at that moment, which is no failure. */
export const postponed = (
  notBefore: Temporal.Instant,
  problem: string,
): Extract<AttemptEnding, { readonly kind: "settled" }> => ({
  kind: "settled",
  settlement: { kind: "retry", notBefore, problem },
});

/** Retried after the next pause, as the effect of a request is not known yet. */
export const retried = (problem: string, attempt: Attempt): AttemptEnding => ({
  kind: "settled",
  settlement: retryLater(problem, trialOf(attempt)),
});

/** The facts that decide how this edit continues. */
export function trialOf({
  edit: { attempts, createdAt },
  now,
  random,
  isOut,
}: Pick<Attempt, "edit" | "now" | "random" | "isOut">): Trial {
  return { attempts, createdAt, now, random, isOut: isOut() };
}

/** A failed read while it is unknown whether an edit was applied. A refused read does not show that, so the edit is retried. */
export const progressUnknown = (failure: Failure, attempt: Attempt): AttemptEnding =>
  isRefusal(failure)
    ? retried(stored("problem.progressUnknown", { failure: describeFailure(failure) }), attempt)
    : failed(failure);

/** The edit waits for a person, as its item is gone. */
export const parkAsGone = (failure: Failure): AttemptEnding =>
  parked("refused", stored("problem.gone", { failure: describeFailure(failure) }));

/** True if the service answered and refused. */
export const isRefusal = ({ kind }: Failure): boolean =>
  kind === "refused" || kind === "service-refused";

/** True if its editor discarded the edit since it was claimed, as is possible for deletions that were not sent. */
export const isDiscarded = ({ id }: Edit, { journal }: Store): boolean =>
  journal.get(id)?.state === "discarded";

/** Thrown if an edit of an item that the service does not have yet was claimed, which is a bug. */
class UncreatedItemError extends Error {
  override readonly name = "UncreatedItemError";
  constructor(edit: Edit) {
    super(`edit ${edit.id} is for an item that was not created`);
  }
}

/** Where the mirror has the item. Throws UncreatedItemError. */
export function itemAddressOf({ edit, store }: Attempt): ItemAddress {
  const id = store.mirror.identity(edit.item).serviceId;
  if (id === null) throw new UncreatedItemError(edit);
  const item = store.mirror.get(edit.item)?.item ?? edit.base;
  return { item: besideItsTask(item, store), id: serviceId(id) };
}

/** A subtask in its task's present list, as the subtask's own data may be older than a move of the task. */
export function besideItsTask(item: Item, { mirror }: Store): Item {
  if (item.kind !== "subtask" || item.parentId === null) return item;
  const task = mirror.byId("task", item.parentId);
  return task ? placedIn(item, placeOf(task.item)) : item;
}

/**
 * The result for a creation whose item is to be deleted: neither is sent. The deletion may be the first half of a move, and is
 * waited for. Only if the service is known not to have the item. Null if the item is to be created.
 */
export function cancelledCreation(
  edit: Edit,
  store: Store,
  now: Temporal.Instant,
): Extract<AttemptEnding, { readonly kind: "withdrawn" | "settled" }> | null {
  const deletion = store.journal.deletionOf(edit);
  if (!deletion) return null;
  const { id, notBefore } = deletion;
  if (notBefore === null || Temporal.Instant.compare(notBefore, now) <= 0) {
    return { kind: "withdrawn", by: deletion };
  }
  return postponed(notBefore, stored("problem.deletedBy", { edit: id }));
}

/**
 * Delays a creation that is not in its list while an earlier request for it may still be carried out, so that it is not created
 * twice. It is looked up again in between. Null if it may be sent.
 */
export function waitForInFlight(attempt: Attempt): AttemptEnding | null {
  const now = attempt.clock();
  const { inFlightUntil: until, resentAt, sentAt } = attempt.edit;
  if (!until || Temporal.Instant.compare(until, now) <= 0) return null;
  const problem = stored("problem.unanswered", { until: wholeSecond(until) });
  return postponed(nextLook(now, { sentAt: resentAt ?? sentAt ?? now, until }), problem);
}

/** A time for people, rounded up to a second. */
export const wholeSecond = (moment: Temporal.Instant): string =>
  moment.round({ smallestUnit: "second", roundingMode: "ceil" }).toString();

type Refusal = Extract<Failure, { kind: "refused" }>;

/** Calls that remember the last answer that may mean a refused key. */
interface KeyWatch {
  readonly calls: ItemCalls;
  readonly refusal: () => Refusal | null;
}

export function watchKey(calls: ItemCalls): KeyWatch {
  let refusal: Refusal | null = null;
  async function seen<Value>(asked: Promise<Result<Value, Failure>>) {
    const answer = await asked;
    if (!answer.ok && mayBeOfKey(answer.failure)) refusal = answer.failure;
    return answer;
  }
  return {
    refusal: () => refusal,
    calls: {
      list: (item) => seen(calls.list(item)),
      get: (address) => seen(calls.get(address)),
      create: (item, wish) => seen(calls.create(item, wish)),
      update: (address, patch) => seen(calls.update(address, patch)),
      complete: (address, completed) => seen(calls.complete(address, completed)),
      delete: (address) => seen(calls.delete(address)),
      move: (address, place) => seen(calls.move(address, place)),
    },
  };
}

type Probe = () => Promise<Result<unknown, Failure>>;

/**
 * The result for an edit whose key may have been refused. The edit is not at fault, so it waits until the key is accepted.
 * `probes`: requests that almost any key may make, as a 403 may also concern the item alone.
 */
export async function waitForKey(
  ending: AttemptEnding,
  attempt: Attempt,
  about: { readonly refusal: Refusal | null; readonly probes: readonly Probe[] },
): Promise<AttemptEnding> {
  const { edit, store, clock } = attempt;
  const refusal = isOfKey(ending) ? refusalIn(ending, about.refusal) : null;
  if (!refusal || !(refusal.status === 401 || (await areRefused(about.probes)))) {
    if (edit.keyRefusedAt) store.journal.keyRefused(edit.id, false);
    return ending;
  }
  const now = clock();
  const since = edit.keyRefusedAt ?? now;
  store.journal.keyRefused(edit.id, true);
  const problem = stored("problem.keyRefused", {
    since: wholeSecond(since),
    failure: describeFailure(refusal),
  });
  const trial = { ...trialOf(attempt), createdAt: since, now };
  return { kind: "settled", settlement: waitingForKey(problem, trial) };
}

const mayBeOfKey = (failure: Failure): failure is Refusal =>
  failure.kind === "refused" && (failure.status === 401 || failure.status === 403);

/** True if a refused key may be the reason why the edit fails or waits. */
function isOfKey(ending: AttemptEnding): boolean {
  if (ending.kind !== "settled") return ending.kind === "failed";
  const { settlement } = ending;
  if (settlement.kind === "retry") return true;
  return settlement.kind === "park" && settlement.reason !== "conflict" && !settlement.frozen;
}

function refusalIn(ending: AttemptEnding, seen: Refusal | null): Refusal | null {
  if (ending.kind !== "failed") return seen;
  return mayBeOfKey(ending.failure) ? ending.failure : null;
}

async function areRefused(probes: readonly Probe[]): Promise<boolean> {
  for (const probe of probes) {
    const answer = await probe();
    if (answer.ok || !mayBeOfKey(answer.failure)) return false;
  }
  return true;
}
