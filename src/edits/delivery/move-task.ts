import type { ItemKey, ServiceId } from "../../domain/ids.ts";
import type { Item } from "../../domain/item.ts";
import { type LostCreation, likenessOf } from "../../domain/lost-creation.ts";
import {
  fieldsOf,
  type Patch,
  type Place,
  placedIn,
  placeOf,
  without,
} from "../../domain/patch.ts";
import { fail, ok, type Result } from "../../domain/result.ts";
import { looksAlike, sameCreation } from "../../domain/sameness.ts";
import { sourceOf } from "../../domain/source.ts";
import type { Store } from "../../store/store.ts";
import { stored } from "../../texts/stored.ts";
import { type Failure, isMissing } from "../../upstream/failure.ts";
import {
  type Attempt,
  type AttemptEnding,
  type Ended,
  ended,
  endingOf,
  failed,
  isRefusal,
  parked,
  progressUnknown,
} from "./attempt.ts";
import { type ItemAddress, send } from "./item-calls.ts";

interface TaskMove {
  /** Where the mirror has it. */
  readonly address: ItemAddress;
  readonly ours: Item;
  /** Everything left to send, including the place. */
  readonly patch: Patch;
  readonly place: Place;
}

/**
 * Moves a task to its new list, and sends the other fields there. After a request without an answer, the new list is read
 * first, as a service that moves by copying must not be asked twice.
 */
export async function moveTask(attempt: Attempt, move: TaskMove): Promise<AttemptEnding> {
  const { edit, store, calls } = attempt;
  const { address, ours, patch, place } = move;
  const there = edit.sentAt === null ? null : await findCopy(attempt, place);
  if (there?.kind === "ended") return there.ending;
  const moved = there
    ? ok(there.item)
    : await understood(
        await calls.move({ item: placedIn(ours, placeOf(address.item)), id: address.id }, place),
        { attempt, place, id: address.id },
      );
  if (!moved.ok) return failed(moved.failure);
  const item = moved.value;
  const id = item.id ?? address.id;
  store.together(() => followTask(edit.item, { now: { ...item, id }, store }));
  const rest = without(patch, "place");
  if (fieldsOf(rest).length === 0) return { kind: "done", answer: { ...item, id } };
  const sent = await send(calls, { address: { item, id }, patch: rest });
  return endingOf(sent);
}

/** What the target list shows of a task. */
type There = { readonly kind: "there"; readonly item: Item } | Ended | null;

/**
 * Looks in the target list for a task that is not in its place: with its id, or with another one if our own request may have
 * moved it. Null if it is not there.
 */
export async function findThere(attempt: Attempt, { item, id }: ItemAddress): Promise<There> {
  const { place } = attempt.edit.patch;
  if (!place || item.kind !== "task") return null;
  const found = await attempt.calls.get({ item: placedIn(item, place), id });
  if (found.ok) return { kind: "there", item: found.value };
  if (attempt.edit.sentAt !== null && isRefusal(found.failure)) return findCopy(attempt, place);
  if (found.failure.kind === "refused") return null;
  return ended(failed(found.failure));
}

/** The task that an earlier request created in the new place with an unknown id. */
async function findCopy(attempt: Attempt, place: Place): Promise<There> {
  const { edit, store, calls } = attempt;
  const { sentAt, resentAt, sentAfter, actor } = edit;
  const before = edit.before ?? edit.base;
  const wished = placedIn(before, place);
  const listed = await calls.list(wished);
  if (!listed.ok) {
    const { failure } = listed;
    return isMissing(failure) ? null : ended(progressUnknown(failure, attempt));
  }
  const lost = { wished, sentAt: sentAt ?? edit.createdAt, resentAt, actor };
  const [first, second] = listed.value.items.filter((item) => {
    const key = item.id === null ? null : store.mirror.find(item.kind, item.id);
    const isKnown = key !== null && (sentAfter === null || key <= sentAfter);
    return !isKnown && item.id !== before.id && isMoved(item, { before, lost });
  });
  if (!first) return null;
  if (!second) return { kind: "there", item: first };
  const problem = stored("problem.moveLost", { tasks: `${first.id}, ${second.id}` });
  return ended(parked("unknown-outcome", problem));
}

/** A copy keeps its task's creation day, or is as new as the request. */
function isMoved(
  item: Item,
  { before, lost }: { readonly before: Item; readonly lost: LostCreation },
): boolean {
  return sameCreation(before, item)
    ? looksAlike(item, lost.wished)
    : likenessOf(item, lost) === "same";
}

/** If it is unknown whether the move was made, the new place shows it. */
async function understood(
  answer: Result<Item, Failure>,
  asked: { readonly attempt: Attempt; readonly place: Place; readonly id: ServiceId },
): Promise<Result<Item, Failure>> {
  if (answer.ok) return answer;
  const { kind } = answer.failure;
  if (kind !== "unreadable" && kind !== "unknown-outcome") return answer;
  const { attempt, place, id } = asked;
  const now = await attempt.calls.get({ item: placedIn(attempt.edit.base, place), id });
  return now.ok ? now : fail(answer.failure);
}

/**
 * Records where the service has a task now. It keeps key and UID, even with a new id, and its subtasks move along. Call inside
 * a transaction.
 */
export function followTask(
  key: ItemKey,
  { now, store }: { readonly now: Item & { readonly id: ServiceId }; readonly store: Store },
): void {
  const { mirror } = store;
  const { serviceId: idBefore } = mirror.identity(key);
  const below = idBefore === null ? [] : mirror.ofSource(`subtasks:${idBefore}`);
  mirror.adopt(key, now.id);
  mirror.put(now, sourceOf(now));
  for (const { item } of below) {
    if (item.kind === "event" || item.id === null) continue;
    const moved = { ...placedIn({ ...item, parentId: now.id }, placeOf(now)), id: item.id };
    mirror.put(moved, sourceOf(moved));
  }
}
