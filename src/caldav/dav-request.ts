import type { Calendar, Calendars } from "../calendars/calendar-types.ts";
import type { Person } from "../domain/item.ts";
import type { Acceptance, ItemsRequest } from "../edits/intake/accept.ts";
import type { MoveRequest } from "../edits/intake/accept-move.ts";
import type { Log } from "../log.ts";
import type { PasswordCheck } from "../people/passwords.ts";
import type { Throttle } from "../people/throttle.ts";
import type { Store } from "../store/store.ts";
import type { DavPaths, DavTarget } from "./paths.ts";

/** What the CalDAV door is built of. */
export interface DavDeps {
  readonly store: Store;
  readonly calendars: Calendars;
  readonly acceptItems: (request: ItemsRequest) => Acceptance;
  readonly acceptMove: (request: MoveRequest) => Acceptance;
  readonly passwords: PasswordCheck;
  /** Shared by all doors that take app passwords, so that nobody guesses at two of them. */
  readonly throttle: Throttle;
  /** The account's zone. */
  readonly zone: string;
  /** `review`: an edit waits for a person and is not shown before. */
  readonly mode: "apply" | "review";
  /** Largest object that is taken, in bytes. */
  readonly maxSize: number;
  /** Address under which programs reach this server, without a slash at the end. */
  readonly publicUrl: () => string;
  readonly clock: () => Temporal.Instant;
  readonly randomId: () => string;
  readonly log: Log;
}

/** What every handler of a request knows. */
export interface DavContext
  extends Pick<
    DavDeps,
    | "acceptItems"
    | "acceptMove"
    | "calendars"
    | "clock"
    | "log"
    | "maxSize"
    | "mode"
    | "randomId"
    | "store"
    | "zone"
  > {
  /** Who has logged in. */
  readonly person: Person;
  /** User name that they have logged in with. */
  readonly login: string;
  readonly paths: DavPaths;
  /** Scheme and host of the public address, without a slash at the end: before a path of `paths`, an absolute address. */
  readonly origin: string;
  /** Hosts, with ports, under which this server is meant: the public one, and the one that this request names. */
  readonly hosts: ReadonlySet<string>;
}

/** A request whose person and address are known. */
export interface DavRequest {
  /** Upper case. */
  readonly method: string;
  readonly target: DavTarget;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Empty where none was sent. */
  readonly body: Buffer;
}

/** A request that names a calendar that the person has, and whose project was read as a whole. */
export interface CalendarRequest extends DavRequest {
  readonly calendar: Calendar;
}

/** A request that names an object, or where one would be, in a calendar that the person has. */
export interface ObjectRequest extends CalendarRequest {
  readonly name: string;
}

/** What is answered. The router adds DAV, Date, Content-Length, compression and the like. */
export interface DavAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /**
   * Instead of a body: its text in pieces, made while they are sent, so that a long answer neither fills the memory nor
   * keeps others waiting. An empty piece is a moment at which others may go. Throws `AnswerTooLargeError` when it becomes
   * longer than an answer may be.
   */
  readonly pieces?: Iterable<string>;
}
