import { inZone, type When } from "@dayferry/ical";
import type { Channel, Edit } from "../../domain/edit.ts";
import { type EditedField, fieldOf } from "../../domain/fields.ts";
import type { PersonId } from "../../domain/ids.ts";
import { type Item, spokenKind } from "../../domain/item.ts";
import { applyPatch, fieldsOf, type Patch, type PatchField, valuesOf } from "../../domain/patch.ts";
import { unreachable } from "../../domain/result.ts";
import { sameDay } from "../../domain/same-values.ts";
import {
  clockInWords,
  dayInWords,
  enumerated,
  excerpt,
  fieldInWords,
  lengthInWords,
  type Names,
  plainLine,
  programInWords,
} from "../../domain/wording.ts";
import { quote } from "../intake/part.ts";
import { editStateLabels, parkReasonLabels } from "./state-labels.ts";

/** An edit in a sentence. Times are in the reader's zone, which is shown beside it. */
export interface EditInWords {
  /** "Ben moved Release call from 10:00 to 11:00, by Thunderbird, there in 0.2 s". */
  readonly sentence: string;
  /** "Ben". */
  readonly who: string;
  /** "moved Release call from 10:00 to 11:00". */
  readonly did: string;
  /** "by Thunderbird"; null if there is nothing to say. */
  readonly by: string | null;
  /** "there in 0.2 s". */
  readonly standing: string;
}

/** Describes an edit: who, with what, what it does, and its progress. */
export function editInWords(edit: Edit, names: Names): EditInWords {
  const who = editorName(edit, names);
  const did = didInWords(edit, names);
  const by = programInWords(edit);
  const standing = standingInWords(edit);
  const sentence = [`${who} ${did}`, by, standing].filter((part) => part !== null).join(", ");
  return { sentence, who, did, by, standing };
}

/** Name of an edit's editor. */
export function editorName(
  { actor, channel }: { readonly actor: PersonId | null; readonly channel: Channel },
  { people }: Pick<Names, "people">,
): string {
  if (actor !== null) return plainLine(people.get(actor) ?? `Person ${actor}`);
  return channel === "link" ? "Someone with a link" : "The account";
}

/** The part of an edit that says what it does. */
export type DescribedEdit = Pick<Edit, "action" | "base" | "patch" | "newLabels" | "createdAt"> &
  Partial<Pick<Edit, "undoes">>;

/** What an edit did, or would do, with the title of its item. */
export function didInWords(edit: DescribedEdit, names: Names): string {
  const { action, base, patch, undoes = null, newLabels } = edit;
  const back = undoes === null ? "" : `took edit ${undoes} back: `;
  const title = titleIn(base.title);
  switch (action) {
    case "create": {
      const made = applyPatch(base, patch);
      return `${back}created the ${spokenKind(made)} ${titleIn(made.title)}${dateOf(made, { edit, names })}`;
    }
    case "delete":
      return `${back}deleted ${title}${dateOf(base, { edit, names })}`;
    case "update":
    case "complete":
    case "reopen": {
      // Described relative to what the editor saw, even if someone else has changed it since.
      const context = { old: valuesOf(base), edit, names };
      const clauses = [
        ...fieldsOf(patch).map((field) => clauseOf(field, context)),
        ...(newLabels.length > 0 ? [newLabelsClause(newLabels)] : []),
      ];
      const said = clauses.map((clause, index) => clause(index === 0 ? title : "it"));
      return `${back}${said.length === 0 ? `left ${title} as it was` : enumerated(said)}`;
    }
    default:
      return unreachable(action);
  }
}

const longestTitle = 80;
const titleIn = (title: string): string => excerpt(plainLine(title), longestTitle);

/** An item's date after its title: " on Tue 24 Nov, 10:00–11:00", " due Tue 24 Nov"; empty for a task without dates. */
function dateOf(item: Item, { edit, names }: Pick<SentenceContext, "edit" | "names">): string {
  if (item.kind === "event") {
    const span = spanOf(item.when, { edit, names });
    return item.when.kind === "dates" ? `, ${span}` : ` on ${span}`;
  }
  const due = item.dueOn ?? item.startOn;
  if (!due) return "";
  return `, ${item.dueOn ? "due" : "from"} ${dayOf(due, { edit, names })}`;
}

interface SentenceContext {
  readonly old: Patch;
  readonly edit: DescribedEdit;
  readonly names: Names;
}

/** A part of a sentence for a given title. */
type Clause = (item: string) => string;

function clauseOf(field: PatchField, context: SentenceContext): Clause {
  if (field !== "place") return clauses[field]?.(context) ?? valueClause(field, context);
  const { old, edit, names } = context;
  const [from, to] = [old, edit.patch].map((values) => fieldInWords(field, values, names));
  return (item) => `moved ${item} from ${from} to ${to}`;
}

