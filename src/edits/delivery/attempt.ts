import { type Edit, type FieldConflict, nextLook, type ParkReason } from "../../domain/edit.ts";
import { type LabelId, serviceId } from "../../domain/ids.ts";
import type { Item } from "../../domain/item.ts";
import { placedIn, placeOf } from "../../domain/patch.ts";
import type { Result } from "../../domain/result.ts";
import type { Settlement } from "../../store/journal/endings.ts";
import type { Store } from "../../store/store.ts";
import { describeFailure, type Failure } from "../../upstream/failure.ts";
import type { AttachmentRef } from "../../upstream/resources/tasks.ts";
import type { ItemAddress, ItemCalls, PlaceCalls } from "./item-calls.ts";
import { retryLater, type Trial, waitingForKey } from "./settle.ts";

/** What happens to a field that both sides have changed: a person decides, the edit wins, the workspace wins. */
export type ConflictPolicy = "ask" | "theirs" | "ours";

/** One try to carry out an edit that is claimed, with the calls on behalf of its person. */
export interface Attempt {
  readonly edit: Edit;
  readonly store: Store;
  readonly calls: ItemCalls;
  readonly places: PlaceCalls;
  readonly policy: ConflictPolicy;
  /** When it was begun. */
  readonly now: Temporal.Instant;
  readonly clock: () => Temporal.Instant;
  /** How far the clock is ahead of the service's, by its last answer; null where it has not told. */
  readonly clockLead: () => Temporal.Duration | null;
  /** 0 up to 1, for this try. */
  readonly random: number;
  /** Whether the service fails as a whole, as far as its last answers tell. */
  readonly isOut: () => boolean;
  /** Finds or creates the labels that the edit needs. */
  readonly createLabels: () => Promise<Result<readonly LabelId[], Failure>>;
  /** Uploads the files that the creation takes along. */
  readonly uploadFiles: () => Promise<Result<readonly AttachmentRef[], Failure>>;
  /** Asks for the lists in which a moved item may be found, by the names of their sources. */
  readonly onMissing: (edit: Edit, sources: readonly string[]) => void;
}

/**
 * How an attempt ended. `answer` is null for a deletion; `conflicts` is what the policy has decided; `withdrawn`: a creation
 * that was not sent, as what it makes is deleted; `discarded`: a deletion that was not sent, as its editor has discarded it.
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

/** The ending that the service's answer to the last request means. */
export const endingOf = (answer: Result<Item | null, Failure>): AttemptEnding =>
  answer.ok ? { kind: "done", answer: answer.value } : failed(answer.failure);

export const failed = (failure: Failure): AttemptEnding => ({ kind: "failed", failure });

/** What a look-up says where it has to end the attempt. */
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

/** The edit is tried again at that moment, which is no failure. */
export const postponed = (
  notBefore: Temporal.Instant,
  problem: string,
): Extract<AttemptEnding, { readonly kind: "settled" }> => ({
  kind: "settled",
  settlement: { kind: "retry", notBefore, problem },
});

/** Tried again after the next pause, as it cannot be told yet what a request has done. */
export const retried = (problem: string, attempt: Attempt): AttemptEnding => ({
  kind: "settled",
  settlement: retryLater(problem, trialOf(attempt)),
});

/** What decides how this attempt's edit goes on. */
export function trialOf({
  edit: { attempts, createdAt },
  now,
  random,
  isOut,
}: Pick<Attempt, "edit" | "now" | "random" | "isOut">): Trial {
  return { attempts, createdAt, now, random, isOut: isOut() };
}

/**
 * A failed read while it is open how far an edit has gone: that the service does not show something says nothing about what
 * it has done, so that only a refused write waits for a person.
 */
export const progressUnknown = (failure: Failure, attempt: Attempt): AttemptEnding =>
  isRefusal(failure)
    ? retried(`how far the edit has gone is not known: ${describeFailure(failure)}`, attempt)
    : failed(failure);

/** Waits for a person, as there is nothing left to change. */
export const parkAsGone = (failure: Failure): AttemptEnding =>
  parked(
    "refused",
    `the item is gone from the workspace, or no longer visible: ${describeFailure(failure)}`,
  );

/** Whether the service has said no, rather than nothing. */
export const isRefusal = ({ kind }: Failure): boolean =>
  kind === "refused" || kind === "service-refused";

/** Whether its editor has discarded the edit since it was claimed, as is done with deletions of which no request has left. */
export const isDiscarded = ({ id }: Edit, { journal }: Store): boolean =>
  journal.get(id)?.state === "discarded";

