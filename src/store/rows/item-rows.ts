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
import { instantOf, orNull, rowReader, textOf, toFlag, toInstant } from "./row.ts";
import type { Tables } from "./tables.ts";

export const appliedMigrationRow = rowReader<{ version: number; name: string; sha256: string }>()({
  version: "same",
  name: "same",
  sha256: "same",
});

export const numberColumn = (row: unknown, column: string): number =>
  (row as Record<string, number>)[column] ?? 0;

export const numberOrNull = (row: unknown, column: string): number | null =>
  (row as Record<string, number | null> | undefined)?.[column] ?? null;

export const itemKeyColumn = (row: unknown): ItemKey => itemKey(numberColumn(row, "item"));

/** 0 if it is null. */
export const revisionColumn = (row: unknown): Revision => revision(numberColumn(row, "revision"));

export const textColumn = (row: unknown, column: string): string | null =>
  (row as Record<string, string | null> | undefined)?.[column] ?? null;

/** A moment as text that sorts by time: always with milliseconds. */
export const instantText = (instant: Temporal.Instant): string =>
  instant.toString({ smallestUnit: "millisecond" });

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

export const identityRow = rowReader<Tables["identities"]>()({
  item: itemKey,
  kind: "same",
  serviceId: "same",
  uid: "same",
  sequence: "same",
  modifiedAt: toInstant,
  createdAt: toInstant,
  /** The item that took this one over; null = none. */
  mergedInto: orNull(itemKey),
});
export type IdentityRow = ReturnType<typeof identityRow>;

export const mirrorRow = rowReader<
  Tables["mirror_items"] & Pick<Tables["identities"], "service_id">
>()({
  item: itemKey,
  source: "same",
  content: "same",
  byMe: "same",
  updatedAt: "same",
  serviceId: "same",
});

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

const collection = textOf<CollectionName>();

export const viewRow = rowReader<Tables["view_items"]>()({
  key: ["item", itemKey],
  collection,
  content: "same",
});
export type MirrorRow = ReturnType<typeof mirrorRow>;

interface ViewItemColumns extends Omit<Tables["identities"], "kind"> {
  readonly collection: string;
  readonly content: string;
  readonly by_me: 0 | 1;
  readonly updated_at: string | null;
  readonly pending: 0 | 1;
}

export const viewItemRow = rowReader<ViewItemColumns>()({
  key: ["item", itemKey],
  uid: "same",
  collection,
  sequence: "same",
  modifiedAt: toInstant,
  knownAt: ["created_at", toInstant],
  pending: toFlag,
  content: "same",
  serviceId: "same",
  byMe: "same",
  updatedAt: "same",
});
export type ViewItemRow = ReturnType<typeof viewItemRow>;

export const versionRow = rowReader<{ content: string; service_id: number | null }>()({
  content: "same",
  serviceId: "same",
});

export const placedVersionRow = rowReader<Tables["versions"]>()({
  revision,
  collection,
  content: "same",
});

export const changeRow = rowReader<Tables["changes"]>()({
  revision,
  at: toInstant,
  collection,
  item: orNull(itemKey),
  act: "same",
});
export type ChangeRow = ReturnType<typeof changeRow>;

/** A JSON array of people; null = everyone. */
export const audienceIn = (text: string | null): readonly PersonId[] | null =>
  text === null ? null : (JSON.parse(text) as PersonId[]);

/** When one of the last requests was sent and answered; null = no answer was seen. */
export const gateSlotRow = rowReader<Tables["gate_slots"]>()({
  startedAt: toInstant,
  answeredAt: instantOf,
});

/** The pause requested by the last 429, and the remaining share of the quota. */
export const gateRestRow = rowReader<Tables["gate_rest"]>()({
  notedAt: toInstant,
  pausedUntil: toInstant,
  share: "same",
  quietSince: toInstant,
});

/** A collection into which a program has put an item by an edit that waited. */
const triedPlace = { collection, project: ["project_id", "same"] } as const;
export const triedRow = rowReader<{ collection: string; project_id: number }>()(triedPlace);

/** A collection where a waiting edit shows an item to its editor. */
export const heldPlaceRow = rowReader<{ collection: string; project_id: number; actor: number }>()({
  ...triedPlace,
  actor: personId,
});
