import type { ServiceId } from "./ids.ts";
import type { Item } from "./item.ts";

/** A date that stands in a custom field of a task. */
export interface CustomDate {
  readonly id: ServiceId;
  /** The field's own. */
  readonly title: string;
  readonly on: Temporal.PlainDate;
}

/**
 * The custom fields of type `Date` that hold a date; events have none, and what is no date is passed over.
 * Source: service-api.md, Custom field.
 */
export function customDatesOf(item: Item): readonly CustomDate[] {
  if (item.kind === "event") return [];
  return item.customFields.flatMap(({ id, title, type, value }) => {
    const on = type === "Date" && typeof value === "string" ? readDate(value) : null;
    return on ? [{ id, title, on }] : [];
  });
}

/** What a calendar shows of such a date: the task, then the field. */
export const customDateTitle = (task: string, field: string): string => `${task}: ${field}`;

/** UID for life of a date in a custom field, made of the field's id and the task's UID. */
export const customDateUid = (field: ServiceId, taskUid: string): string =>
  `field-${field}-${taskUid}`;

/** Field and task of such a UID; null for any other. */
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
