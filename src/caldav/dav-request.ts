import type { Calendar, CalendarObject, Calendars } from "../calendars/calendar-types.ts";
import type { PersonId } from "../domain/ids.ts";
import type { Person } from "../domain/item.ts";
import type { ItemsRequest } from "../edits/intake/accept.ts";
import type { MoveRequest } from "../edits/intake/accept-move.ts";
import type { Acceptance } from "../edits/intake/plan-answer.ts";
import type { CalendarReader, ObjectReading } from "../ics/read/calendar-reader.ts";
import type { Log } from "../log.ts";
import type { PasswordCheck } from "../people/passwords.ts";
import type { Throttle } from "../people/throttle.ts";
import type { Store } from "../store/store.ts";
import type { Turns } from "../turns.ts";
import type { KeptListings } from "./properties/kept-listings.ts";
import type { RecentWrites } from "./recent-writes.ts";
import type { XmlReading } from "./xml/read-xml.ts";

/** What the CalDAV server is built of. */
export interface DavDeps {
  readonly store: Store;
  readonly calendars: Calendars;
  readonly acceptItems: (request: ItemsRequest) => Acceptance;
  readonly acceptMove: (request: MoveRequest) => Acceptance;
  readonly passwords: PasswordCheck;
  /** Shared with all that takes app passwords, so that nobody can guess in two places. */
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
  /** Objects are read at once unless it is given. */
  readonly reader?: CalendarReader;
  /** Long requests are read and long answers made in turns; a share of the main thread of its own unless given. */
  readonly turns?: Turns;
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
  /** User-Agent of their program; empty where it says nothing. */
  readonly agent: string;
  readonly paths: DavPaths;
  /** Scheme and host of the public address, without a slash at the end: before a path of `paths`, an absolute address. */
  readonly origin: string;
  /** Hosts, with ports, under which this server is meant: the public one, and the one that this request names. */
  readonly hosts: ReadonlySet<string>;
  /** Of all people. */
  readonly listings: KeptListings;
  /** Of all programs. */
  readonly recentWrites: RecentWrites;
}

/** What an address means. `calendar` and `object` name what may or may not exist. */
export type DavTarget =
  | { readonly kind: "root" }
  | { readonly kind: "principals" }
  | { readonly kind: "principal"; readonly person: PersonId }
  /** The configuration profile that Apple's programs read. */
  | { readonly kind: "profile"; readonly person: PersonId }
  | { readonly kind: "homes" }
  | { readonly kind: "home"; readonly person: PersonId }
  | (CalendarAddress & { readonly kind: "calendar" })
  | (CalendarAddress & { readonly kind: "object"; readonly name: string });

/** Whose calendar it is, and the last part of its address. */
export type CalendarAddress = Pick<Calendar, "person" | "slug">;

/** Addresses as answers name them: absolute paths, percent-encoded, with the prefix of the public address. */
export interface DavPaths {
  readonly root: string;
  readonly principals: string;
  readonly principal: (person: PersonId) => string;
  readonly profile: (person: PersonId) => string;
  readonly homes: string;
  readonly home: (person: PersonId) => string;
  readonly calendar: (calendar: CalendarAddress) => string;
  /** For many objects of one calendar. */
  readonly objectsIn: (calendar: CalendarAddress) => (name: string) => string;
  readonly object: (calendar: CalendarAddress, name: string) => string;
  /**
   * What a path or an absolute address names, with the prefix or without it, as a proxy may take it off; null for what
   * is none of ours, or is malformed. The host of an absolute address is not looked at.
   */
  readonly read: (address: string) => DavTarget | null;
  /** The address of a target as answers name it. */
  readonly of: (target: DavTarget) => string;
}

/** What stands at an address, as far as the person who asks may see it. */
export type Resource =
  | { readonly kind: "root" }
  | { readonly kind: "principals" }
  | { readonly kind: "principal" }
  | { readonly kind: "homes" }
  | { readonly kind: "home" }
  | { readonly kind: "calendar"; readonly calendar: Calendar }
  | {
      readonly kind: "object";
      readonly calendar: Calendar;
      readonly name: string;
      /** Null where nothing stands yet, or nothing any more. */
      readonly object: CalendarObject | null;
    };

export type CollectionResource = Exclude<Resource, { readonly kind: "object" }>;

/** A request whose person and address are known. */
export interface DavRequest {
  /** Upper case. */
  readonly method: string;
  readonly target: DavTarget;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Empty where none was sent. */
  readonly body: Buffer;
  /** What was read of a long body already, while others had their turn: its XML, or the object that it is. */
  readonly document?: XmlReading;
  readonly reading?: ObjectReading;
}

/** A request that names what stands at its address. */
export interface ResourceRequest extends DavRequest {
  readonly resource: Resource;
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
  /** From so many characters of pieces on the answer does not name its length. */
  readonly longestWhole?: number;
}
