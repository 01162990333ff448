import type { PutObject, Writer } from "@dayferry/caldav-server/backend";
import type { Calendar, CalendarObject, Calendars } from "../calendars/calendar-types.ts";
import type { Person } from "../domain/item.ts";
import type { ItemsRequest } from "../edits/intake/accept.ts";
import type { MoveRequest } from "../edits/intake/accept-move.ts";
import type { Acceptance } from "../edits/intake/plan-answer.ts";
import type { Store } from "../store/store.ts";
import type { RecentWrites } from "./recent-writes.ts";

/** Dependencies of writes. */
export interface WriteDeps {
  readonly store: Store;
  readonly calendars: Calendars;
  readonly acceptItems: (request: ItemsRequest) => Acceptance;
  readonly acceptMove: (request: MoveRequest) => Acceptance;
  /** The account's zone. */
  readonly zone: string;
  /** `review`: an edit waits for a person and is not visible before. */
  readonly mode: "apply" | "review";
  readonly clock: () => Temporal.Instant;
}

/** Context of a write: who sends it, and what everything works on. */
export interface WriteContext extends WriteDeps, Writer<Person> {
  readonly recentWrites: RecentWrites;
}

/** A PUT of one object to one of the person's calendars. */
export type ObjectPut = Omit<PutObject<Calendar, CalendarObject, Person>, "writer">;
