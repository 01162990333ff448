import { inZone, type When, wholeMinutes } from "@dayferry/ical";
import type { FieldTypeName } from "../../domain/field-types.ts";
import {
  type EditedField,
  fieldOf,
  fieldsOfKind,
  type ItemKind,
  isEdited,
  itemKinds,
} from "../../domain/fields.ts";
import { isId, labelId, personId } from "../../domain/ids.ts";
import type { EventItem, Item } from "../../domain/item.ts";
import type { Patch } from "../../domain/patch.ts";
import { fail, ok, type Result } from "../../domain/result.ts";
import { plainDescription } from "../../domain/text.ts";
import { say } from "../../texts/say.ts";
import { serviceTimes } from "../intake/diff-times.ts";

const timeFields = ["startOn", "startAt", "endOn", "endAt", "allDay"] as const;
type SetField = "assigned" | "labels";
type TextField = Exclude<EditedField, SetField | "when"> | (typeof timeFields)[number];

/**
 * An item's form fields as browsers send them: days as `YYYY-MM-DD` (last one inclusive), times as `HH:MM` in the reader's
 * zone, durations in minutes, "yes" or "" for a checkbox, ids as digits. `undefined`: the form lacks the field.
 */
export type ItemFields = { readonly [Name in TextField]?: string | undefined } & {
  readonly [Name in SetField]?: readonly string[] | undefined;
};

/** How a form displays and parses values of one type. */
interface FormType {
  show(value: unknown): string | readonly string[];
  /** Fails with a sentence. */
  read(given: unknown): Result<unknown, string>;
}

const textType: FormType = {
  show: (value) => (typeof value === "string" ? value : ""),
  read: (given) => ok(textOrNull(given)),
};
type IdFault = "fieldFault.unknownPerson" | "fieldFault.unknownLabel";

const idsType = (make: (id: number) => unknown, fault: IdFault): FormType => ({
  show: (value) => (Array.isArray(value) ? value.map(String) : []),
  read(given) {
    const ids = Array.isArray(given) ? given.map(String) : [];
    const strange = ids.find((id) => !isId(Number(id)));
    return strange === undefined
      ? ok(ids.map((id) => make(Number(id))))
      : fail(say(fault, { id: strange }));
  },
});

const formTypes: Readonly<Partial<Record<FieldTypeName, FormType>>> = {
  day: {
    show: (value) => (value instanceof Temporal.PlainDate ? value.toString() : ""),
    read: (given) => readDay(given),
  },
  flag: {
    show: (value) => (value === true ? "yes" : ""),
    read: (given) => ok(given === "yes"),
  },
  labels: idsType(labelId, "fieldFault.unknownLabel"),
  line: textType,
  minutes: {
    show: (value) => (value instanceof Temporal.Duration ? String(wholeMinutes(value)) : ""),
    read: (given) => readMinutes(given),
  },
  people: idsType(personId, "fieldFault.unknownPerson"),
  prose: {
    ...textType,
    show: (value) => (typeof value === "string" ? plainDescription(value) : ""),
  },
  title: { ...textType, read: (given) => ok(textOrNull(given) ?? "") },
};

const formFields = (kind: ItemKind) =>
  fieldsOfKind(kind)
    .filter(isEdited)
    .flatMap((name) => {
      const type = formTypes[fieldOf(name).type.name];
      return type ? [{ name, type }] : [];
    });

/** Names of all form fields: with one text, and with several values. */
export const formFieldNames: {
  readonly texts: readonly TextField[];
  readonly sets: readonly SetField[];
} = Object(
  Object.groupBy(
    new Set([...itemKinds.flatMap(formFields).map(({ name }) => name), ...timeFields]),
    (name) => (name === "assigned" || name === "labels" ? "sets" : "texts"),
  ),
);

/** An invalid field, and why, for people. */
export interface FieldFault {
  readonly field: keyof ItemFields;
  readonly message: string;
}

/** `reader`: the zone in which the form shows times; `account`: the one in which the service stores them. */
export interface FormZones {
  readonly reader: string;
  readonly account: string;
}

/** The fields as a form displays them. */
export function fieldsOfItem(item: Item, zone: string): ItemFields {
  const values: Readonly<Record<string, unknown>> = { ...item };
  return {
    ...Object.fromEntries(
      formFields(item.kind).map(({ name, type }) => [name, type.show(values[name])]),
    ),
    ...(item.kind === "event" && timesOf(item, zone)),
  };
}

