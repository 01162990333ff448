import type { ServiceId } from "./ids.ts";
import type { Item } from "./item.ts";

/** A date in a custom field of a task. */
export interface CustomDate {
  readonly id: ServiceId;
  /** Title of the custom field. */
  readonly title: string;
  readonly on: Temporal.PlainDate;
}

/** The custom fields of type `Date` with a valid date. Events have none. Source: service-api.md, Custom field. */
export function customDatesOf(item: Item): readonly CustomDate[] {
  if (item.kind === "event") return [];
  return item.customFields.flatMap(({ id, title, type, value }) => {
    const on = type === "Date" && typeof value === "string" ? readDate(value) : null;
    return on ? [{ id, title, on }] : [];
  });
}

/** The title that calendars show: the task, then the field. */
export const customDateTitle = (task: string, field: string): string => `${task}: ${field}`;

/** Permanent UID of a date in a custom field, made from the field's id and the task's UID. */
export const customDateUid = (field: ServiceId, taskUid: string): string =>
  `field-${field}-${taskUid}`;

/** The field and the task of such a UID; null for any other. */
export function readCustomDateUid(
  uid: string,
): { readonly field: number; readonly taskUid: string } | null {
  const [, field, taskUid] = /^field-([1-9]\d{0,15})-(.+)$/.exec(uid) ?? [];
  return field === undefined || taskUid === undefined ? null : { field: Number(field), taskUid };
}

function readDate(text: string): Temporal.PlainDate | null {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return null;
  try {
    return Temporal.PlainDate.from(text);
  } catch {
    return null;
  }
}
