import { inZone, type When, wholeMinutes } from "@dayferry/ical";
import { isId, type LabelId, labelId, type PersonId, personId } from "../../domain/ids.ts";
import type { EventItem, Item, TaskItem } from "../../domain/item.ts";
import type { Patch } from "../../domain/patch.ts";
import { fail, ok, type Result } from "../../domain/result.ts";
import { plainDescription } from "../../domain/text.ts";
import { serviceTimes } from "../intake/diff-times.ts";

/**
 * What a form says of an item, as browsers send it: days as `YYYY-MM-DD` (the last one inclusive), clocks as `HH:MM` in the
 * reader's zone, lengths in minutes, "yes" or "" for a box, ids as digits. `undefined`: the form does not speak of it.
 */
export interface ItemFields {
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly completed?: string | undefined;
  readonly assigned?: readonly string[] | undefined;
  readonly startOn?: string | undefined;
  readonly startAt?: string | undefined;
  readonly endOn?: string | undefined;
  readonly endAt?: string | undefined;
  readonly allDay?: string | undefined;
  readonly milestone?: string | undefined;
  readonly private?: string | undefined;
  readonly reminder?: string | undefined;
  readonly labels?: readonly string[] | undefined;
  readonly dueOn?: string | undefined;
  readonly estimated?: string | undefined;
}

/** A field that cannot be understood, and why, for people. */
export interface FieldFault {
  readonly field: keyof ItemFields;
  readonly message: string;
}

/** `reader`: the zone in which the form shows times; `account`: the one in which the service keeps them. */
export interface FormZones {
  readonly reader: string;
  readonly account: string;
}

/** The fields as a form shows them. */
export function fieldsOfItem(item: Item, zone: string): ItemFields {
  const common = {
    title: item.title,
    description: plainDescription(item.description) ?? "",
    completed: yes(item.completed),
    assigned: item.assigned.map(String),
  };
  return item.kind === "event"
    ? { ...common, ...eventFields(item, zone) }
    : { ...common, ...taskFields(item) };
}

/**
 * What the form changes of the item that it showed; what is as it was shown is no wish. Fails with every field that cannot
 * be understood.
 */
export function readItemFields(
  given: ItemFields,
  { shown, zones }: { readonly shown: Item; readonly zones: FormZones },
): Result<Patch, readonly FieldFault[]> {
  const before = fieldsOfItem(shown, zones.reader);
  const differs = (field: keyof ItemFields): boolean =>
    given[field] !== undefined && textOf(given[field]) !== textOf(before[field]);
  const read = { ...before, ...spoken(given) };
  const faults: FieldFault[] = [];
  function taken<Value>(field: keyof ItemFields, value: Result<Value, string>): Value | undefined {
    if (value.ok) return value.value;
    faults.push({ field, message: value.failure });
    return undefined;
  }
  const part = <Value>(field: keyof ItemFields, parse: () => Result<Value, string>) => {
    const value = differs(field) ? taken(field, parse()) : undefined;
    return value === undefined ? {} : { [field]: value };
  };
  const common = {
    ...part("title", () => ok((read.title ?? "").trim())),
    ...part("description", () => ok(textOrNull(read.description))),
    ...part("completed", () => ok(read.completed === "yes")),
    ...part("assigned", () => readPeople(read.assigned ?? [])),
  };
  const own: Patch =
    shown.kind === "event"
      ? {
          ...part("milestone", () => ok(read.milestone === "yes")),
          ...part("private", () => ok(read.private === "yes")),
          ...part("reminder", () => readMinutes(read.reminder)),
        }
      : {
          ...part("labels", () => readLabels(read.labels ?? [])),
          ...part("startOn", () => readDay(read.startOn)),
          ...part("dueOn", () => readDay(read.dueOn)),
          ...part("estimated", () => readMinutes(read.estimated)),
        };
  const isMoved = shown.kind === "event" && timeFields.some(differs);
  const when = isMoved ? readWhen(read, zones.reader) : null;
  if (when && !when.ok) faults.push(when.failure);
  if (faults.length > 0) return fail(faults);
  return ok({
    ...common,
    ...own,
    ...(when?.ok && { when: serviceTimes(when.value, zones.account) }),
  });
}

const timeFields = ["startOn", "startAt", "endOn", "endAt", "allDay"] as const;

