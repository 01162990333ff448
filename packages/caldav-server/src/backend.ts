import type { IncomingObject, Result, Sentence } from "@dayferry/ical";

/** Somebody who can log in. */
export interface Account {
  /** As in URLs: letters, digits and `-._~`. */
  readonly id: string | number;
  readonly name: string;
  readonly email: string | null;
}

export type ObjectComponent = "VEVENT" | "VTODO";

/** A calendar as one person sees it. */
export interface Calendar {
  readonly person: Account["id"];
  /** Last path segment of its URL. */
  readonly slug: string;
  readonly name: string;
  readonly description: string;
  /** `#RRGGBB`; null if it has none. */
  readonly color: string | null;
  /** Position among the person's calendars, from 1. */
  readonly order: number;
  readonly components: readonly ObjectComponent[];
  /** `read`: this person may not change anything in it. */
  readonly access: "write" | "read";
  /** Null if new objects may be added, else why not, for people. */
  readonly refusesNew: string | null;
}

/** One object of a calendar, without its octets. Immutable: a changed object is a new one. */
export interface CalendarObject {
  /** Unique number; listings are ordered by it. */
  readonly key: number;
  readonly uid: string;
  readonly component: ObjectComponent;
  /** Last path segment of its URL. */
  readonly name: string;
  /** Strong and quoted: it changes with the octets. */
  readonly etag: string;
  readonly modifiedAt: Temporal.Instant;
  /** Of the octets. */
  readonly length: number;
  /**
   * When it takes place, at least: an object outside of a time range does not match, one inside is checked. Null for one without
   * dates.
   */
  readonly span: TimeSpan | null;
}

/** From when to when, in milliseconds since 1970, end exclusive. */
export interface TimeSpan {
  readonly from: number;
  readonly to: number;
}

/** Changes of a calendar since a token. */
export interface CalendarChanges<Object extends CalendarObject = CalendarObject> {
  /** New or changed objects. */
  readonly put: readonly Object[];
  /** Names of objects that have left the calendar. */
  readonly buried: readonly string[];
  /** Token to continue from. */
  readonly token: string;
  /** True if the limit truncated the answer, and `token` continues. */
  readonly truncated: boolean;
}

/** Thrown by `octets` for an object that has changed since it was listed. */
export class OutdatedObjectError extends Error {
  override readonly name = "OutdatedObjectError";
  constructor({ uid }: Pick<CalendarObject, "uid">) {
    super(`the calendar object of ${JSON.stringify(uid)} has changed since`);
  }
}

export type Privilege = "read" | "bind" | "unbind" | "write-content" | "write-properties";

/** Why a backend refuses a request; `reason` is for people, without a full stop. */
export type Refusal = {
  readonly reason: string;
} & (
  | {
      /** The object cannot be stored: a precondition of RFC 4791 5.3.2.1, such as `valid-calendar-object-resource`. */
      readonly kind: "object";
      readonly precondition: string;
    }
  | {
      /** The UID is used under another name, or the name by another UID. */
      readonly kind: "uid";
      readonly calendar: Calendar;
      readonly name: string;
    }
  | {
      /** The person lacks a privilege for a calendar, or for one of its objects. */
      readonly kind: "privilege";
      readonly privilege: Privilege;
      readonly calendar: Calendar;
      readonly name?: string;
    }
  | {
      /** Another status of HTTP. */
      readonly kind: "status";
      readonly status: number;
      readonly retryAfterSeconds?: number;
    }
);

/** The object cannot be stored. */
export const objectRefused = (precondition: string, reason: string): Refusal => ({
  kind: "object",
  precondition,
  reason,
});

/** Why the calendar does not hold a component; null if it does. */
export function componentRefused(calendar: Calendar, component: ObjectComponent): Refusal | null {
  if (calendar.components.includes(component)) return null;
  const reason = `the calendar "${calendar.name}" holds no ${component}`;
  return objectRefused("supported-calendar-component", reason);
}

/** Why the person may not change the calendar, or its object `name`; null if they may. */
export function changeRefused(
  calendar: Calendar,
  { privilege, name }: { readonly privilege: Privilege; readonly name?: string },
): Refusal | null {
  if (calendar.access === "write") return null;
  const reason = `you may read the calendar "${calendar.name}", but not change it`;
  return { kind: "privilege", privilege, calendar, ...(name !== undefined && { name }), reason };
}

/** Why the person may not add to the calendar; null if they may. */
export function additionRefused(calendar: Calendar): Refusal | null {
  const refused = changeRefused(calendar, { privilege: "bind" });
  if (refused || calendar.refusesNew === null) return refused;
  return { kind: "privilege", privilege: "bind", calendar, reason: calendar.refusesNew };
}

/** Who writes, and with which program. */
export interface Writer<Person extends Account = Account> {
  readonly person: Person;
  /** User-Agent; "" for none. */
  readonly agent: string;
  /** Ids of push registrations that are not notified of this change; `all` for every one. */
  readonly unnotified?: readonly string[] | "all";
}

/** Where an object is, or is to be. */
export interface ObjectPlace<In extends Calendar = Calendar> {
  readonly calendar: In;
  readonly name: string;
}

/** A PUT, or the destination of a COPY. */
export interface PutObject<
  In extends Calendar = Calendar,
  Object extends CalendarObject = CalendarObject,
  Person extends Account = Account,
> extends ObjectPlace<In> {
  readonly writer: Writer<Person>;
  /** As sent. */
  readonly octets: Buffer;
  /** The same, parsed. */
  readonly incoming: IncomingObject;
  /** The present object with this name; null if there is none. */
  readonly object: Object | null;
  /** True if a condition named the present version, so that the sender has edited that one. */
  readonly isSeen: boolean;
  /** True if the sender requires that no object has this name (`If-None-Match: *`). */
  readonly isNew: boolean;
}