/** Fields with a description of their own. */
const clauses: Readonly<Partial<Record<EditedField, (context: SentenceContext) => Clause>>> = {
  title: ({ edit: { patch } }) => {
    return (item) => `renamed ${item} to ${titleIn(patch.title ?? "")}`;
  },
  when: (context) => whenClause(context),
  milestone: ({ edit: { patch } }) => {
    return (item) =>
      patch.milestone ? `made ${item} a milestone` : `made ${item} an ordinary event`;
  },
  private: ({ edit: { patch } }) => {
    return (item) => `made ${item} ${patch.private ? "private" : "visible to all"}`;
  },
  completed: ({ edit: { patch } }) => {
    return (item) => (patch.completed ? `completed ${item}` : `reopened ${item}`);
  },
  assigned: (context) =>
    setClause(context, { field: "assigned", gained: "assigned", lost: "took" }),
  labels: (context) => setClause(context, { field: "labels", gained: "labelled", lost: "took" }),
  startOn: (context) => dayClause("startOn", context),
  dueOn: (context) => dayClause("dueOn", context),
};

function valueClause(field: EditedField, { old, edit: { patch }, names }: SentenceContext): Clause {
  const { noun = "", type } = fieldOf(field);
  if (!patch[field]) return (item) => `took the ${noun} off ${item}`;
  if (type.name !== "prose") {
    return (item) => `set the ${noun} of ${item} to ${fieldInWords(field, patch, names)}`;
  }
  return (item) => (old[field] ? `changed the ${noun} of ${item}` : `gave a ${noun} to ${item}`);
}

function dayClause(field: "startOn" | "dueOn", { old, edit, names }: SentenceContext): Clause {
  const { noun = "" } = fieldOf(field);
  const [was, is] = [old[field], edit.patch[field]];
  const said = (day: Temporal.PlainDate) => dayOf(day, { edit, names });
  if (!is) return (item) => `took the ${noun} off ${item}${was ? ` (${said(was)})` : ""}`;
  if (!was) return (item) => `set the ${noun} of ${item} to ${said(is)}`;
  return (item) => `moved the ${noun} of ${item} from ${said(was)} to ${said(is)}`;
}

/** People and labels are added and removed one by one. */
function setClause(
  { old, edit, names }: SentenceContext,
  about: {
    readonly field: "assigned" | "labels";
    readonly gained: "assigned" | "labelled";
    readonly lost: string;
  },
): Clause {
  const { field, gained, lost } = about;
  const [was, is]: readonly (readonly number[])[] = [old[field] ?? [], edit.patch[field] ?? []];
  const known: ReadonlyMap<number, string> = field === "assigned" ? names.people : names.labels;
  const nameOf = (id: number) =>
    plainLine(known.get(id) ?? `${field === "assigned" ? "person" : "label"} ${id}`);
  const added = (is ?? []).filter((id) => !was?.includes(id)).map(nameOf);
  const removed = (was ?? []).filter((id) => !is?.includes(id)).map(nameOf);
  return (item) => {
    const came =
      gained === "assigned"
        ? `assigned ${enumerated(added)} to ${item}`
        : `labelled ${item} ${enumerated(added)}`;
    const went = `${lost} ${enumerated(removed)} off ${added.length > 0 ? "it" : item}`;
    if (added.length === 0) return removed.length === 0 ? `left ${item} as it was` : went;
    return removed.length === 0 ? came : `${came} and ${went}`;
  };
}

const newLabelsClause =
  (labels: readonly string[]): Clause =>
  (item) =>
    `gave ${item} the new ${labels.length === 1 ? "label" : "labels"} ${enumerated(labels.map(quote))}`;

/** The shortest description of the change: only times within a day, only days if the times stay. */
function whenClause(context: SentenceContext): Clause {
  const { old, edit, names } = context;
  const [was, is] = [old.when, edit.patch.when];
  if (!is) return (item) => `left ${item} as it was`;
  if (!was) return (item) => `set ${item} to ${spanOf(is, context)}`;
  const [from, to] = [inZone(was, names.zone), inZone(is, names.zone)];
  if (from.kind === "times" && to.kind === "times") return timesClause({ from, to }, context);
  if (from.kind === "dates" && to.kind === "dates") return datesClause({ from, to }, context);
  return to.kind === "dates"
    ? (item) => `made ${item} all day, ${dayRange(to, context)} (before: ${spanOf(was, context)})`
    : (item) => `gave ${item} a time, ${spanOf(is, context)} (before: ${spanOf(was, context)})`;
}

type Times = Extract<When, { readonly kind: "times" }>;
type Dates = Extract<When, { readonly kind: "dates" }>;

