import { createHmac, timingSafeEqual } from "node:crypto";
import { say } from "../texts/say.ts";
import {
  type FeedId,
  feedId,
  type ItemKey,
  isId,
  itemKey,
  type PersonId,
  personId,
} from "./ids.ts";
import { canComplete, type Item } from "./item.ts";
import { type MailChoice, mailChoices } from "./mail-kind.ts";
import type { Patch } from "./patch.ts";
import { unreachable } from "./result.ts";
import { dayFault } from "./service-times.ts";

/**
 * Links that work without signing in. A link says whose it is and what it does, and is signed so that nobody can forge
 * another. Action links in feeds and mails change one item; choice links at the end of mails unsubscribe.
 */

/** What a link in an event's text can do: complete, reopen, postpone by a day or a week. */
export const linkActions = ["done", "reopen", "day", "week"] as const;
export type LinkAction = (typeof linkActions)[number];

interface Claim {
  readonly action: LinkAction;
  readonly item: ItemKey;
  /** The last day on which it works, in the account's zone. */
  readonly until: Temporal.PlainDate;
}

/** The content of a link in a feed. It is void once the feed has a new version, as after being revoked. */
export interface LinkClaim extends Claim {
  readonly feed: FeedId;
  readonly feedVersion: number;
}

/** The content of a link in a mail. It works for that person while they may see the item. */
interface MailLinkClaim extends Claim {
  readonly person: PersonId;
}

export type AnyLinkClaim = LinkClaim | MailLinkClaim;

/**
 * Writes and reads the signed part of a link, 46 characters. Equal claims give equal text, so that an unchanged feed
 * keeps its ETag.
 */
export type LinkSigner = ClaimSigner<AnyLinkClaim>;

/** The first byte identifies the layout of the others. */
const layouts = { feed: 1, mail: 2 } as const;
// 34 bytes with the signature. The last of the 46 characters is then a letter, which programs that detect addresses
// never cut off.
const claimLength = 18;

/** `key`: at least 32 bytes, stored outside the database. Throws `WeakKeyError`. */
export const createLinkSigner = (key: Uint8Array): LinkSigner =>
  createClaimSigner(key, { purpose: "action link", claimLength, encode, decode });

const epoch = new Temporal.PlainDate(1970, 1, 1);

function encode(claim: AnyLinkClaim): Buffer {
  const { action, item, until } = claim;
  const bytes = Buffer.alloc(claimLength);
  bytes.writeUInt8("person" in claim ? layouts.mail : layouts.feed, 0);
  bytes.writeUInt8(linkActions.indexOf(action), 1);
  bytes.writeUInt16BE(epoch.until(until, { largestUnit: "days" }).days, 2);
  if ("person" in claim) bytes.writeUIntBE(claim.person, 4, 6);
  else {
    bytes.writeUInt32BE(claim.feed, 4);
    bytes.writeUInt32BE(claim.feedVersion, 8);
  }
  bytes.writeUIntBE(item, 12, 6);
  return bytes;
}

function decode(bytes: Buffer): AnyLinkClaim | null {
  const action = linkActions[bytes.readUInt8(1)];
  const item = bytes.readUIntBE(12, 6);
  if (!action || !isId(item)) return null;
  const until = epoch.add({ days: bytes.readUInt16BE(2) });
  const claim = { action, item: itemKey(item), until };
  const layout = bytes.readUInt8(0);
  if (layout === layouts.mail) {
    const person = bytes.readUIntBE(4, 6);
    return isId(person) ? { ...claim, person: personId(person) } : null;
  }
  const feed = bytes.readUInt32BE(4);
  if (layout !== layouts.feed || !isId(feed)) return null;
  return { ...claim, feed: feedId(feed), feedVersion: bytes.readUInt32BE(8) };
}

/** The content of an unsubscribe link: whose mail it is, and of which kind ("all" for a mail of several). */
export interface ChoiceClaim {
  readonly person: PersonId;
  readonly choice: MailChoice;
}

/** Writes and reads the signed part of an unsubscribe link, 32 characters. */
export type ChoiceSigner = ClaimSigner<ChoiceClaim>;

const choiceLayout = 1;
const choiceLength = 8;

