import type { IcsProblem } from "../ics-problem.ts";
import type { Sentence } from "../sentences.ts";
import type { IncomingTime } from "../time-values.ts";
import type { When } from "../when.ts";

/** A parsed calendar file; single items may still have problems. */
export interface IncomingCalendar {
  /** REQUEST, PUBLISH or CANCEL; null if missing. */
  readonly method: string | null;
  /** In file order. */
  readonly items: readonly IncomingItem[];
  /** Components the service cannot store (VJOURNAL, VFREEBUSY, …). */
  readonly ignored: readonly IcsProblem[];
}

/** One VEVENT or VTODO. `undefined` means that the property was not sent, which is not an edit. */
export interface IncomingItem {
  readonly component: "VEVENT" | "VTODO";
  /** "" if missing, which is also one of `problems`. */
  readonly uid: string;
  /** Line of its BEGIN. */
  readonly line: number;
  /** Its unfolded lines from BEGIN to END, for storage. */
  readonly raw: readonly string[];
  readonly sequence: number | null;
  readonly lastModified: Temporal.Instant | null;
  /** X-DAYFERRY-BASE: SEQUENCE of the version in the feed; programs keep it when they edit. */
  readonly base: number | null;
  readonly summary: string | undefined;
  readonly description: string | undefined;
  /** For a VEVENT with DTSTART; times in the time zone they were written in. */
  readonly when: When | undefined;
  /** DTSTART. */
  readonly start: IncomingTime | undefined;
  /** For a VTODO: DUE, or DTSTART with DURATION. */
  readonly due: IncomingTime | undefined;
  /** Upper case, as `classification`. */
  readonly status: string | undefined;
  readonly completedAt: Temporal.Instant | undefined;
  /** 0 to 100. */
  readonly percent: number | undefined;
  readonly categories: readonly string[] | undefined;
  /** Time before the start, zero or more; null for no alarm; undefined for none that can be stored. */
  readonly alarm: Temporal.Duration | null | undefined;
  readonly classification: string | undefined;
  /** E-mail addresses, lower case. */
  readonly attendees: readonly string[] | undefined;
  /** UID of the repeating item that this is an occurrence of. */
  readonly series?: string;
  /** UID of the parent. */
  readonly relatedTo: string | undefined;
  readonly comments: readonly string[];
  /** Files embedded in the item. */
  readonly attachments: readonly IncomingAttachment[];
  readonly unstorable: readonly Unstorable[];
  /** Where the item was read differently than one might expect. */
  readonly remarks: readonly IcsProblem[];
  /** Why this item cannot be accepted; empty if it can. Other items of the file are independent of it. */
  readonly problems: readonly IcsProblem[];
}

/** A file in an ATTACH; `type` is its media type. */
export interface IncomingAttachment {
  readonly line: number;
  readonly name: string;
  readonly type: string;
  readonly content: Uint8Array;
}

/** Content that a person wrote and the service cannot store. */
export interface Unstorable {
  readonly line: number;
  readonly name: string;
  readonly reason: Sentence;
}

/** True if an item requests privacy; any class except PUBLIC does. Source: RFC 5545 3.8.1.3 (an unknown class is PRIVATE). */
export const asksPrivacy = ({ classification }: Pick<IncomingItem, "classification">): boolean =>
  classification !== undefined && classification !== "" && classification !== "PUBLIC";

/** The item with another UID. Removes its version marks, because they refer to the item that had the UID before. */
export const underUid = <Incoming extends IncomingItem>(
  incoming: Incoming,
  uid: string,
): Incoming => ({ ...incoming, uid, sequence: null, lastModified: null, base: null });
