import { inZone, type When } from "@dayferry/ical";
import type { Channel, Edit } from "../../domain/edit.ts";
import { type EditedField, fieldOf } from "../../domain/fields.ts";
import type { PersonId } from "../../domain/ids.ts";
import type { Item } from "../../domain/item.ts";
import { applyPatch, fieldsOf, type Patch, type PatchField, valuesOf } from "../../domain/patch.ts";
import { unreachable } from "../../domain/result.ts";
import { sameDay, sameSet } from "../../domain/same-values.ts";
import {
  clockInWords,
  enumerated,
  excerpt,
  fieldInWords,
  fieldNameOf,
  kindInWords,
  lengthInWords,
  type Names,
  plainLine,
  programInWords,
} from "../../domain/wording.ts";
import { formatDay } from "../../texts/dates.ts";
import { isMessageId, type MessageId, say } from "../../texts/say.ts";
import { quote } from "../intake/plan-part.ts";
import { editStateLabel, parkReasonLabel } from "./state-labels.ts";

/** An edit in a sentence. Times are in the reader's zone, which is shown beside it. */
export interface EditInWords {
  /** "Ben moved Release call from 10:00 to 11:00, by Thunderbird, there in 0.2 s". */
  readonly sentence: string;
  /** "Ben". */
  readonly who: string;
  /** "moved Release call from 10:00 to 11:00". */
  readonly did: string;
  /** "by Thunderbird"; null if unknown. */
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
  if (actor !== null) return plainLine(people.get(actor) ?? say("unnamed.Person", { id: actor }));
  return say(channel === "link" ? "did.linkUser" : "did.account");
}

/** The part of an edit that says what it does. */
export type DescribedEdit = Pick<Edit, "action" | "base" | "patch" | "newLabels" | "createdAt"> &
  Partial<Pick<Edit, "undoes">> & {
    /** True if it is only planned: "move", not "moved". */
    readonly isPlanned?: boolean;
  };

type Verb = MessageId extends infer Id ? (Id extends `will.${infer Name}` ? Name : never) : never;

/** The message of an edit's verb. */
const tensed = <Name extends Verb>(name: Name, { isPlanned = false }: DescribedEdit) =>
  isPlanned ? (`will.${name}` as const) : (`did.${name}` as const);

/** What an edit did, or would do, with the title of its item. */
export function didInWords(edit: DescribedEdit, names: Names): string {
  const did = whatItDid(edit, names);
  const { undoes = null } = edit;
  return undoes === null ? did : say(tensed("undo", edit), { id: undoes, did });
}

function whatItDid(edit: DescribedEdit, names: Names): string {
  const { action, base, patch, newLabels } = edit;
  const title = titleIn(base.title);
  switch (action) {
    case "create": {
      const made = applyPatch(base, patch);
      const date = dateOf(made, { edit, names });
      return say(tensed("create", edit), {
        kind: kindInWords(made),
        title: titleIn(made.title),
        date,
      });
    }
    case "delete":
      return say(tensed("delete", edit), { title, date: dateOf(base, { edit, names }) });
    case "update":
    case "complete":
    case "reopen": {
      // Described relative to what the editor saw, even if someone else has changed it since.
      const context = { old: valuesOf(base), edit, names };
      const clauses = [
        ...fieldsOf(patch)
          .filter((field) => field !== "labels" || newLabels.length === 0 || !isSameLabels(edit))
          .map((field) => clauseOf(field, context)),
        ...(newLabels.length > 0 ? [newLabelsClause(newLabels, edit)] : []),
      ];
      const said = clauses.map((clause, index) =>
        clause(index === 0 ? title : say("did.again", { title })),
      );
      return said.length === 0 ? say(tensed("unchanged", edit), { title }) : enumerated(said);
    }
    default:
      return unreachable(action);
  }
}

/** New labels are added to the present ones, which are in the patch as well. */
const isSameLabels = ({ base, patch }: DescribedEdit): boolean =>
  sameSet(valuesOf(base).labels ?? [], patch.labels ?? []);

const longestTitle = 80;
const titleIn = (title: string): string => excerpt(plainLine(title), longestTitle);

/** An item's date after its title: " on Tue 24 Nov, 10:00–11:00", " due Tue 24 Nov"; empty for a task without dates. */
function dateOf(item: Item, { edit, names }: Pick<SentenceContext, "edit" | "names">): string {
  if (item.kind === "event") {
    const span = spanOf(item.when, { edit, names });
    return item.when.kind === "dates" ? `, ${span}` : ` ${say("did.onSpan", { span })}`;
  }
  const due = item.dueOn ?? item.startOn;
  if (!due) return "";
  return `, ${say(item.dueOn ? "did.due" : "did.from", { day: dayOf(due, { edit, names }) })}`;
}

