import type {
  ObjectComponent,
  Calendar as SharedCalendar,
  CalendarChanges as SharedChanges,
  CalendarObject as SharedObject,
  TimeSpan,
} from "@dayferry/caldav-server/backend";
import type { EditId, ItemKey, ListId, PersonId, ProjectId } from "../domain/ids.ts";
import type { Item } from "../domain/item.ts";
import type { ViewItem } from "../store/view/view.ts";

export type { ObjectComponent, TimeSpan };

/** `assigned`: the person's events and tasks of all projects; `milestones`: a project's milestones as to-dos. */
export type CalendarKind = "events" | "tasks" | "milestones" | "assigned";

/** A calendar as one person sees it. Slugs: `events-<project>`, `tasks-<list>`, `milestones-<project>`, `assigned`. */
export interface Calendar extends SharedCalendar {
  readonly person: PersonId;
  readonly kind: CalendarKind;
  /** Null for `assigned`. */
  readonly projectId: ProjectId | null;
  /** For a task list; else null. */
  readonly listId: ListId | null;
}

/** One member of a calendar: a milestone is an event in one calendar and a to-do in another. */
export interface CalendarObject extends SharedObject {
  readonly key: ItemKey;
}

export type CalendarChanges = SharedChanges<CalendarObject>;

/** An item that was a member of a calendar with some name, and no longer is. */
export interface FormerMember {
  readonly key: ItemKey;
  readonly uid: string;
  /** True if it no longer exists; otherwise it was moved or renamed. */
  readonly isGone: boolean;
}

/** Octets put by a program. */
export interface StoredObject {
  readonly key: ItemKey;
  readonly component: ObjectComponent;
  readonly name: string;
  readonly uid: string;
  /** Exactly as received. */
  readonly body: Uint8Array;
  /** The component alone, unfolded lines from BEGIN to END. */
  readonly raw: readonly string[];
  readonly categories: readonly string[];
  readonly actor: PersonId;
  /** User-Agent; "" for none. */
  readonly agent: string;
  /** The item as in the octets; absent = as shown. Differences to the shown item are applied to the octets. */
  readonly described?: Item;
}

/**
 * The CalDAV calendars: which ones a person has, their members, and changes. Everything is read from the view, so that an
 * accepted edit shows at once. Methods are synchronous and may be used inside a transaction.
 */
export interface Calendars {
  /**
   * Loads what an answer about a calendar, or about all of a person's calendars (null), needs, while others run; null if it is
   * in memory already. Otherwise the answer loads it at once. Not inside a transaction.
   */
  readonly prepare: (person: PersonId, slug: string | null) => Promise<void> | null;
  /** A person's calendars in order; none for an unknown or suspended one. */
  readonly list: (person: PersonId) => readonly Calendar[];
  readonly find: (person: PersonId, slug: string) => Calendar | null;
  /** True if the calendar's project was ever read completely, as before that a part would look like the whole. */
  readonly hasRead: (calendar: Calendar) => boolean;
  /**
   * The members visible to the person, by item key. With a span, those that touch it and those without one; others may or may
   * not be included. Either end may be infinite.
   */
  readonly objects: (calendar: Calendar, span?: TimeSpan) => readonly CalendarObject[];
  /** The member with this name; null if there is none, or it is not visible. */
  readonly object: (calendar: Calendar, name: string) => CalendarObject | null;
  /** Like `object`, for many names of one calendar, all as of the time of this call. */
  readonly finder: (calendar: Calendar) => (name: string) => CalendarObject | null;
  /** The member with this UID. */
  readonly objectOfUid: (calendar: Calendar, uid: string) => CalendarObject | null;
  /** The octets with the object's ETag. Throws if the object is outdated. */
  readonly octets: (object: CalendarObject) => Buffer;
  /** A member's item as the calendar's person sees it. */
  readonly itemOf: (object: CalendarObject) => ViewItem;
  /** The item that formerly had a name in this calendar; null if none, or if it must not be revealed. */
  readonly formerMember: (calendar: Calendar, name: string) => FormerMember | null;
  /** Changes with every change of the calendar's members or name; never a plain number. */
  readonly ctag: (calendar: Calendar) => string;
  /** A URI for the calendar's present state. */
  readonly token: (calendar: Calendar) => string;
  /** Changes since a token; "" for everything. Null for a token that is unknown, of another epoch, or too old. */
  readonly changes: (
    calendar: Calendar,
    since: { readonly token: string; readonly limit: number | null },
  ) => CalendarChanges | null;
  /** Stores octets put by a program; call inside the transaction of their edit, after it. */
  readonly keep: (object: StoredObject) => void;
  /** The program's stored octets if they still describe the item; else null. */
  readonly kept: (
    object: Pick<CalendarObject, "key" | "component">,
  ) => Pick<StoredObject, "raw" | "actor" | "agent"> | null;
  /** Renames a member; the old name is reported as removed. Call inside a transaction. */
  readonly rename: (key: ItemKey, name: string) => void;
  /**
   * Stores an object put by an edit that waits for approval: until then only its person sees exactly that, with this name;
   * after approval, everyone does. `object`: null for a move, which puts no octets. Call inside the transaction of that edit,
   * after it.
   */
  readonly hold: (held: {
    readonly edit: EditId;
    readonly key: ItemKey;
    readonly name: string;
    readonly object: StoredObject | null;
  }) => void;
  /**
   * Records that a program has put an item into a calendar with a waiting edit: a creation or a move. Discarding the
   * edit reports the item to the program as removed; approving it keeps the name. Call inside the transaction of that edit.
   */
  readonly retract: (
    calendar: Calendar,
    object: { readonly key: ItemKey; readonly name: string },
  ) => void;
}
