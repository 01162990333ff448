import { type CollectionName, collectionOf } from "../domain/collection.ts";
import type { PersonId } from "../domain/ids.ts";
import type { Item } from "../domain/item.ts";
import { unreachable } from "../domain/result.ts";
import type { CalendarKind, ObjectComponent } from "./calendar.ts";

/** All of an item that decides in which calendars it is. */
export interface Facts {
  readonly collection: CollectionName;
  readonly isEvent: boolean;
  readonly isMilestone: boolean;
  /** An event for its creator and the assigned alone. */
  readonly isPrivate: boolean;
  readonly assigned: readonly PersonId[];
  readonly creatorId: PersonId | null;
}

export function factsOf(item: Item): Facts {
  const { assigned, creatorId } = item;
  const isEvent = item.kind === "event";
  return {
    collection: collectionOf(item),
    isEvent,
    isMilestone: isEvent && item.milestone,
    isPrivate: isEvent && item.private,
    assigned,
    creatorId,
  };
}

/** What a calendar of one person holds. */
export interface Scope {
  readonly person: PersonId;
  readonly kind: CalendarKind;
  /** Null for `assigned`. */
  readonly collection: CollectionName | null;
  /** Collections that the person may see at all. */
  readonly visible: ReadonlySet<CollectionName>;
  /** A task list for the creators and the assigned of its tasks alone. */
  readonly isPrivate: boolean;
}

/** Whether an item is in such a calendar for anybody. */
export function holds({ kind, collection, person }: Scope, facts: Facts): boolean {
  switch (kind) {
    case "events":
    case "tasks":
      return facts.collection === collection;
    case "milestones":
      return facts.collection === collection && facts.isMilestone;
    case "assigned":
      return facts.assigned.includes(person);
    default:
      return unreachable(kind);
  }
}

/** Whether the person may see an item that the calendar holds. */
export function sees({ person, visible, isPrivate }: Scope, facts: Facts): boolean {
  if (!visible.has(facts.collection)) return false;
  if (!(isPrivate || facts.isPrivate)) return true;
  return facts.creatorId === person || facts.assigned.includes(person);
}

/** How an item is shown there. */
export function componentIn(kind: CalendarKind, { isEvent }: Facts): ObjectComponent {
  if (kind === "milestones") return "VTODO";
  return isEvent ? "VEVENT" : "VTODO";
}
