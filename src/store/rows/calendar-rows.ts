import type { Channel } from "../../domain/edit.ts";
import { itemKey, personId, revision } from "../../domain/ids.ts";
import { orNull, rowReader, tableRow, textOf, toFlag, toInstant } from "./row.ts";
import type { Tables } from "./tables.ts";

/** The component of an object: an event or a to-do. */
export type StoredComponent = ObjectRow["component"];

/** The latest octets that clients have sent for an item, in one component. */
export const objectRow = rowReader<Tables["objects"]>()({
  item: itemKey,
  component: "same",
  channel: textOf<Channel>(),
  uid: "same",
  /** Unfolded lines from BEGIN to END, joined by LF. */
  raw: "same",
  /** The octets of the whole calendar object received over CalDAV; null for other channels. */
  body: "same",
  /** The item as this build wrote it when the body was stored; null without a body. */
  rendered: "same",
  /** True if what calendars show of the item has changed since. */
  stale: toFlag,
  /** Like `raw`, from another channel after the body; null if none. */
  overlaid: "same",
  actor: orNull(personId),
  /** User-Agent of the program that put the body; null without one. */
  agent: "same",
  at: toInstant,
});
export type ObjectRow = ReturnType<typeof objectRow>;

/** An object put by a waiting edit. */
export interface HeldObject {
  readonly name: string;
  /** Null if the item was only moved to the name. */
  readonly row: ObjectRow | null;
}

export function heldObjectRow(row: unknown): HeldObject {
  const { name, component } = tableRow<"held_objects">(row);
  const rest = { ...Object(row), channel: "caldav", overlaid: null };
  return { name, row: component === null ? null : objectRow(rest) };
}

/** The numbers that give the SEQUENCE of stored octets. */
export function shownNumbersRow(row: unknown) {
  const raw = row as { raw: string; sequence: number; stale: number };
  return { raw: raw.raw, sequence: raw.sequence, isStale: raw.stale === 1 };
}

/** The numbers that give the SEQUENCE shown to an editor, and to everyone else. */
export function heldNumbersRow(row: unknown) {
  const raw = row as {
    item: number;
    sequence: number;
    raw: string;
    stale: number;
    everybodys: string | null;
    everybodys_stale: number | null;
  };
  const { sequence, everybodys } = raw;
  return {
    ...{ item: itemKey(raw.item), sequence, raw: raw.raw, everybodys },
    isStale: raw.stale === 1,
    areEverybodysStale: raw.everybodys_stale === 1,
  };
}

/** A current or former name of an item. */
export const objectNameRow = rowReader<Tables["object_names"]>()({
  item: itemKey,
  name: "same",
  /** The revision from which it applies. */
  revision,
  /** The only person who sees it; null = everyone who sees the item. */
  person: orNull(personId),
});
export type ObjectName = ReturnType<typeof objectNameRow>;

/** The hash of a person's app password. */
export const appPasswordRow = rowReader<Tables["app_passwords"]>()({
  salt: "same",
  digest: "same",
  createdAt: toInstant,
});
export type AppPassword = ReturnType<typeof appPasswordRow>;

export function propertyRow(row: unknown): [string, string] {
  const { property, value } = tableRow<"calendar_properties">(row);
  return [property, value];
}