/** Times of day are asked for with an end, or without where there is none. */
function readWhen(fields: ItemFields, zone: string): Result<When, FieldFault> {
  const first = readDay(fields.startOn);
  if (!first.ok) return fail({ field: "startOn", message: first.failure });
  if (!first.value)
    return fail({ field: "startOn", message: "the day on which it starts is needed" });
  const last = readDay(fields.endOn);
  if (!last.ok) return fail({ field: "endOn", message: last.failure });
  const end = last.value ?? first.value;
  if (Temporal.PlainDate.compare(end, first.value) < 0) {
    return fail({ field: "endOn", message: `it would end on ${end.toString()}, before it starts` });
  }
  if (fields.allDay === "yes") {
    return ok({ kind: "dates", start: first.value, end: end.add({ days: 1 }) });
  }
  const from = readClock(fields.startAt, { on: first.value, zone });
  if (!from.ok) return fail({ field: "startAt", message: from.failure });
  if (textOrNull(fields.endAt) === null) return ok({ kind: "times", start: from.value, end: null });
  const to = readClock(fields.endAt, { on: end, zone });
  if (!to.ok) return fail({ field: "endAt", message: to.failure });
  if (Temporal.ZonedDateTime.compare(to.value, from.value) < 0) {
    return fail({ field: "endAt", message: `it would end at ${fields.endAt}, before it starts` });
  }
  return ok({ kind: "times", start: from.value, end: to.value });
}

/** A clock that a zone passes over on that day is told instead of being moved. */
function readClock(
  text: string | undefined,
  { on, zone }: { readonly on: Temporal.PlainDate; readonly zone: string },
): Result<Temporal.ZonedDateTime, string> {
  const given = text?.trim() ?? "";
  if (!/^([01]\d|2[0-3]):[0-5]\d(:\d\d)?$/.test(given)) {
    return fail(
      given === "" ? "a time of day is needed" : `"${given}" is no time of day such as 09:30`,
    );
  }
  const clock = on.toPlainDateTime(Temporal.PlainTime.from(given));
  const time = clock.toZonedDateTime(zone);
  return time.toPlainDateTime().equals(clock)
    ? ok(time)
    : fail(
        `there is no ${given} on ${on.toString()} in ${zone}: the clocks are put forward that night`,
      );
}

function readDay(text: string | undefined): Result<Temporal.PlainDate | null, string> {
  const given = textOrNull(text);
  if (given === null) return ok(null);
  if (!/^\d{4}-\d{2}-\d{2}$/.test(given)) return fail(`"${given}" is no day such as 2026-05-31`);
  try {
    return ok(Temporal.PlainDate.from(given));
  } catch {
    return fail(`there is no day ${given}`);
  }
}

function readMinutes(text: string | undefined): Result<Temporal.Duration | null, string> {
  const given = textOrNull(text);
  if (given === null) return ok(null);
  return /^\d{1,6}$/.test(given)
    ? ok(Temporal.Duration.from({ minutes: Number(given) }))
    : fail(`"${given}" is no whole number of minutes`);
}

function readPeople(ids: readonly string[]): Result<readonly PersonId[], string> {
  const strange = ids.find((id) => !isId(Number(id)));
  return strange === undefined
    ? ok(ids.map((id) => personId(Number(id))))
    : fail(`"${strange}" is no person`);
}

function readLabels(ids: readonly string[]): Result<readonly LabelId[], string> {
  const strange = ids.find((id) => !isId(Number(id)));
  return strange === undefined
    ? ok(ids.map((id) => labelId(Number(id))))
    : fail(`"${strange}" is no label`);
}

function eventFields({ when, reminder, milestone, private: hidden }: EventItem, zone: string) {
  const marks = {
    milestone: yes(milestone),
    private: yes(hidden),
    reminder: reminder ? String(wholeMinutes(reminder)) : "",
  };
  const local = inZone(when, zone);
  if (local.kind === "dates") {
    const endOn = local.end.subtract({ days: 1 }).toString();
    return {
      ...marks,
      allDay: "yes",
      startOn: local.start.toString(),
      startAt: "",
      endOn,
      endAt: "",
    };
  }
  const { start, end } = local;
  return {
    ...marks,
    allDay: "",
    startOn: start.toPlainDate().toString(),
    startAt: clockOf(start),
    endOn: (end ?? start).toPlainDate().toString(),
    endAt: end ? clockOf(end) : "",
  };
}

const taskFields = ({ labels, startOn, dueOn, estimated }: TaskItem) => ({
  labels: labels.map(String),
  startOn: startOn?.toString() ?? "",
  dueOn: dueOn?.toString() ?? "",
  estimated: estimated ? String(wholeMinutes(estimated)) : "",
});

const clockOf = (time: Temporal.ZonedDateTime): string =>
  time.toPlainTime().toString({ smallestUnit: "minute" });

const yes = (value: boolean): string => (value ? "yes" : "");

const textOrNull = (text: string | undefined): string | null => {
  const given = text?.trim() ?? "";
  return given === "" ? null : given;
};

/** Browsers end lines with CR LF, and tell of a set in any order. */
const textOf = (value: string | readonly string[] | undefined): string =>
  typeof value === "object"
    ? [...new Set(value)].toSorted().join(",")
    : (value ?? "").replaceAll("\r\n", "\n").trim();

const spoken = (given: ItemFields): ItemFields =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
