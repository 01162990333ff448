import type { IcsProblem } from "../ics-problem.ts";
import type { IncomingTime } from "../time-values.ts";
import type { When } from "../when.ts";

/** A calendar file that could be read; single items of it may still have problems. */
export interface IncomingCalendar {
  /** REQUEST, PUBLISH or CANCEL; null when the file names none. */
  readonly method: string | null;
  /** In file order. */
  readonly items: readonly IncomingItem[];
  /** Components that the service has nothing for (VJOURNAL, VFREEBUSY, …). */
  readonly ignored: readonly IcsProblem[];
}

/** One VEVENT or VTODO. `undefined` means that the property was not sent, which is no edit. */
export interface IncomingItem {
  readonly component: "VEVENT" | "VTODO";
  /** "" when it is missing, which is also one of `problems`. */
  readonly uid: string;
  /** Line of its BEGIN. */
  readonly line: number;
  /** Its unfolded lines from BEGIN to END, for keeping. */
  readonly raw: readonly string[];
  readonly sequence: number | null;
  readonly lastModified: Temporal.Instant | null;
  /** X-DAYFERRY-BASE: SEQUENCE of the version that the feed showed, which programs leave alone when they edit. */
  readonly base: number | null;
  readonly summary: string | undefined;
  readonly description: string | undefined;
  /** Of a VEVENT with DTSTART; times in the zone they were written in. */
  readonly when: When | undefined;
  /** DTSTART. */
  readonly start: IncomingTime | undefined;
  /** Of a VTODO: DUE, or DTSTART with DURATION. */
  readonly due: IncomingTime | undefined;
  /** Upper case, as `classification`. */
  readonly status: string | undefined;
  readonly completedAt: Temporal.Instant | undefined;
  /** 0 to 100. */
  readonly percent: number | undefined;
  readonly categories: readonly string[] | undefined;
  /** Time before the start, zero or more; null: there is no alarm; undefined: none that can be stored. */
  readonly alarm: Temporal.Duration | null | undefined;
  readonly classification: string | undefined;
  /** E-mail addresses, lower case. */
  readonly attendees: readonly string[] | undefined;
  /** UID of the parent. */
  readonly relatedTo: string | undefined;
  readonly comments: readonly string[];
  /** Files that stand in the item itself. */
  readonly attachments: readonly IncomingAttachment[];
  readonly unstorable: readonly Unstorable[];
  /** Where the item was read otherwise than it may seem. */
  readonly remarks: readonly IcsProblem[];
  /** Why this item cannot be accepted; none for one that can. Other items of the file do not depend on it. */
  readonly problems: readonly IcsProblem[];
}

/** A file in an ATTACH; `type` is its media type. */
export interface IncomingAttachment {
  readonly line: number;
  readonly name: string;
  readonly type: string;
  readonly content: Uint8Array;
}

/** What a person wrote and the service cannot hold. */
export interface Unstorable {
  readonly line: number;
  readonly name: string;
  readonly reason: string;
}

/** Whether an item wants to be private; any class but PUBLIC does. Source: RFC 5545 3.8.1.3 (an unknown class is PRIVATE). */
export const asksPrivacy = ({ classification }: Pick<IncomingItem, "classification">): boolean =>
  classification !== undefined && classification !== "" && classification !== "PUBLIC";

/** The item under another UID. The marks of its version go, as they name versions of what had the UID before. */
export const underUid = <Incoming extends IncomingItem>(
  incoming: Incoming,
  uid: string,
): Incoming => ({ ...incoming, uid, sequence: null, lastModified: null, base: null });