/**
 * `key`: at least 32 bytes, stored outside the database. Throws `WeakKeyError`. Links never expire, as an old mail must
 * still be able to unsubscribe. Source: RFC 8058 section 3.1.
 */
export const createChoiceSigner = (key: Uint8Array): ChoiceSigner =>
  createClaimSigner(key, {
    purpose: "mail choice",
    claimLength: choiceLength,
    encode: encodeChoice,
    decode: decodeChoice,
  });

function encodeChoice({ person, choice }: ChoiceClaim): Buffer {
  const bytes = Buffer.alloc(choiceLength);
  bytes.writeUInt8(choiceLayout, 0);
  bytes.writeUInt8(mailChoices.indexOf(choice), 1);
  bytes.writeUIntBE(person, 2, 6);
  return bytes;
}

function decodeChoice(bytes: Buffer): ChoiceClaim | null {
  const choice = mailChoices[bytes.readUInt8(1)];
  const person = bytes.readUIntBE(2, 6);
  if (bytes.readUInt8(0) !== choiceLayout || !choice || !isId(person)) return null;
  return { person: personId(person), choice };
}

/** Writes and reads the signed part of a sign-in link, identified by its number: 32 characters. */
export type LogInSigner = ClaimSigner<number>;

const logInLayout = 1;

/** `key`: at least 32 bytes, stored outside the database. Throws `WeakKeyError`. */
export const createLogInSigner = (key: Uint8Array): LogInSigner =>
  createClaimSigner(key, {
    purpose: "log-in",
    claimLength: choiceLength,
    encode(link) {
      const bytes = Buffer.alloc(choiceLength);
      bytes.writeUInt8(logInLayout, 0);
      bytes.writeUIntBE(link, 2, 6);
      return bytes;
    },
    decode: (bytes) => (bytes.readUInt8(0) === logInLayout ? bytes.readUIntBE(2, 6) : null),
  });

/** What an item's links are made from; `address`: public URL of this server, without a trailing slash. */
export interface LinkMaker {
  readonly signer: LinkSigner;
  readonly address: string;
}

/** A link in a text. */
export interface NamedLink {
  readonly label: string;
  readonly url: string;
}

/** The links of one item, for what can be done with it now. `claim`: for whom, and until when. */
export function makeLinks(
  { signer, address }: LinkMaker,
  about: {
    readonly item: Item;
    readonly claim: Omit<LinkClaim, "action"> | Omit<MailLinkClaim, "action">;
  },
): readonly NamedLink[] {
  return offeredActions(about.item).map((action) => ({
    label: "person" in about.claim ? buttonText(action, about.item) : say(`link.act.${action}`),
    url: `${address}/act/${signer.sign({ ...about.claim, action })}`,
  }));
}

/** In a mail there is room to say what is moved. */
function buttonText(action: LinkAction, { kind }: Item): string {
  if (action !== "day" && action !== "week") return say(`link.act.${action}`);
  return kind === "event" ? say(`link.date.${action}`) : say(`link.due.${action}`);
}

/**
 * What can be done with an item: nothing with an event that is no milestone. Dates move only while it is open, and only
 * to days the service can store.
 */
export function offeredActions(item: Item): readonly LinkAction[] {
  if (!canComplete(item)) return [];
  if (item.completed) return ["reopen"];
  const day = dayOf(item);
  const moves = (["day", "week"] as const).filter(
    (action) => day && dayFault(day.add(lengths[action])) === null,
  );
  return ["done", ...moves];
}

/** What an action changes; null if it does nothing to the item now. */
export function linkPatch(item: Item, action: LinkAction): Patch | null {
  if (!offeredActions(item).includes(action)) return null;
  switch (action) {
    case "done":
      return { completed: true };
    case "reopen":
      return { completed: false };
    case "day":
      return movedBy(item, lengths.day);
    case "week":
      return movedBy(item, lengths.week);
    default:
      return unreachable(action);
  }
}

/**
 * The day that an action moves: a task's due date, else its start date; a milestone's first day. Null if there is none,
 * or a time of day.
 */
export function dayOf(item: Item): Temporal.PlainDate | null {
  if (item.kind !== "event") return item.dueOn ?? item.startOn;
  return item.when.kind === "dates" ? item.when.start : null;
}

