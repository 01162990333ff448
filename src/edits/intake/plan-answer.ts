import type { IncomingCalendar } from "@dayferry/ical";
import type { EditAction } from "../../domain/edit.ts";
import type { EditId } from "../../domain/ids.ts";
import type { SpokenKind } from "../../domain/item.ts";
import { unreachable } from "../../domain/result.ts";
import type { Names } from "../../domain/wording.ts";
import { type FileProblem, problemInWords } from "../../ics/text/problem-in-words.ts";
import { didInWords } from "../actions/sentence.ts";
import { type ChangeInWords, changesInWords, type FieldChange } from "../field-changes.ts";
import type { ItemPlan } from "./item-plan.ts";
import type { Note } from "./plan-part.ts";

/** `refused`: the file as a whole; nothing was stored. */
export type Acceptance =
  | Plan
  | { readonly kind: "refused"; readonly errors: readonly FileProblem[] };

/** A file item by item, in order; `errors` has every refusal. For a long file, some of each are listed. */
export interface Plan {
  readonly kind: "plan";
  readonly items: readonly PlannedItem[];
  readonly summary: EditSummary;
  readonly errors: readonly FileProblem[];
  /** Number of unlisted items and errors; the summary counts all. */
  readonly more: { readonly items: number; readonly errors: number };
  /** The shortest time in seconds in which the quota allows all edits to be sent; 0 if that is at once. */
  readonly sendingSeconds: number;
}

/** The result for one item of the file. */
export interface PlannedItem {
  /** The UID in the file. */
  readonly uid: string;
  /** UID of the repeating item that this is an occurrence of; null for others. */
  readonly series: string | null;
  readonly kind: SpokenKind;
  readonly action: PlannedAction;
  readonly title: string;
  readonly changes: readonly FieldChange[];
  /** The changes for people, in order. */
  readonly words: readonly ChangeInWords[];
  /** In words: "moved Release call from 10:00 to 11:00", or "move …" without an edit; null for no change. */
  readonly did: string | null;
  /** Why it is refused, or what of an accepted item cannot be stored. */
  readonly problems: readonly Note[];
  /** Null for a dry run and if there is no edit. */
  readonly editId: EditId | null;
}

export type PlannedAction = EditAction | "unchanged" | "refused";

/** Number of items per action. */
type EditSummary = Readonly<Record<PlannedAction, number>>;

/** Number of items in a file that are or become edits. */
export const countEdits = ({ summary }: Pick<Plan, "summary">): number =>
  Object.values(summary).reduce((sum, count) => sum + count, 0) -
  (summary.unchanged + summary.refused);

/** What was planned for an item, and stored. */
export interface Kept {
  readonly itemPlan: ItemPlan;
  readonly editId: EditId | null;
}

interface AnswerOptions {
  readonly names: Names;
  readonly at: Temporal.Instant;
  readonly most: number;
  readonly quota: Quota | undefined;
}

/** Collects the results of a file, item by item. */
export type AnswerBuilder = ReturnType<typeof createAnswerBuilder>;

/** Lists at most `most` items and errors. In a longer file, unchanged items are left out first. */
export function createAnswerBuilder(
  { items: all, ignored }: Pick<IncomingCalendar, "items" | "ignored">,
  { names, at, most, quota }: AnswerOptions,
) {
  const isLong = all.length > most;
  const items: PlannedItem[] = [];
  const errors: FileProblem[] = [];
  const summary: Record<PlannedAction, number> = { ...noItems };
  let unlisted = 0;
  let refusals = 0;
  return {
    add(step: Kept): void {
      const { itemPlan } = step;
      summary[actionOf(itemPlan)] += 1;
      const isPassedOver = isLong && itemPlan.ending.kind === "unchanged";
      if (items.length < most && !isPassedOver) items.push(planned(step, names, at));
      else unlisted += 1;
      refusals += itemPlan.refusals.length;
      for (const { line, code, message } of itemPlan.refusals.slice(0, most - errors.length)) {
        errors.push({ line, uid: itemPlan.incoming.uid, code, message });
      }
    },
    /** What was added so far. */
    plan(): Plan {
      const listed = [...errors, ...ignored.slice(0, most - errors.length).map(problemInWords)];
      const more = { items: unlisted, errors: refusals + ignored.length - listed.length };
      const sendingSeconds = quota ? secondsFor(requestsFor(summary), quota) : 0;
      return { kind: "plan", items, summary, errors: listed, more, sendingSeconds };
    },
  };
}

/** Requests that the service allows in a period. */
export interface Quota {
  readonly requests: number;
  readonly per: Temporal.Duration;
}

/** A creation is one request; anything else reads the item first. */
const requestsFor = (summary: EditSummary): number => countEdits({ summary }) * 2 - summary.create;

const secondsFor = (requests: number, quota: Quota): number =>
  Math.floor(Math.max(0, requests - 1) / quota.requests) * quota.per.total("seconds");

/** The summary of an empty file. */
export const noItems: EditSummary = {
  update: 0,
  create: 0,
  complete: 0,
  reopen: 0,
  delete: 0,
  unchanged: 0,
  refused: 0,
};

/** A file that was refused as a whole. */
export const refusedFile = (errors: readonly FileProblem[], most: number): Acceptance => ({
  kind: "refused",
  errors: errors.slice(0, most),
});

function planned({ itemPlan, editId }: Kept, names: Names, at: Temporal.Instant): PlannedItem {
  const { incoming, kind, title, changes, refusals, notes, ending } = itemPlan;
  const about = { createdAt: at, isPlanned: editId === null };
  return {
    uid: incoming.uid,
    series: incoming.series ?? null,
    kind,
    action: actionOf(itemPlan),
    title,
    changes,
    words: changesInWords(changes, names),
    did: ending.kind === "edit" ? didInWords({ ...ending.edit, ...about }, names) : null,
    problems: [...refusals, ...notes].map(({ line, code, message }) => ({ line, code, message })),
    editId,
  };
}

function actionOf({ ending }: ItemPlan): PlannedAction {
  switch (ending.kind) {
    case "unchanged":
    case "refused":
      return ending.kind;
    case "waits":
      return ending.action;
    case "edit":
      return ending.edit.action;
    default:
      return unreachable(ending);
  }
}
