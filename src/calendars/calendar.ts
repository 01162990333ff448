import type { ItemKey, ListId, PersonId, ProjectId } from "../domain/ids.ts";
import type { Item } from "../domain/item.ts";

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
  readonly span: { readonly from: number; readonly to: number } | null;
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

/** Octets that a program has put. */
export interface KeptObject {
  readonly key: ItemKey;
  readonly component: ObjectComponent;
  readonly name: string;
  readonly uid: string;
  /** Exactly as they came. */
  readonly body: Uint8Array;
  /** The component alone, unfolded lines from BEGIN to END. */
  readonly raw: readonly string[];
  readonly actor: PersonId;
  /** User-Agent; "" for none. */
  readonly agent: string;
  /** The item as the octets describe it; absent = as it is shown. What they lack of that one is laid onto them. */
  readonly says?: Item;
}
