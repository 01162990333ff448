import { type Edit, longestInFlight } from "../../domain/edit.ts";
import type { EditId, ItemKey } from "../../domain/ids.ts";
import type { Item } from "../../domain/item.ts";
import { likenessOf } from "../../domain/lost-creation.ts";
import { sourceOf } from "../../domain/source.ts";
import type { Store } from "../../store/store.ts";

/** An edit that was sent again, and of which the service may hold two. */
export interface RepeatedEdit {
  readonly edit: number;
  readonly title: string;
  readonly problem: string;
}

/** What was found for an edit, among the items that are known up to a key. */
interface Look {
  readonly upTo: ItemKey | null;
  readonly alike: readonly ItemKey[];
}

/** So many edits are looked at for the first time at once: each takes some milliseconds where its list is long. */
const mostFirst = 3;

/**
 * Tells which edits there may be twice; asked often, as an edit stays one of them as long as it is kept. What was looked at for an
 * edit once is not looked at again, as a second one is new to the mirror when it comes.
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
 * One sentence on what a creation that was sent more than once may have made twice; null when nothing is known of it.
 * Which of the two is to go is for a person to say.
 */
export function describeDuplicates(edit: Edit, store: Store): string | null {
  if (!isRepeated(edit)) return null;
  const { alike } = lookOn(edit, { before: { upTo: edit.sentAfter, alike: [] }, store });
  return inWords(duplicatesAmong(alike, { edit, store }));
}

function inWords(duplicates: readonly Item[]): string | null {
  const ids = duplicates.map(({ kind, id }) => `${kind} ${id}`);
  if (ids.length === 0) return null;
  return `the service may hold it twice: ${ids.join(", ")} looks the same and was made when this was sent again; delete the one that is not wanted`;
}

const isRepeated = ({ state, sentAt, resentAt, answer }: Edit): boolean =>
  state === "confirmed" && sentAt !== null && resentAt !== null && answer !== null;

/** Goes on with looking for what is called like what the edit has made, and that nobody here has made. */
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
 * Those of the items that look like what an edit has made, that nobody knew before its first request, and that were made at about
 * the same time by the service's own clock.
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

/** As long before or after as there were between the sendings, and as a request may take to be carried out. */
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