interface SentenceContext {
  readonly old: Patch;
  readonly edit: DescribedEdit;
  readonly names: Names;
}

/** A part of a sentence for a given title. */
type Clause = (title: string) => string;

function clauseOf(field: PatchField, context: SentenceContext): Clause {
  if (field !== "place") return clauses[field]?.(context) ?? valueClause(field, context);
  const { old, edit, names } = context;
  const [from = "", to = ""] = [old, edit.patch].map((values) =>
    fieldInWords(field, values, names),
  );
  return (title) => say(tensed("move", edit), { title, from, to });
}

/** Fields with a description of their own. */
const clauses: Readonly<Partial<Record<EditedField, (context: SentenceContext) => Clause>>> = {
  title: ({ edit }) => {
    const to = titleIn(edit.patch.title ?? "");
    return (title) => say(tensed("rename", edit), { title, to });
  },
  when: (context) => whenClause(context),
  milestone: ({ edit }) => {
    return (title) =>
      say(tensed(edit.patch.milestone ? "milestone" : "notMilestone", edit), { title });
  },
  private: ({ edit }) => {
    return (title) => say(tensed(edit.patch.private ? "private" : "public", edit), { title });
  },
  completed: ({ edit }) => {
    return (title) => say(tensed(edit.patch.completed ? "complete" : "reopen", edit), { title });
  },
  assigned: (context) => setClause(context, "assigned"),
  labels: (context) => setClause(context, "labels"),
  startOn: (context) => dayClause("startOn", context),
  dueOn: (context) => dayClause("dueOn", context),
};

/** A field in the middle of a sentence: "the due date", or its name alone. */
const nounOf = (field: EditedField): string => {
  const id = `noun.${field}` as const;
  return isMessageId(id) ? say(id) : fieldNameOf(field);
};

function valueClause(field: EditedField, { old, edit, names }: SentenceContext): Clause {
  const { patch } = edit;
  const noun = nounOf(field);
  if (!patch[field]) return (title) => say(tensed("took", edit), { noun, title });
  if (fieldOf(field).type.name !== "prose") {
    return (title) =>
      say(tensed("set", edit), { noun, title, value: fieldInWords(field, patch, names) });
  }
  return (title) => say(tensed(old[field] ? "changed" : "gave", edit), { noun, title });
}

function dayClause(field: "startOn" | "dueOn", { old, edit, names }: SentenceContext): Clause {
  const noun = nounOf(field);
  const [was, is] = [old[field], edit.patch[field]];
  const said = (day: Temporal.PlainDate) => dayOf(day, { edit, names });
  if (!is) {
    return (title) =>
      was
        ? say(tensed("tookDay", edit), { noun, title, was: said(was) })
        : say(tensed("took", edit), { noun, title });
  }
  if (!was) return (title) => say(tensed("set", edit), { noun, title, value: said(is) });
  return (title) => say(tensed("moveDay", edit), { noun, title, from: said(was), to: said(is) });
}

/** People and labels are added and removed one by one. */
function setClause({ old, edit, names }: SentenceContext, field: "assigned" | "labels"): Clause {
  const [was, is]: readonly (readonly number[])[] = [old[field] ?? [], edit.patch[field] ?? []];
  const known: ReadonlyMap<number, string> = field === "assigned" ? names.people : names.labels;
  const nameOf = (id: number) =>
    plainLine(
      known.get(id) ?? say(field === "assigned" ? "unnamed.person" : "unnamed.label", { id }),
    );
  const added = (is ?? []).filter((id) => !was?.includes(id)).map(nameOf);
  const removed = (was ?? []).filter((id) => !is?.includes(id)).map(nameOf);
  return (title) => {
    const came = say(tensed(field === "assigned" ? "assign" : "label", edit), {
      names: enumerated(added),
      title,
    });
    const went = say(tensed("takeOff", edit), {
      names: enumerated(removed),
      title: added.length > 0 ? say("did.again", { title }) : title,
    });
    if (added.length === 0)
      return removed.length === 0 ? say(tensed("unchanged", edit), { title }) : went;
    return removed.length === 0 ? came : enumerated([came, went]);
  };
}

const newLabelsClause =
  (labels: readonly string[], edit: DescribedEdit): Clause =>
  (title) =>
    say(tensed("newLabels", edit), {
      title,
      count: labels.length,
      names: enumerated(labels.map(quote)),
    });