/** Credentials as sent. */
export interface LoginAttempt {
  /** The `Authorization` header. */
  readonly authorization: string | undefined;
  /** The client's IP address. */
  readonly address: string;
}

/** `login`: as entered. `unauthenticated`: no credentials, or wrong ones. `refused`: too many wrong ones. */
export type LoginResult<Person extends Account = Account> =
  | { readonly kind: "person"; readonly person: Person; readonly login: string }
  | { readonly kind: "unauthenticated" }
  | { readonly kind: "refused"; readonly retryAfterSeconds: number };

/** A program that wants messages about changes. Source: draft-bitfire-webdav-push; RFC 8291 (keys). */
export interface PushRequest {
  /** Address at the push service. It identifies the program: a second request with it updates the first. */
  readonly resource: string;
  /** In base64url: a point of P-256, and 16 octets. */
  readonly publicKey: string;
  readonly authSecret: string;
  /** Which changes it subscribes to: of objects, of the collection's own properties. */
  readonly content: boolean;
  readonly properties: boolean;
  /** Requested expiry; null if none. */
  readonly expires: Temporal.Instant | null;
}

/** Registrations for WebDAV-Push. `calendar` null: the home. */
export interface PushSupport {
  /** The server's VAPID key: an uncompressed point of P-256 in base64url. Source: RFC 8292. */
  readonly vapidKey: string;
  /** Identifies a collection in messages; not guessable. */
  topic(person: Account, calendar: Calendar | null): string;
  register(
    person: Account,
    calendar: Calendar | null,
    request: PushRequest,
  ): Result<
    { readonly id: string; readonly isNew: boolean; readonly expires: Temporal.Instant },
    Refusal
  >;
  /** False if the person has no registration with this id. */
  unregister(person: Account, id: string): boolean;
}

/**
 * What a CalDAV server serves: people, their calendars, and the objects in them. Apart from the first two methods, everything is
 * synchronous: an answer is from one moment. People, calendars and objects that the server passes came from the same backend,
 * which may return more than these types require.
 */
export interface CalendarBackend {
  logIn(attempt: LoginAttempt): Promise<LoginResult>;
  /** Runs the work of a request, such that its refusals are in the person's language. */
  speakTo?<Done>(person: Account, work: () => Done): Done;
  /** Why an object is refused, in that language; in English by default. */
  readonly describe?: (sentence: Sentence) => string;
  /**
   * Loads what an answer about one of the person's calendars, or about all (null), needs, while others run; null if there is
   * nothing to wait for.
   */
  prepare?(person: Account, slug: string | null): Promise<void> | null;

  /** The person's calendars in order. */
  calendars(person: Account): readonly Calendar[];
  calendar(person: Account, slug: string): Calendar | null;
  /** Why the calendar is not complete yet, for people: a part would look like the whole. Null if it is. */
  notReady?(calendar: Calendar): string | null;
  /**
   * Objects ordered by key. With `span`, those whose span touches it and those without a span; others may be included. Either
   * end may be infinite.
   */
  objects(calendar: Calendar, span?: TimeSpan): readonly CalendarObject[];
  /** Finds objects by name, all as of the time of this call. */
  finder(calendar: Calendar): (name: string) => CalendarObject | null;
  /** True if an object had this name and has left the calendar. */
  hadObject(calendar: Calendar, name: string): boolean;
  /** The octets with the object's ETag. Throws `OutdatedObjectError`. */
  octets(object: CalendarObject): Buffer;
  /** When the object was created. Throws `OutdatedObjectError`. */
  createdAt(object: CalendarObject): Temporal.Instant;

  /** Changes with every change of the calendar's objects or description; never a plain number. */
  ctag(calendar: Calendar): string;
  /** A URI for the calendar's present state. */
  token(calendar: Calendar): string;
  /** Changes since a token; "" for everything. Null for a token that is unknown or too old. */
  changes(
    calendar: Calendar,
    since: { readonly token: string; readonly limit: number | null },
  ): CalendarChanges | null;

  /** What the person's programs have set on a calendar, or on the home (null), by property name. */
  properties(person: Account, calendar: Calendar | null): ReadonlyMap<string, string>;
  /** Sets (null: removes) properties for this person, all or none. */
  setProperties(
    person: Account,
    calendar: Calendar | null,
    changes: ReadonlyMap<string, string | null>,
  ): void;

  /** Stores an object, durably when it returns. True if the answer is 201 Created, false for 204. */
  put(put: PutObject): Result<boolean, Refusal>;
  remove(at: ObjectPlace, object: CalendarObject, writer: Writer): Result<null, Refusal>;
  /** Moves an object to another calendar, or renames it. Nothing is at the destination. */
  move(
    at: ObjectPlace,
    object: CalendarObject,
    moved: { readonly to: ObjectPlace; readonly writer: Writer },
  ): Result<null, Refusal>;

  /** Absent: no push messages. */
  readonly push?: PushSupport | undefined;
  /** Called if the condition of a PUT failed because the object has changed. */
  onConflict?(object: CalendarObject, writer: Writer): void;
  /** The answer for an error thrown by a method, such as a full disk; null if it is unexpected. */
  refusalOf?(error: unknown): Refusal | null;
}

/** A file below each person's principal, such as a configuration profile. */
export interface PrincipalFile {
  readonly name: string;
  readonly type: string;
  /** `url`: of the context root, absolute, with a trailing slash. `login`: the user name. */
  write(of: { readonly url: string; readonly person: Account; readonly login: string }): string;
}