/** Thrown when an edit of an item that the service does not have yet was claimed; the journal gives out none. */
class UncreatedItemError extends Error {
  override readonly name = "UncreatedItemError";
  constructor(edit: Edit) {
    super(`edit ${edit.id} is of an item that has not been created`);
  }
}

/** Where the item is, as far as the mirror knows now. Throws UncreatedItemError. */
export function itemAddressOf({ edit, store }: Attempt): ItemAddress {
  const id = store.mirror.identity(edit.item).serviceId;
  if (id === null) throw new UncreatedItemError(edit);
  const item = store.mirror.get(edit.item)?.item ?? edit.base;
  return { item: besideItsTask(item, store), id: serviceId(id) };
}

/** A subtask in the list in which its task is now: what is known of the subtask may be older than a move of the task. */
export function besideItsTask(item: Item, { mirror }: Store): Item {
  if (item.kind !== "subtask" || item.parentId === null) return item;
  const key = mirror.find("task", item.parentId);
  const task = key === null ? null : mirror.get(key);
  return task ? placedIn(item, placeOf(task.item)) : item;
}

/**
 * What becomes of a creation whose item is to be deleted as soon as it is there: nothing is sent for either. The deletion
 * may be the first half of a move, and is waited for. Only where the service is known not to have the item. Null when the
 * item is to be made.
 */
export function cancelledCreation(
  edit: Edit,
  { store, now }: { readonly store: Store; readonly now: Temporal.Instant },
): Extract<AttemptEnding, { readonly kind: "withdrawn" | "settled" }> | null {
  const deletion = store.journal.deletionOf(edit);
  if (!deletion) return null;
  const { id, notBefore } = deletion;
  if (notBefore === null || Temporal.Instant.compare(notBefore, now) <= 0) {
    return { kind: "withdrawn", by: deletion };
  }
  return postponed(notBefore, `edit ${id} deletes it: it is created only if that is taken back`);
}

/**
 * Keeps back a creation that is not in its list while an earlier request for it may still be carried out: what is not
 * there yet may be there a moment later, and would be made twice. It is looked for again in between. Null when it may go.
 */
export function waitForInFlight(attempt: Attempt): AttemptEnding | null {
  const now = attempt.clock();
  const { inFlightUntil: until, resentAt, sentAt } = attempt.edit;
  if (!until || Temporal.Instant.compare(until, now) <= 0) return null;
  const problem = `no answer came to the creation, and it may still be carried out: it is looked for, and not sent again before ${wholeSecond(until)}`;
  return postponed(nextLook(now, { sentAt: resentAt ?? sentAt ?? now, until }), problem);
}

/** For people: no earlier than the moment. */
export const wholeSecond = (moment: Temporal.Instant): string =>
  moment.round({ smallestUnit: "second", roundingMode: "ceil" }).toString();

type Refusal = Extract<Failure, { kind: "refused" }>;

/** Calls that remember the last answer by which the service may have refused their key. */
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
 * How an edit ends whose key may have been refused: that says nothing about the edit, so that it waits for the key, however
 * long that takes: whoever has the key put right need not look for edits. `probes` read what almost any key may read, as a 403 may also be about the item alone.
 */
export async function waitForKey(
  ending: AttemptEnding,
  about: {
    readonly attempt: Attempt;
    readonly refusal: Refusal | null;
    readonly probes: readonly Probe[];
  },
): Promise<AttemptEnding> {
  const { edit, store, clock } = about.attempt;
  const refusal = isOfKey(ending) ? refusalIn(ending, about.refusal) : null;
  if (!refusal || !(refusal.status === 401 || (await areRefused(about.probes)))) {
    if (edit.keyRefusedAt) store.journal.keyRefused(edit.id, false);
    return ending;
  }
  const now = clock();
  const since = edit.keyRefusedAt ?? now;
  store.journal.keyRefused(edit.id, true);
  const problem = `the key has been refused since ${wholeSecond(since)}, which says nothing about the edit: it goes as soon as the key is taken again; ${describeFailure(refusal)}`;
  const trial = { ...trialOf(about.attempt), createdAt: since, now };
  return { kind: "settled", settlement: waitingForKey(problem, trial) };
}

const mayBeOfKey = (failure: Failure): failure is Refusal =>
  failure.kind === "refused" && (failure.status === 401 || failure.status === 403);

/** Whether the edit would end for good, or wait, for what a refused key explains. */
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