/**
 * The last day of a link made on `today`: the end of the next quarter, 90 to 183 days later. All links of a quarter
 * share it. A text that said "in 90 days" would change every day, and every calendar with it.
 */
export function linkUntil(today: Temporal.PlainDate): Temporal.PlainDate {
  const month = today.month - ((today.month - 1) % 3);
  return today.with({ month, day: 1 }).add({ months: 6 }).subtract({ days: 1 });
}

const lengths = { day: { days: 1 }, week: { days: 7 } } as const;

function movedBy(item: Item, length: Temporal.DurationLike): Patch | null {
  if (item.kind === "event") {
    if (item.when.kind !== "dates") return null;
    const { start, end } = item.when;
    return { when: { kind: "dates", start: start.add(length), end: end.add(length) } };
  }
  if (item.dueOn) return { dueOn: item.dueOn.add(length) };
  return item.startOn && { startOn: item.startOn.add(length) };
}

/** How the claims of one kind of link are encoded. */
interface ClaimLayout<Claim> {
  /** Identifies the kind, so that a link of one kind is not valid as another under the same key. */
  readonly purpose: string;
  readonly claimLength: number;
  readonly encode: (claim: Claim) => Uint8Array;
  /** Null for bytes that `encode` never writes. */
  readonly decode: (bytes: Buffer) => Claim | null;
}

/** Writes and reads the signed part of a link: letters, digits, hyphens and underscores. */
interface ClaimSigner<Claim> {
  /** Equal claims give equal text. */
  sign(claim: Claim): string;
  /** Null for any text that `sign` has not made with this key. */
  read(text: string): Claim | null;
}

/** Thrown for a key that is too short. */
export class WeakKeyError extends Error {
  override readonly name = "WeakKeyError";
  constructor(purpose: string, bytes: number) {
    super(`the key of ${purpose}s has ${bytes} bytes; at least ${shortestKey} are needed`);
  }
}

const shortestKey = 32;
const tagLength = 16;

/**
 * `key`: at least 32 bytes, stored outside the database. Throws `WeakKeyError`. Signatures are 128 bits of
 * HMAC-SHA-256.
 */
function createClaimSigner<Claim>(
  key: Uint8Array,
  { purpose, claimLength, encode, decode }: ClaimLayout<Claim>,
): ClaimSigner<Claim> {
  if (key.byteLength < shortestKey) throw new WeakKeyError(purpose, key.byteLength);
  const tagOf = (claim: Uint8Array) =>
    createHmac("sha256", key).update(purpose).update(claim).digest().subarray(0, tagLength);
  return {
    sign(claim) {
      const bytes = encode(claim);
      return Buffer.concat([bytes, tagOf(bytes)]).toString("base64url");
    },
    read(text) {
      const bytes = Buffer.from(text, "base64url");
      // Decoding base64url is tolerant. Only the canonical text is accepted.
      if (bytes.byteLength !== claimLength + tagLength || bytes.toString("base64url") !== text) {
        return null;
      }
      const claim = bytes.subarray(0, claimLength);
      return timingSafeEqual(bytes.subarray(claimLength), tagOf(claim)) ? decode(claim) : null;
    },
  };
}

/** Where a line of a calendar file may be folded within an address. Source: RFC 5545 3.1. */
const fold = "(?:\\r?\\n[ \\t])?";
const folded = (text: string): string => text.split("").join(fold);
/** Signed texts begin with the number of their layout, so that other addresses are left alone. */
const ofLength = (length: number): string =>
  `A${fold}[Qg](?:${fold}[\\w-]){${length - 2}}(?![\\w-])`;
const links = new RegExp(
  `(${folded("/act/")})(${fold}${ofLength(46)})|(${folded("/unsubscribe/")})(${fold}${ofLength(32)})`,
  "g",
);

/**
 * The text with the signatures of action and unsubscribe links invalidated, at the same length. People copy texts from
 * feeds and mails, and stored copies must not contain working links.
 */
export const withoutSignatures = (text: string): string =>
  text.replace(
    links,
    (_link, act: string = "", ofAct: string = "", mail: string = "", ofMail: string = "") =>
      act + mail + (ofAct + ofMail).replace(/[\w-]/g, "x"),
  );
