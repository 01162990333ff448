import type { Channel } from "../../domain/edit.ts";
import {
  type ItemKey,
  itemKey,
  type PersonId,
  personId,
  type Revision,
  revision,
} from "../../domain/ids.ts";
import { tableRow } from "./row.ts";

/** The component of an object: an event or a to-do. */
export type StoredComponent = "VEVENT" | "VTODO";

/** The latest octets that clients have sent for an item, in one component. */
export interface ObjectRow {
  readonly item: ItemKey;
  readonly component: StoredComponent;
  readonly channel: Channel;
  readonly uid: string;
  /** Unfolded lines from BEGIN to END, joined by LF. */
  readonly raw: string;
  /** The octets of the whole calendar object received over CalDAV; null for other channels. */
  readonly body: Uint8Array | null;
  /** The item as this build wrote it when the body was stored; null without a body. */
  readonly rendered: string | null;
  /** True if what calendars show of the item has changed since. */
  readonly stale: boolean;
  /** Like `raw`, from another channel after the body; null if none. */
  readonly overlaid: string | null;
  readonly actor: PersonId | null;
  /** User-Agent of the program that put the body; null without one. */
  readonly agent: string | null;
  readonly at: Temporal.Instant;
}

export function objectRow(row: unknown): ObjectRow {
  const raw = row as {
    item: number;
    component: StoredComponent;
    channel: Channel;
    uid: string;
    raw: string;
    body: Uint8Array | null;
    rendered: string | null;
    stale: number;
    overlaid: string | null;
    actor: number | null;
    agent: string | null;
    at: string;
  };
  return {
    ...raw,
    item: itemKey(raw.item),
    stale: raw.stale === 1,
    actor: raw.actor === null ? null : personId(raw.actor),
    at: Temporal.Instant.from(raw.at),
  };
}

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
export interface ObjectName {
  readonly item: ItemKey;
  readonly name: string;
  /** The revision from which it applies. */
  readonly revision: Revision;
  /** The only person who sees it; null = everyone who sees the item. */
  readonly person: PersonId | null;
}

export function objectNameRow(row: unknown): ObjectName {
  const raw = tableRow<"object_names">(row);
  return {
    item: itemKey(raw.item),
    name: raw.name,
    revision: revision(raw.revision),
    person: raw.person === null ? null : personId(raw.person),
  };
}

/** The hash of a person's app password. */
export interface AppPassword {
  readonly salt: string;
  readonly digest: string;
  readonly createdAt: Temporal.Instant;
}

export function appPasswordRow(row: unknown): AppPassword {
  const raw = tableRow<"app_passwords">(row);
  return { salt: raw.salt, digest: raw.digest, createdAt: Temporal.Instant.from(raw.created_at) };
}

export function propertyRow(row: unknown): [string, string] {
  const { property, value } = tableRow<"calendar_properties">(row);
  return [property, value];
}
