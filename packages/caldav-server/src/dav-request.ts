import type { EventLoopBudget } from "@dayferry/event-loop";
import type { IncomingObject, ObjectFault, Result } from "@dayferry/ical";
import type {
  Account,
  Calendar,
  CalendarBackend,
  CalendarObject,
  PrincipalFile,
} from "./backend.ts";
import type { KeptListings } from "./properties/kept-listings.ts";
import type { XmlReading } from "./xml/read-xml.ts";

/** The result of parsing a calendar object. */
export type ObjectReading = Result<IncomingObject, ObjectFault>;

export interface CaldavServerOptions {
  readonly backend: CalendarBackend;
  /** Public URL of the application, without a trailing slash. The server is at `/dav/` below it. */
  readonly publicUrl: () => string;
  /** Name of the service, for people. Also the realm of passwords, so it should never change. */
  readonly name: string;
  /** Why programs cannot create, move or delete calendars, for people, without a full stop. */
  readonly fixedCalendars: string;
  /** IANA zone of floating times. */
  readonly zone: string;
  /** Largest accepted object, in bytes. */
  readonly maxSize: number;
  readonly clock: () => Temporal.Instant;
  /** A new unique text, for UIDs. */
  readonly randomId: () => string;
  /** Failures that are answered with 500, and interrupted answers. */
  readonly onError: (event: string, about: Readonly<Record<string, unknown>>) => void;
  readonly file?: PrincipalFile;
  /** Parses long objects elsewhere, such as in a thread. */
  readonly readObject?: (octets: Buffer) => Promise<ObjectReading>;
  /** Shares the main thread; by default others run after a few milliseconds. */
  readonly eventLoop?: EventLoopBudget;
}

/** Context of every request handler. */
export interface DavContext
  extends Pick<
    CaldavServerOptions,
    | "backend"
    | "clock"
    | "file"
    | "fixedCalendars"
    | "maxSize"
    | "name"
    | "onError"
    | "randomId"
    | "zone"
  > {
  /** The authenticated person. */
  readonly person: Account;
  /** The user name they logged in with. */
  readonly login: string;
  /** User-Agent of their program; empty if none. */
  readonly agent: string;
  /** Ids of push registrations that are not notified of changes by this request. */
  readonly unnotified: readonly string[] | "all";
  readonly paths: DavPaths;
  /** Scheme and host of the public URL, without a trailing slash. Prepended to a path of `paths`, it gives an absolute URL. */
  readonly origin: string;
  /** Hosts, with ports, of this server: the public one, and the one in this request. */
  readonly hosts: ReadonlySet<string>;
  /** For all people. */
  readonly listings: KeptListings;
}

/** What a URL means. `calendar` and `object` may or may not exist. */
export type DavTarget =
  | { readonly kind: "root" }
  | { readonly kind: "principals" }
  | { readonly kind: "principal"; readonly person: string }
  /** The `file` of the options. */
  | { readonly kind: "file"; readonly person: string; readonly name: string }
  /** A registration for push messages. */
  | { readonly kind: "registration"; readonly person: string; readonly id: string }
  | { readonly kind: "homes" }
  | { readonly kind: "home"; readonly person: string }
  | (CalendarAddress & { readonly kind: "calendar"; readonly person: string })
  | (CalendarAddress & {
      readonly kind: "object";
      readonly person: string;
      readonly name: string;
    });

/** The owner and the last path segment of a calendar. */
export type CalendarAddress = Pick<Calendar, "person" | "slug">;

/** URLs as answers give them: absolute paths, percent-encoded, with the public URL's prefix. */
export interface DavPaths {
  readonly root: string;
  readonly principals: string;
  readonly principal: (person: Account["id"]) => string;
  readonly file: (person: Account["id"]) => string;
  readonly homes: string;
  readonly home: (person: Account["id"]) => string;
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
      /** Null if it does not exist, or no longer. */
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

/** A request for an object, or a place for one, in a calendar that the person has and that is ready. */
export interface ObjectRequest extends DavRequest {
  readonly calendar: Calendar;
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