/** What the form changes of the item it showed; unchanged fields are left out. Fails with every invalid field. */
export function readItemFields(
  given: ItemFields,
  shown: Item,
  zones: FormZones,
): Result<Patch, readonly FieldFault[]> {
  const before = fieldsOfItem(shown, zones.reader);
  const differs = (field: keyof ItemFields): boolean =>
    given[field] !== undefined && textOf(given[field]) !== textOf(before[field]);
  const faults: FieldFault[] = [];
  const wishes: [EditedField, unknown][] = [];
  for (const { name, type } of formFields(shown.kind)) {
    if (name === "when" || !differs(name)) continue;
    const value = type.read(given[name]);
    if (value.ok) wishes.push([name, value.value]);
    else faults.push({ field: name, message: value.failure });
  }
  const isMoved = shown.kind === "event" && timeFields.some(differs);
  const when = isMoved ? readWhen({ ...before, ...spoken(given) }, zones.reader) : null;
  if (when && !when.ok) faults.push(when.failure);
  if (faults.length > 0) return fail(faults);
  if (when?.ok) wishes.push(["when", serviceTimes(when.value, zones.account)]);
  return ok(Object(Object.fromEntries(wishes)));
}

/** Timed events have an optional end. */
function readWhen(fields: ItemFields, zone: string): Result<When, FieldFault> {
  const first = readDay(fields.startOn);
  if (!first.ok) return fail({ field: "startOn", message: first.failure });
  if (!first.value) return fail({ field: "startOn", message: say("fieldFault.noStart") });
  const last = readDay(fields.endOn);
  if (!last.ok) return fail({ field: "endOn", message: last.failure });
  const end = last.value ?? first.value;
  if (Temporal.PlainDate.compare(end, first.value) < 0) {
    const message = say("fieldFault.endBefore", { end: end.toString() });
    return fail({ field: "endOn", message });
  }
  if (fields.allDay === "yes") {
    return ok({ kind: "dates", start: first.value, end: end.add({ days: 1 }) });
  }
  const from = readClock(fields.startAt, first.value, zone);
  if (!from.ok) return fail({ field: "startAt", message: from.failure });
  if (textOrNull(fields.endAt) === null) return ok({ kind: "times", start: from.value, end: null });
  const to = readClock(fields.endAt, end, zone);
  if (!to.ok) return fail({ field: "endAt", message: to.failure });
  if (Temporal.ZonedDateTime.compare(to.value, from.value) < 0) {
    const message = say("fieldFault.endBefore", { end: fields.endAt ?? "" });
    return fail({ field: "endAt", message });
  }
  return ok({ kind: "times", start: from.value, end: to.value });
}

/** A time skipped by a clock change is reported instead of being moved. */
function readClock(
  text: string | undefined,
  on: Temporal.PlainDate,
  zone: string,
): Result<Temporal.ZonedDateTime, string> {
  const given = text?.trim() ?? "";
  if (!/^([01]\d|2[0-3]):[0-5]\d(:\d\d)?$/.test(given)) {
    return fail(
      given === "" ? say("fieldFault.noTime") : say("fieldFault.badTime", { text: given }),
    );
  }
  const clock = on.toPlainDateTime(Temporal.PlainTime.from(given));
  const time = clock.toZonedDateTime(zone);
  return time.toPlainDateTime().equals(clock)
    ? ok(time)
    : fail(say("fieldFault.skippedTime", { time: given, day: on.toString(), zone }));
}

function readDay(text: unknown): Result<Temporal.PlainDate | null, string> {
  const given = textOrNull(text);
  if (given === null) return ok(null);
  if (!/^\d{4}-\d{2}-\d{2}$/.test(given)) return fail(say("fieldFault.badDay", { text: given }));
  try {
    return ok(Temporal.PlainDate.from(given));
  } catch {
    return fail(say("fieldFault.noDay", { text: given }));
  }
}

function readMinutes(text: unknown): Result<Temporal.Duration | null, string> {
  const given = textOrNull(text);
  if (given === null) return ok(null);
  return /^\d{1,6}$/.test(given)
    ? ok(Temporal.Duration.from({ minutes: Number(given) }))
    : fail(say("fieldFault.badMinutes", { text: given }));
}

function timesOf({ when }: EventItem, zone: string) {
  const local = inZone(when, zone);
  if (local.kind === "dates") {
    const endOn = local.end.subtract({ days: 1 }).toString();
    return { allDay: "yes", startOn: local.start.toString(), startAt: "", endOn, endAt: "" };
  }
  const { start, end } = local;
  return {
    allDay: "",
    startOn: start.toPlainDate().toString(),
    startAt: clockOf(start),
    endOn: (end ?? start).toPlainDate().toString(),
    endAt: end ? clockOf(end) : "",
  };
}

const clockOf = (time: Temporal.ZonedDateTime): string =>
  time.toPlainTime().toString({ smallestUnit: "minute" });

const textOrNull = (text: unknown): string | null => {
  const given = typeof text === "string" ? text.trim() : "";
  return given === "" ? null : given;
};

/** Browsers end lines with CR LF, and send sets in any order. */
const textOf = (value: string | readonly string[] | undefined): string =>
  typeof value === "object"
    ? [...new Set(value)].toSorted().join(",")
    : (value ?? "").replaceAll("\r\n", "\n").trim();

const spoken = (given: ItemFields): ItemFields =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
