import type { Calendar, CalendarObject, Calendars } from "../calendars/calendar-types.ts";
import type { PersonId } from "../domain/ids.ts";
import type { Person } from "../domain/item.ts";
import type { ItemsRequest } from "../edits/intake/accept.ts";
import type { MoveRequest } from "../edits/intake/accept-move.ts";
import type { Acceptance } from "../edits/intake/plan-answer.ts";
import type { EventLoopBudget } from "../event-loop-budget.ts";
import type { CalendarReader, ObjectReading } from "../ics/read/calendar-reader.ts";
import type { Log } from "../log.ts";
import type { PasswordCheck } from "../people/passwords.ts";
import type { Throttle } from "../people/throttle.ts";
import type { Store } from "../store/store.ts";
import type { KeptListings } from "./properties/kept-listings.ts";
import type { RecentWrites } from "./recent-writes.ts";
import type { XmlReading } from "./xml/read-xml.ts";

/** Dependencies of the CalDAV server. */
export interface DavDeps {
  readonly store: Store;
  readonly calendars: Calendars;
  readonly acceptItems: (request: ItemsRequest) => Acceptance;
  readonly acceptMove: (request: MoveRequest) => Acceptance;
  readonly passwords: PasswordCheck;
  /** Shared by everything that accepts app passwords, so that guesses are counted together. */
  readonly throttle: Throttle;
  /** The account's zone. */
  readonly zone: string;
  /** `review`: an edit waits for a person and is not visible before. */
  readonly mode: "apply" | "review";
  /** Largest accepted object, in bytes. */
  readonly maxSize: number;
  /** Public URL of this server, without a trailing slash. */
  readonly publicUrl: () => string;
  readonly clock: () => Temporal.Instant;
  readonly randomId: () => string;
  readonly log: Log;
  /** Objects are parsed at once without it. */
  readonly reader?: CalendarReader;
  /** Long requests are parsed and long answers made in turns; its own share of the main thread by default. */
  readonly eventLoop?: EventLoopBudget;
}

/** Context of every request handler. */
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
  /** The authenticated person. */
  readonly person: Person;
  /** The user name they logged in with. */
  readonly login: string;
  /** User-Agent of their program; empty if none. */
  readonly agent: string;
  readonly paths: DavPaths;
  /** Scheme and host of the public URL, without a trailing slash. Prepended to a path of `paths`, it gives an absolute URL. */
  readonly origin: string;
  /** Hosts, with ports, of this server: the public one, and the one in this request. */
  readonly hosts: ReadonlySet<string>;
  /** For all people. */
  readonly listings: KeptListings;
  /** For all programs. */
  readonly recentWrites: RecentWrites;
}

/** What a URL means. `calendar` and `object` may or may not exist. */
export type DavTarget =
  | { readonly kind: "root" }
  | { readonly kind: "principals" }
  | { readonly kind: "principal"; readonly person: PersonId }
  /** The configuration profile for Apple's programs. */
  | { readonly kind: "profile"; readonly person: PersonId }
  | { readonly kind: "homes" }
  | { readonly kind: "home"; readonly person: PersonId }
  | (CalendarAddress & { readonly kind: "calendar" })
  | (CalendarAddress & { readonly kind: "object"; readonly name: string });

/** The owner and the last path segment of a calendar. */
export type CalendarAddress = Pick<Calendar, "person" | "slug">;

/** URLs as answers give them: absolute paths, percent-encoded, with the public URL's prefix. */
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
   * What a path or URL names, with or without the prefix, which a proxy may remove; null if it is malformed or not ours. The
   * host is ignored.
   */
  readonly read: (address: string) => DavTarget | null;
  /** The URL path of a target. */
  readonly of: (target: DavTarget) => string;
}

/** The resource at a URL, as far as the person may see it. */
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
      /** Null if it does not exist, or not any more. */
      readonly object: CalendarObject | null;
    };

export type CollectionResource = Exclude<Resource, { readonly kind: "object" }>;

/** A request with a known person and target. */
export interface DavRequest {
  /** Upper case. */
  readonly method: string;
  readonly target: DavTarget;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Empty if none was sent. */
  readonly body: Buffer;
  /** The parsed long body: its XML, or the object. */
  readonly document?: XmlReading;
  readonly reading?: ObjectReading;
}

/** A request for the resource at its URL. */
export interface ResourceRequest extends DavRequest {
  readonly resource: Resource;
}

/** A request for a calendar that the person has, and whose project was read completely. */
export interface CalendarRequest extends DavRequest {
  readonly calendar: Calendar;
}

/** A request for an object, or a place for one, in a calendar that the person has. */
export interface ObjectRequest extends CalendarRequest {
  readonly name: string;
}

/** An answer. The router adds DAV, Date, Content-Length, compression and the like. */
export interface DavAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /**
   * Instead of a body: its text in pieces, generated while sending, so that a long answer neither fills the memory nor blocks
   * others. An empty piece lets others run. Throws `AnswerTooLargeError` if it becomes too long.
   */
  readonly pieces?: Iterable<string>;
  /** Answers with more characters are sent without a length. */
  readonly longestWhole?: number;
}
