import type { ItemKind } from "../../domain/fields.ts";
import {
  type ItemKey,
  itemKey,
  type PersonId,
  personId,
  type Revision,
  revision,
  serviceId,
} from "../../domain/ids.ts";
import type { CollectionName, Item, Provenance } from "../../domain/item.ts";
import { fromPlain, type PlainItem, toPlain } from "../../domain/plain-item.ts";
import { tableRow } from "./row.ts";

// The files in rows/ are the only place where a row of SQLite is cast to a type. Rows of one table have the types that the
// migrations give its columns (`tableRow`); a decoder of a join or a calculation names the columns it reads. The STRICT tables
// with their CHECKs guarantee both.

interface AppliedMigrationRow {
  readonly version: number;
  readonly name: string;
  readonly sha256: string;
}
export const appliedMigrationRow = (row: unknown): AppliedMigrationRow =>
  row as AppliedMigrationRow;

export const numberColumn = (row: unknown, column: string): number =>
  (row as Record<string, number>)[column] ?? 0;

export const numberOrNull = (row: unknown, column: string): number | null =>
  (row as Record<string, number | null> | undefined)?.[column] ?? null;

export const itemKeyColumn = (row: unknown): ItemKey => itemKey(numberColumn(row, "item"));

export const textColumn = (row: unknown, column: string): string | null =>
  (row as Record<string, string | null> | undefined)?.[column] ?? null;

/** A moment as text that sorts by time: always with milliseconds. */
export const instantText = (instant: Temporal.Instant): string =>
  instant.toString({ smallestUnit: "millisecond" });

export const instantOf = (text: string | null): Temporal.Instant | null =>
  text === null ? null : Temporal.Instant.from(text);

/** An item's stored form without its id: JSON text with keys in a fixed order. */
export const contentText = (item: Item): string => JSON.stringify(toPlain(item));

export const plainContent = (content: string): PlainItem => JSON.parse(content) as PlainItem;

/** Items in columns that store more than the content (bases and answers of edits). */
export const itemText = (item: Item): string =>
  JSON.stringify({
    id: item.id,
    byMe: item.byMe,
    updatedAt: item.updatedAt,
    content: toPlain(item),
  });

/** The same from a stored content, without an id. */
export const plainItemText = (content: string): string =>
  JSON.stringify({ id: null, byMe: false, updatedAt: null, content: plainContent(content) });

export function itemFromText(text: string, zone: string): Item {
  const whole = JSON.parse(text) as {
    id: number | null;
    byMe: boolean;
    updatedAt: string | null;
    content: PlainItem;
  };
  const id = whole.id === null ? null : serviceId(whole.id);
  return fromPlain(
    whole.content,
    { id, byMe: whole.byMe, updatedAt: instantOf(whole.updatedAt) },
    zone,
  );
}

export interface IdentityRow {
  readonly item: ItemKey;
  readonly kind: ItemKind;
  readonly serviceId: number | null;
  readonly uid: string;
  readonly sequence: number;
  readonly modifiedAt: Temporal.Instant;
  readonly createdAt: Temporal.Instant;
  /** The item that took this one over; null = none. */
  readonly mergedInto: ItemKey | null;
}

export function identityRow(row: unknown): IdentityRow {
  const raw = tableRow<"identities">(row);
  return {
    item: itemKey(raw.item),
    kind: raw.kind,
    serviceId: raw.service_id,
    uid: raw.uid,
    sequence: raw.sequence,
    modifiedAt: Temporal.Instant.from(raw.modified_at),
    createdAt: Temporal.Instant.from(raw.created_at),
    mergedInto: raw.merged_into === null ? null : itemKey(raw.merged_into),
  };
}

interface MirrorRow {
  readonly item: ItemKey;
  readonly source: string;
  readonly content: string;
  readonly byMe: number;
  readonly updatedAt: string | null;
  readonly serviceId: number | null;
}

export function mirrorRow(row: unknown): MirrorRow {
  const raw = row as {
    item: number;
    source: string;
    content: string;
    by_me: number;
    updated_at: string | null;
    service_id: number | null;
  };
  return {
    item: itemKey(raw.item),
    source: raw.source,
    content: raw.content,
    byMe: raw.by_me,
    updatedAt: raw.updated_at,
    serviceId: raw.service_id,
  };
}

