import type { ListId, PersonId, ProjectId, ServiceId } from "../domain/ids.ts";
import type { Item, ItemKind, Person, Project, Todolist } from "../domain/item.ts";
import { applyPatch, type Patch } from "../domain/patch.ts";

/** What is known already of what an answer names; null for what is new. */
export interface KnownValues {
  item(kind: ItemKind, id: ServiceId): Item | null;
  project(id: ProjectId): Project | null;
  todolist(id: ListId): Todolist | null;
  person(id: PersonId): Person | null;
}

export const nothingKnown: KnownValues = {
  item: () => null,
  project: () => null,
  todolist: () => null,
  person: () => null,
};

/** The write that is being answered. */
export interface Written {
  readonly patch: Patch;
  readonly isNew: boolean;
}

/** Told of an element that is read all the same: `doubt` leaves its list incomplete, `unsaid` names a field that was kept. */
export interface ReadIssues {
  doubt(sentence: string): void;
  unsaid(field: string): void;
}

/**
 * The item as it is known, with what the write set laid over it: an answer that is silent about a field does not take
 * back what it has accepted.
 */
export function knownItem(
  held: KnownValues,
  {
    kind,
    id,
    written,
  }: { readonly kind: ItemKind; readonly id: ServiceId; readonly written?: Written },
): Item | null {
  const item = written?.isNew ? null : held.item(kind, id);
  return item && applyPatch(item, written?.patch ?? {});
}

/** Reads fields; one whose key is missing says nothing, so what is held of it stays. */
export function silenceKeeps(ear: ReadIssues | undefined) {
  return <Value>(
    name: string,
    {
      raw,
      read,
      held,
    }: {
      readonly raw: unknown;
      readonly read: (raw: unknown) => Value;
      readonly held: Value | undefined;
    },
  ): Value => {
    if (raw !== undefined || held === undefined) return read(raw);
    if (!isEmpty(held)) ear?.unsaid(name);
    return held;
  };
}

function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return value === null || value === false || value === 0;
}