function timesClause(
  { from, to }: { readonly from: Times; readonly to: Times },
  context: SentenceContext,
): Clause {
  const [day, newDay] = [from.start.toPlainDate(), to.start.toPlainDate()];
  const [clock, newClock] = [clockInWords(from.start), clockInWords(to.start)];
  const sameStart = from.start.epochMilliseconds === to.start.epochMilliseconds;
  const end = endOf(from, context);
  const newEnd = endOf(to, context);
  if (sameStart && newEnd !== null) {
    return (item) => `set the end of ${item} ${end === null ? "" : `from ${end} `}to ${newEnd}`;
  }
  if (sameStart) return (item) => `took the end off ${item}`;
  const sameLength = lengthOf(from) === lengthOf(to);
  if (!sameLength) {
    return (item) => `moved ${item} from ${spanOf(from, context)} to ${spanOf(to, context)}`;
  }
  if (sameDay(day, newDay)) return (item) => `moved ${item} from ${clock} to ${newClock}`;
  const [oldDay, nextDay] = [dayOf(day, context), dayOf(newDay, context)];
  return clock === newClock
    ? (item) => `moved ${item} from ${oldDay} to ${nextDay}`
    : (item) => `moved ${item} from ${oldDay}, ${clock} to ${nextDay}, ${newClock}`;
}

function datesClause(
  { from, to }: { readonly from: Dates; readonly to: Dates },
  context: SentenceContext,
): Clause {
  const sameLength = daysOf(from) === daysOf(to);
  return sameLength
    ? (item) => `moved ${item} from ${dayOf(from.start, context)} to ${dayOf(to.start, context)}`
    : (item) => `moved ${item} from ${dayRange(from, context)} to ${dayRange(to, context)}`;
}

const daysOf = ({ start, end }: Dates): number => start.until(end).days;
const lengthOf = ({ start, end }: Times): number | null =>
  end && end.epochMilliseconds - start.epochMilliseconds;

/** The end of timed events: its time, with the day if that differs. */
function endOf(
  { start, end }: Times,
  context: Pick<SentenceContext, "edit" | "names">,
): string | null {
  if (!end) return null;
  const isSameDay = sameDay(start.toPlainDate(), end.toPlainDate());
  return isSameDay
    ? clockInWords(end)
    : `${dayOf(end.toPlainDate(), context)}, ${clockInWords(end)}`;
}

function spanOf(when: When, context: Pick<SentenceContext, "edit" | "names">): string {
  const local = inZone(when, context.names.zone);
  if (local.kind === "dates") return `all day ${dayRange(local, context)}`;
  const from = `${dayOf(local.start.toPlainDate(), context)}, ${clockInWords(local.start)}`;
  const end = endOf(local, context);
  return end === null ? from : `${from}–${end}`;
}

function dayRange({ start, end }: Dates, context: Pick<SentenceContext, "edit" | "names">): string {
  const last = end.subtract({ days: 1 });
  return sameDay(start, last)
    ? dayOf(start, context)
    : `${dayOf(start, context)} – ${dayOf(last, context)}`;
}

/** A day, with its year if that is not the year of the edit. */
function dayOf(
  day: Temporal.PlainDate,
  { edit, names }: { readonly edit: DescribedEdit; readonly names: Names },
): string {
  const { year } = edit.createdAt.toZonedDateTimeISO(names.zone);
  return day.year === year ? dayInWords(day).replace(/ -?\d+$/, "") : dayInWords(day);
}

/** An edit's progress in a few words. */
function standingInWords(edit: Edit): string {
  const { state, parkReason, createdAt, confirmedAt, problem, frozen } = edit;
  switch (state) {
    case "pending":
      return problem === null ? editStateLabels.pending : "not delivered yet; will be retried";
    case "confirmed":
      return confirmedAt
        ? `${editStateLabels.confirmed} ${sinceInWords(createdAt, confirmedAt)}`
        : editStateLabels.confirmed;
    case "claimed":
    case "held":
    case "discarded":
    case "undone":
      return editStateLabels[state];
    case "parked":
      break;
    default:
      return unreachable(state);
  }
  switch (parkReason) {
    case "conflict":
      return parkReasonLabels.conflict;
    case "refused":
    case "unknown-outcome":
      return `${parkReasonLabels[parkReason]}; ${editStateLabels.parked}`;
    case "failed":
    case null:
      return frozen
        ? "on hold: the item keeps changing"
        : `could not be sent; ${editStateLabels.parked}`;
    default:
      return unreachable(parkReason);
  }
}

/** How long something took: "in 0.2 s", "in 12 s", "after 3 minutes". */
export function sinceInWords(from: Temporal.Instant, to: Temporal.Instant): string {
  const seconds = from.until(to).total("seconds");
  if (seconds < 10) return `in ${Math.max(0.1, Math.round(seconds * 10) / 10)} s`;
  if (seconds < 60) return `in ${Math.round(seconds)} s`;
  const length = Temporal.Duration.from({ seconds: Math.round(seconds) });
  return `after ${lengthInWords(length, from.toZonedDateTimeISO("UTC"))}`;
}