export function provenanceOf(row: {
  readonly serviceId: number | null;
  readonly byMe: number;
  readonly updatedAt: string | null;
}): Provenance {
  return {
    id: row.serviceId === null ? null : serviceId(row.serviceId),
    byMe: row.byMe === 1,
    updatedAt: instantOf(row.updatedAt),
  };
}

interface ViewRow {
  readonly key: ItemKey;
  readonly collection: CollectionName;
  readonly content: string;
}

export function viewRow(row: unknown): ViewRow {
  const raw = row as { item: number; collection: CollectionName; content: string };
  return { key: itemKey(raw.item), collection: raw.collection, content: raw.content };
}

export interface ViewItemRow {
  readonly key: ItemKey;
  readonly uid: string;
  readonly collection: CollectionName;
  readonly sequence: number;
  readonly modifiedAt: Temporal.Instant;
  readonly knownAt: Temporal.Instant;
  readonly pending: boolean;
  readonly content: string;
  readonly serviceId: number | null;
  readonly byMe: number;
  readonly updatedAt: string | null;
}

export function viewItemRow(row: unknown): ViewItemRow {
  const raw = row as {
    item: number;
    uid: string;
    collection: CollectionName;
    sequence: number;
    modified_at: string;
    created_at: string;
    pending: number;
    content: string;
    service_id: number | null;
    by_me: number;
    updated_at: string | null;
  };
  return {
    key: itemKey(raw.item),
    uid: raw.uid,
    collection: raw.collection,
    sequence: raw.sequence,
    modifiedAt: Temporal.Instant.from(raw.modified_at),
    knownAt: Temporal.Instant.from(raw.created_at),
    pending: raw.pending === 1,
    content: raw.content,
    serviceId: raw.service_id,
    byMe: raw.by_me,
    updatedAt: raw.updated_at,
  };
}

export function versionRow(row: unknown): { content: string; serviceId: number | null } {
  const raw = row as { content: string; service_id: number | null };
  return { content: raw.content, serviceId: raw.service_id };
}

export function placedVersionRow(row: unknown): {
  revision: Revision;
  collection: CollectionName;
  content: string | null;
} {
  const raw = row as { revision: number; collection: CollectionName; content: string | null };
  return { ...raw, revision: revision(raw.revision) };
}

export interface ChangeRow {
  readonly revision: Revision;
  readonly at: Temporal.Instant;
  readonly collection: CollectionName;
  readonly item: ItemKey | null;
  readonly act: "put" | "bury";
}

export function changeRow(row: unknown): ChangeRow {
  const raw = row as {
    revision: number;
    at: string;
    collection: CollectionName;
    item: number | null;
    act: "put" | "bury";
  };
  return {
    revision: revision(raw.revision),
    at: Temporal.Instant.from(raw.at),
    collection: raw.collection,
    item: raw.item === null ? null : itemKey(raw.item),
    act: raw.act,
  };
}

/** A JSON array of people; null = everyone. */
export const audienceIn = (text: string | null): readonly PersonId[] | null =>
  text === null ? null : (JSON.parse(text) as PersonId[]);

interface GateSlotRow {
  readonly startedAt: Temporal.Instant;
  readonly answeredAt: Temporal.Instant | null;
}

export function gateSlotRow(row: unknown): GateSlotRow {
  const raw = tableRow<"gate_slots">(row);
  return {
    startedAt: Temporal.Instant.from(raw.started_at),
    answeredAt: instantOf(raw.answered_at),
  };
}

export function gateRestRow(row: unknown) {
  const raw = tableRow<"gate_rest">(row);
  return {
    notedAt: Temporal.Instant.from(raw.noted_at),
    pausedUntil: Temporal.Instant.from(raw.paused_until),
    share: raw.share,
    quietSince: Temporal.Instant.from(raw.quiet_since),
  };
}

/** A collection into which a program has put an item by an edit that waited. */
export function triedRow(row: unknown): {
  readonly collection: CollectionName;
  readonly project: number;
} {
  const raw = row as { collection: CollectionName; project_id: number };
  return { collection: raw.collection, project: raw.project_id };
}

/** A collection where a waiting edit shows an item to its editor. */
export function heldPlaceRow(row: unknown): ReturnType<typeof triedRow> & {
  readonly actor: PersonId;
} {
  return { ...triedRow(row), actor: personId((row as { actor: number }).actor) };
}