/** The shortest description of the change: only times within a day, only days if the times stay. */
function whenClause(context: SentenceContext): Clause {
  const { old, edit, names } = context;
  const [was, is] = [old.when, edit.patch.when];
  if (!is) return (title) => say(tensed("unchanged", edit), { title });
  if (!was) return (title) => say(tensed("setTime", edit), { title, span: spanOf(is, context) });
  const [from, to] = [inZone(was, names.zone), inZone(is, names.zone)];
  if (from.kind === "times" && to.kind === "times") return timesClause({ from, to }, context);
  if (from.kind === "dates" && to.kind === "dates") return datesClause({ from, to }, context);
  const before = spanOf(was, context);
  return to.kind === "dates"
    ? (title) =>
        say(tensed("madeAllDay", edit), { title, days: dayRange(to, context), was: before })
    : (title) => say(tensed("gaveTime", edit), { title, span: spanOf(is, context), was: before });
}

type Times = Extract<When, { readonly kind: "times" }>;
type Dates = Extract<When, { readonly kind: "dates" }>;

function timesClause(
  { from, to }: { readonly from: Times; readonly to: Times },
  context: SentenceContext,
): Clause {
  const { edit } = context;
  const [day, newDay] = [from.start.toPlainDate(), to.start.toPlainDate()];
  const [clock, newClock] = [clockInWords(from.start), clockInWords(to.start)];
  const sameStart = from.start.epochMilliseconds === to.start.epochMilliseconds;
  const end = endOf(from, context);
  const newEnd = endOf(to, context);
  if (sameStart && newEnd !== null) {
    return (title) =>
      end === null
        ? say(tensed("setEnd", edit), { title, to: newEnd })
        : say(tensed("moveEnd", edit), { title, from: end, to: newEnd });
  }
  if (sameStart) return (title) => say(tensed("tookEnd", edit), { title });
  const sameLength = lengthOf(from) === lengthOf(to);
  if (!sameLength) return moved(spanOf(from, context), spanOf(to, context), context);
  if (sameDay(day, newDay)) return moved(clock, newClock, context);
  const [oldDay, nextDay] = [dayOf(day, context), dayOf(newDay, context)];
  return clock === newClock
    ? moved(oldDay, nextDay, context)
    : moved(`${oldDay}, ${clock}`, `${nextDay}, ${newClock}`, context);
}

const moved =
  (from: string, to: string, { edit }: Pick<SentenceContext, "edit">): Clause =>
  (title) =>
    say(tensed("move", edit), { title, from, to });

function datesClause(
  { from, to }: { readonly from: Dates; readonly to: Dates },
  context: SentenceContext,
): Clause {
  const sameLength = daysOf(from) === daysOf(to);
  return sameLength
    ? moved(dayOf(from.start, context), dayOf(to.start, context), context)
    : moved(dayRange(from, context), dayRange(to, context), context);
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
  if (local.kind === "dates") return say("span.days", { days: dayRange(local, context) });
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
  return formatDay(day, day.year === year ? "dayWithoutYear" : "day");
}

/** An edit's progress in a few words. */
function standingInWords(edit: Edit): string {
  const { state, parkReason, createdAt, confirmedAt, problem, frozen } = edit;
  switch (state) {
    case "pending":
      return problem === null ? editStateLabel(state) : say("did.notDelivered");
    case "confirmed":
      return confirmedAt
        ? say("did.confirmedIn", {
            state: editStateLabel(state),
            since: sinceInWords(createdAt, confirmedAt),
          })
        : editStateLabel(state);
    case "claimed":
    case "held":
    case "discarded":
    case "undone":
      return editStateLabel(state);
    case "parked":
      break;
    default:
      return unreachable(state);
  }
  switch (parkReason) {
    case "conflict":
      return parkReasonLabel(parkReason);
    case "refused":
    case "unknown-outcome":
      return `${parkReasonLabel(parkReason)}; ${editStateLabel(state)}`;
    case "failed":
    case null:
      return frozen ? say("did.onHold") : `${say("did.notSent")}; ${editStateLabel(state)}`;
    default:
      return unreachable(parkReason);
  }
}

/** How long something took: "in 0.2 s", "in 12 s", "after 3 minutes". */
export function sinceInWords(from: Temporal.Instant, to: Temporal.Instant): string {
  const seconds = from.until(to).total("seconds");
  if (seconds < 60) {
    const rounded = seconds < 10 ? Math.round(seconds * 10) / 10 : Math.round(seconds);
    return say("did.inSeconds", { seconds: Math.max(0.1, rounded) });
  }
  const length = Temporal.Duration.from({ seconds: Math.round(seconds) });
  return say("did.after", { length: lengthInWords(length, from.toZonedDateTimeISO("UTC")) });
}
