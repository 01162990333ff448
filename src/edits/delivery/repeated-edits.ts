import { type Edit, longestInFlight } from "../../domain/edit.ts";
import type { EditId, ItemKey } from "../../domain/ids.ts";
import type { Item } from "../../domain/item.ts";
import { likenessOf } from "../../domain/lost-creation.ts";
import { sourceOf } from "../../domain/source.ts";
import type { Store } from "../../store/store.ts";
import { say } from "../../texts/say.ts";

/** An edit that was sent again and may exist twice in the service. */
export interface RepeatedEdit {
  readonly edit: number;
  readonly title: string;
  readonly problem: string;
}

/** What was found for an edit, among items known up to a key. */
interface Look {
  readonly upTo: ItemKey | null;
  readonly alike: readonly ItemKey[];
}

/** Edits examined for the first time at once: each takes some milliseconds if its list is long. */
const mostFirst = 3;

/**
 * Lists edits that may exist twice. Called often. Items examined for an edit are not examined again, as a duplicate is new to
 * the mirror when it appears.
 */
export function createRepeatedEdits(store: Store): () => readonly RepeatedEdit[] {
  const looks = new Map<EditId, Look>();
  return () => {
    const resent = store.pastEdits.resent();
    const ids = new Set(resent.map(({ id }) => id));
    for (const id of looks.keys()) if (!ids.has(id)) looks.delete(id);
    const first = resent.filter(({ id }) => !looks.has(id)).slice(0, mostFirst);
    const due = resent.filter((edit) => looks.has(edit.id) || first.includes(edit));
    return due.flatMap((edit) => {
      const before = looks.get(edit.id) ?? { upTo: edit.sentAfter, alike: [] };
      const now = lookOn(edit, { before, store });
      looks.set(edit.id, now);
      const problem = inWords(duplicatesAmong(now.alike, { edit, store }));
      return problem === null ? [] : [{ edit: edit.id, title: edit.base.title, problem }];
    });
  };
}

/**
 * One sentence on a possible duplicate of a creation that was sent more than once; null if none is known. A person decides
 * which one to delete.
 */
export function describeDuplicates(edit: Edit, store: Store): string | null {
  if (!isRepeated(edit)) return null;
  const { alike } = lookOn(edit, { before: { upTo: edit.sentAfter, alike: [] }, store });
  return inWords(duplicatesAmong(alike, { edit, store }));
}

function inWords(duplicates: readonly Item[]): string | null {
  const ids = duplicates.map(({ kind, id }) => `${kind} ${id}`);
  if (ids.length === 0) return null;
  return say("conflict.twice", { ids: ids.join(", ") });
}

const isRepeated = ({ state, sentAt, resentAt, answer }: Edit): boolean =>
  state === "confirmed" && sentAt !== null && resentAt !== null && answer !== null;

/** Continues the search for items with the same title that no edit here has created. */
function lookOn(
  { item: own, answer }: Edit,
  { before, store }: { readonly before: Look; readonly store: Store },
): Look {
  const { mirror, pastEdits } = store;
  const upTo = mirror.latest();
  if (!answer) return { upTo, alike: [] };
  const called = mirror.called(answer.title, { source: sourceOf(answer), after: before.upTo });
  const alike = called.filter((key) => key !== own && !pastEdits.ofItem(key).some(isCreation));
  return { upTo, alike: [...before.alike, ...alike] };
}

/**
 * Items that look like an edit's item, were unknown before its first request, and were created at about the same time by the
 * service's clock.
 */
function duplicatesAmong(
  keys: readonly ItemKey[],
  { edit, store: { mirror } }: { readonly edit: Edit; readonly store: Store },
): readonly Item[] {
  const { item: own, state, sentAt, resentAt, answer, actor } = edit;
  if (state !== "confirmed" || !sentAt || !resentAt || !answer || !mirror.get(own)) return [];
  return keys
    .flatMap((key) => mirror.get(key) ?? [])
    .filter(({ source }) => source === sourceOf(answer))
    .map(({ item }) => item)
    .filter((item) => isOfTheTime(item, { answer, spans: [sentAt, resentAt] }))
    .filter((item) => likenessOf(item, { wished: answer, sentAt, resentAt, actor }) === "same");
}

/** Within the time between the requests, plus the time in which a request may be carried out. */
function isOfTheTime(
  { createdAt }: Item,
  {
    answer,
    spans: [first, last],
  }: { readonly answer: Item; readonly spans: readonly [Temporal.Instant, Temporal.Instant] },
): boolean {
  if (!createdAt || !answer.createdAt) return false;
  const apart = Math.abs(createdAt.until(answer.createdAt).total("seconds"));
  return apart <= first.until(last).total("seconds") + longestInFlight.total("seconds");
}

const isCreation = ({ action }: Edit): boolean => action === "create";
