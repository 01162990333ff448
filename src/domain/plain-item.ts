import {
  type FieldName,
  type FieldOf,
  fieldOf,
  fieldsOfKind,
  type ItemKind,
  itemKinds,
  jsonKeyOf,
  type KeyOf,
  type PlainOf,
} from "./fields.ts";
import { listId, projectId } from "./ids.ts";
import type { EventItem, Item, Provenance, TaskItem } from "./item.ts";
import { fieldsOf, type Patch, type PatchField, type Place } from "./patch.ts";

type NameOf<Key, Name extends FieldName> = {
  [Each in Name]: KeyOf<Each> extends Key ? Each : never;
}[Name];
type PlainValues<Name extends FieldName> = {
  readonly [Key in KeyOf<Name>]: PlainOf<NameOf<Key, Name>>;
};
type PlainEvent = PlainValues<FieldOf<"item"> | FieldOf<"event">> & Pick<EventItem, "kind">;
type PlainTask = PlainValues<FieldOf<"item"> | FieldOf<"task">> & Pick<TaskItem, "kind">;

/** An item's content as JSON, without its id, `byMe` and `updatedAt`. */
export type PlainItem = PlainEvent | PlainTask;

/** How the fields of a kind are stored. Looked up once, as a large workspace has 100,000 items. */
const storedFields = Object.fromEntries(
  itemKinds.map((kind) => [
    kind,
    fieldsOfKind(kind).map((name) => {
      const { type, blank, sparse = false, shown } = fieldOf(name);
      return { name, key: jsonKeyOf(name), type, blank, sparse, shown };
    }),
  ]),
);
const storedOf = (kind: ItemKind) => storedFields[kind] ?? [];
/** Copying and filling in is twice as fast as adding properties one by one. */
const emptyItems = Object.fromEntries(
  itemKinds.map((kind) => {
    const values = storedOf(kind).map(({ name }) => [name, null]);
    return [kind, { id: null, byMe: false, updatedAt: null, kind, ...Object.fromEntries(values) }];
  }),
);
const emptyPlains = Object.fromEntries(
  itemKinds.map((kind) => {
    const values = storedOf(kind).flatMap(({ key, sparse }) => (sparse ? [] : [[key, null]]));
    return [kind, { kind, ...Object.fromEntries(values) }];
  }),
);

/** The content with its keys in a fixed order, so that equal content gives equal JSON text. */
export function toPlain(item: Item): PlainItem {
  const values: Readonly<Record<string, unknown>> = Object(item);
  const plain: Record<string, unknown> = { ...emptyPlains[item.kind] };
  for (const { name, key, type, sparse, blank } of storedOf(item.kind)) {
    const value = values[name];
    if (!(sparse && value === blank)) plain[key] = type.isPlain ? value : type.toPlain(value);
  }
  return Object(plain);
}

/** Restores the item. Times are shown in `zone`, the account's. */
export function fromPlain(
  plain: PlainItem,
  { id, byMe, updatedAt }: Provenance,
  zone: string,
): Item {
  const stored: Readonly<Record<string, unknown>> = Object(plain);
  const item: Record<string, unknown> = { ...emptyItems[plain.kind], id, byMe, updatedAt };
  for (const { name, key, type, blank } of storedOf(plain.kind)) {
    const value = stored[key];
    if (value === undefined) item[name] = blank;
    else item[name] = type.isPlain ? value : type.fromPlain(value, zone);
  }
  return Object(item);
}

/**
 * The part of the content that calendars show. SEQUENCE rises when it changes, but not for a new comment, logged time
 * or another list.
 */
export function publishedPart(plain: PlainItem): string {
  const stored: Readonly<Record<string, unknown>> = Object(plain);
  const shown = storedOf(plain.kind).filter((field) => field.shown !== "nowhere");
  return JSON.stringify([plain.kind, ...shown.map(({ key }) => stored[key])]);
}

/** A patch in JSON: `when` as in `PlainWhen`, durations in minutes. The list of a place is null for an event. */
export type PlainPatch = {
  readonly [Field in Exclude<PatchField, "place">]?: PlainOf<Field>;
} & { readonly place?: { readonly projectId: number; readonly listId: number | null } };

export function patchToPlain(patch: Patch): PlainPatch {
  return Object(
    Object.fromEntries(
      fieldsOf(patch).map((field) => [
        field,
        field === "place" ? { ...patch.place } : fieldOf(field).type.toPlain(patch[field]),
      ]),
    ),
  );
}

export function patchFromPlain(plain: PlainPatch, zone: string): Patch {
  const named = fieldsOf(Object(plain));
  return Object(
    Object.fromEntries(
      named.map((field) => [
        field,
        field === "place"
          ? plain.place && placeFromPlain(plain.place)
          : fieldOf(field).type.fromPlain(plain[field], zone),
      ]),
    ),
  );
}

const placeFromPlain = (plain: NonNullable<PlainPatch["place"]>): Place => ({
  projectId: projectId(plain.projectId),
  listId: plain.listId === null ? null : listId(plain.listId),
});
