import type { EditId, ItemKey, ListId, PersonId, ProjectId } from "../domain/ids.ts";
import type { Item } from "../domain/item.ts";
import type { ViewItem } from "../store/view/view.ts";

/** `assigned`: the person's events and tasks of all projects; `milestones`: a project's milestones as to-dos. */
export type CalendarKind = "events" | "tasks" | "milestones" | "assigned";

/** How an item is shown: a milestone is an event in one calendar and a to-do in another. */
export type ObjectComponent = "VEVENT" | "VTODO";

/** A calendar as one person sees it. */
export interface Calendar {
  readonly person: PersonId;
  /** Last part of its address, the same for everybody: `events-<project>`, `tasks-<list>`, `milestones-<project>`, `assigned`. */
  readonly slug: string;
  readonly kind: CalendarKind;
  /** Null for `assigned`. */
  readonly projectId: ProjectId | null;
  /** Of a task list; else null. */
  readonly listId: ListId | null;
  /** As the project says; what the person's programs have set instead stands in the calendar's own properties. */
  readonly name: string;
  readonly description: string;
  /** `#RRGGBB`; null where the project has none. */
  readonly color: string | null;
  /** Place among the person's calendars, from 1. */
  readonly order: number;
  readonly components: readonly ObjectComponent[];
  /** `read`: nothing in it may be changed by this person. */
  readonly access: "write" | "read";
  /** Null where new items may be put into it, else why not, for people. */
  readonly refusesNew: string | null;
}

/** One member of a calendar, without its octets. */
export interface CalendarObject {
  readonly key: ItemKey;
  readonly uid: string;
  readonly component: ObjectComponent;
  /** Last part of its address. */
  readonly name: string;
  /** Strong and quoted: a hash of the octets. */
  readonly etag: string;
  readonly modifiedAt: Temporal.Instant;
  /** Of the octets. */
  readonly length: number;
  /**
   * When it takes place, in milliseconds since 1970, end exclusive, whole days in the account's zone and a day more on
   * either side, as others may be meant; null for a to-do without dates. A coarse answer: an object outside cannot match
   * a time range, one inside has to be looked at.
   */
  readonly span: TimeSpan | null;
}

/** From when to when, in milliseconds since 1970, end exclusive. */
export interface TimeSpan {
  readonly from: number;
  readonly to: number;
}

/** What happened in a calendar since a token. */
export interface CalendarChanges {
  /** New or changed members. */
  readonly put: readonly CalendarObject[];
  /** Names of members that are no longer there. */
  readonly buried: readonly string[];
  /** Where to go on from. */
  readonly token: string;
  /** Whether the limit cut the answer off, so that there is more to ask for with `token`. */
  readonly truncated: boolean;
}

/** An item that was a member of a calendar under some name, and is there no more. */
export interface FormerMember {
  readonly key: ItemKey;
  readonly uid: string;
  /** Whether it is nowhere any more; else it was moved, or renamed. */
  readonly isGone: boolean;
}

/** Octets that a program has put. */
export interface StoredObject {
  readonly key: ItemKey;
  readonly component: ObjectComponent;
  readonly name: string;
  readonly uid: string;
  /** Exactly as they came. */
  readonly body: Uint8Array;
  /** The component alone, unfolded lines from BEGIN to END. */
  readonly raw: readonly string[];
  readonly categories: readonly string[];
  readonly actor: PersonId;
  /** User-Agent; "" for none. */
  readonly agent: string;
  /** The item as the octets describe it; absent = as it is shown. What they lack of that one is laid onto them. */
  readonly described?: Item;
}

/**
 * The two-way calendars: which ones a person has, what is in them, and what changed. Everything is read from the view,
 * so that an edit is there as soon as it is accepted. Methods are synchronous and may be used inside a transaction.
 */
export interface Calendars {
  /**
   * Reads what an answer about a calendar needs, or one about all of a person's calendars (null), while others have their
   * turn; null where it is in memory already. Without it the answer takes as long at once. Not inside a transaction.
   */
  readonly prepare: (person: PersonId, slug: string | null) => Promise<void> | null;
  /** The calendars of a person, in their order; none for an unknown or suspended one. */
  readonly list: (person: PersonId) => readonly Calendar[];
  readonly find: (person: PersonId, slug: string) => Calendar | null;
  /** Whether the calendar's project was ever read as a whole; before that a part would look like the whole. */
  readonly hasRead: (calendar: Calendar) => boolean;
  /** All members that the person may see, by item key. */
  readonly objects: (calendar: Calendar) => readonly CalendarObject[];
  /**
   * Those of them of which the span touches another one, and those without a span; others may be left out, or not. Either
   * end may be infinite.
   */
  readonly objectsNear: (calendar: Calendar, span: TimeSpan) => readonly CalendarObject[];
  /** The member of this name; null when there is none, or none that the person may see. */
  readonly object: (calendar: Calendar, name: string) => CalendarObject | null;
  /** As `object`, for many names of one calendar, all of the moment at which this is called. */
  readonly finder: (calendar: Calendar) => (name: string) => CalendarObject | null;
  /** The member of this UID. */
  readonly objectOfUid: (calendar: Calendar, uid: string) => CalendarObject | null;
  /** The octets whose ETag the object names. Throws when the object is of an earlier revision. */
  readonly octets: (object: CalendarObject) => Buffer;
  /** The item behind a member, as the calendar's person is shown it. */
  readonly itemOf: (object: CalendarObject) => ViewItem;
  /** The item that was in this calendar under a name and is not any more; null for none, or none that may be told of. */
  readonly formerMember: (calendar: Calendar, name: string) => FormerMember | null;
  /** Changes with every change of the calendar's members or of what it is called; never a plain number. */
  readonly ctag: (calendar: Calendar) => string;
  /** A URI that names the calendar's present state. */
  readonly token: (calendar: Calendar) => string;
  /** What changed since a token; "" for everything. Null for a token that is unknown, of another epoch or too old. */
  readonly changes: (
    calendar: Calendar,
    since: { readonly token: string; readonly limit: number | null },
  ) => CalendarChanges | null;
  /** Keeps the octets that a program has put; belongs inside the transaction of their edit, after it. */
  readonly keep: (object: StoredObject) => void;
  /** The program's octets as they are kept, when they still describe the item as it is; else null. */
  readonly kept: (
    object: Pick<CalendarObject, "key" | "component">,
  ) => Pick<StoredObject, "raw" | "actor" | "agent"> | null;
  /** Gives a member another name; the old one is told as buried. Belongs inside a transaction. */
  readonly rename: (key: ItemKey, name: string) => void;
  /**
   * Keeps what a program has put by an edit that waits for approval: from then on its person is shown exactly that, under
   * this name, and nobody else is; should it be approved, everybody is. `object`: null for a move, which puts no octets.
   * Belongs inside the transaction of that edit, after it.
   */
  readonly hold: (held: {
    readonly edit: EditId;
    readonly key: ItemKey;
    readonly name: string;
    readonly object: StoredObject | null;
  }) => void;
  /**
   * Notes that a program of the calendar's person has put an item into a calendar by an edit that waits: a creation, or a
   * move. Should that be discarded the program is told that it is gone there; should it be approved the item keeps the name.
   * Belongs inside the transaction of that edit.
   */
  readonly retract: (
    calendar: Calendar,
    object: { readonly key: ItemKey; readonly name: string },
  ) => void;
}
