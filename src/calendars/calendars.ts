import type { EditId, ItemKey, PersonId } from "../domain/ids.ts";
import type { ViewItem } from "../store/view/view.ts";
import type { Calendar, CalendarChanges, CalendarObject, KeptObject } from "./calendar.ts";

/**
 * The two-way calendars: which ones a person has, what is in them, and what changed. Everything is read from the view,
 * so that an edit is there as soon as it is accepted. Methods are synchronous and may be used inside a transaction.
 */
export interface Calendars {
  /** The calendars of a person, in their order; none for an unknown or suspended one. */
  readonly list: (person: PersonId) => readonly Calendar[];
  readonly find: (person: PersonId, slug: string) => Calendar | null;
  /** Whether the calendar's project was ever read as a whole; before that a part would look like the whole. */
  readonly hasRead: (calendar: Calendar) => boolean;
  /** All members that the person may see, by item key. */
  readonly objects: (calendar: Calendar) => readonly CalendarObject[];
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
  /** Whether the name belongs, or belonged, to an item that is not in this calendar (any more): moved away, or gone. */
  readonly formerly: (
    calendar: Calendar,
    name: string,
  ) => { readonly key: ItemKey; readonly uid: string; readonly isGone: boolean } | null;
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
  readonly keep: (object: KeptObject) => void;
  /** The program's octets as they are kept, when they still describe the item as it is; else null. */
  readonly kept: (
    object: Pick<CalendarObject, "key" | "component">,
  ) => Pick<KeptObject, "raw" | "actor" | "agent"> | null;
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
    readonly object: KeptObject | null;
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
