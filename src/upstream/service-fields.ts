import { oneLine } from "@dayferry/ical";
import type { FieldTypeName } from "../domain/field-types.ts";
import {
  fieldOf,
  fieldsOfKind,
  type ItemKind,
  isEdited,
  type ServiceField,
} from "../domain/fields.ts";
import type { EventItem, TaskItem } from "../domain/item.ts";
import type { Patch } from "../domain/patch.ts";
import * as wire from "./wire.ts";

/** Parsers for fields that the service returns under one key, by type. */
const readers: Readonly<Partial<Record<FieldTypeName, (raw: unknown) => unknown>>> = {
  flag: wire.flag,
  labels: wire.labelIds,
  line: (raw) => oneLine(wire.text(raw) ?? "") || null,
  minutes: readMinutes,
  people: wire.people,
  prose: wire.prose,
};

const serviceFields = (kind: ItemKind) =>
  fieldsOfKind(kind).flatMap((name) => {
    const { service, type } = fieldOf(name);
    const read = readers[type.name];
    return service !== undefined && read ? [{ name, key: service, read }] : [];
  });
const fieldsByKind = { event: serviceFields("event"), task: serviceFields("task") };

type ReadFields = {
  readonly event: Pick<EventItem, ServiceField & keyof EventItem>;
  readonly task: Pick<TaskItem, ServiceField & keyof TaskItem>;
};

/** Reads the fields that need no code of their own. Omitted fields keep their known value. */
export function readServiceFields<Holder extends keyof ReadFields>(
  holder: Holder,
  about: {
    readonly raw: Readonly<Record<string, unknown>>;
    readonly known: Partial<EventItem> | Partial<TaskItem>;
    readonly issues: wire.ReadIssues | undefined;
  },
): ReadFields[Holder] {
  const known: Readonly<Record<string, unknown>> = { ...about.known };
  const keep = wire.omittedStays(about.issues);
  const values = fieldsByKind[holder].map(({ name, key, read }) => [
    name,
    keep(key, { raw: about.raw[key], read, known: known[name] }),
  ]);
  return Object(Object.fromEntries(values));
}

/** The same fields of a patch, as sent to the service. */
export const writeServiceFields = (holder: keyof ReadFields, patch: Patch): object =>
  Object.fromEntries(
    fieldsByKind[holder].flatMap(({ name, key }) => {
      const value = isEdited(name) ? patch[name] : undefined;
      if (value === undefined) return [];
      return [[key, value instanceof Temporal.Duration ? wholeMinutesOf(value) : value]];
    }),
  );

/** Nobody can be reminded a century before the start. */
const mostMinutes = 100 * 366 * 1440;

function readMinutes(raw: unknown): Temporal.Duration | null {
  const minutes = wire.amount(raw);
  return minutes === null || minutes > mostMinutes
    ? null
    : Temporal.Duration.from({ minutes: Math.round(minutes) });
}

const wholeMinutesOf = (length: Temporal.Duration): number => Math.round(length.total("minutes"));
