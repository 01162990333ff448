import { createHmac, timingSafeEqual } from "node:crypto";
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

/*
 * Links that act by themselves: whoever has one may use it, so that it says whose it is and what it does, and a signature
 * keeps anybody from writing another. Action links stand in feeds and mails and change one item; choice links stand at the
 * end of mails and stop them.
 */

/** What a link in an event's text can do: complete, open again, move the date by a day or by a week. */
export const linkActions = ["done", "reopen", "day", "week"] as const;
export type LinkAction = (typeof linkActions)[number];

interface Claim {
  readonly action: LinkAction;
  readonly item: ItemKey;
  /** The last day on which it works, in the account's zone. */
  readonly until: Temporal.PlainDate;
}

/** What a link in a feed says. It is void when the feed got another version, also by being revoked. */
export interface LinkClaim extends Claim {
  readonly feed: FeedId;
  readonly feedVersion: number;
}

/** What a link in a mail says: it is that person's, for as long as the item is for the person's eyes. */
interface MailLinkClaim extends Claim {
  readonly person: PersonId;
}

export type AnyLinkClaim = LinkClaim | MailLinkClaim;

/**
 * Writes and reads the signed part of a link, 46 characters. Equal claims give equal text, so that a feed which says the
 * same has the same ETag.
 */
export type LinkSigner = ClaimSigner<AnyLinkClaim>;

/** The first byte tells how the others are to be read. */
const layouts = { feed: 1, mail: 2 } as const;
// With the signature 34 bytes: the last of the 46 characters is then a letter, which programs that look for addresses in a
// text never cut off.
const claimLength = 18;

/** `key`: at least 32 bytes, kept outside the database. Throws `WeakKeyError`. */
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

/** What the link at the end of a mail says: whose mail it is, and of which kind ("all" for a mail of several). */
export interface ChoiceClaim {
  readonly person: PersonId;
  readonly choice: MailChoice;
}

/** Writes and reads the signed part of such a link, 32 characters. */
export type ChoiceSigner = ClaimSigner<ChoiceClaim>;

const choiceLayout = 1;
const choiceLength = 8;

/**
 * `key`: at least 32 bytes, kept outside the database. Throws `WeakKeyError`. A link has no last day: whoever finds an old
 * mail must be able to end the new ones. Source: RFC 8058 section 3.1.
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

/** Writes and reads the signed part of a link that logs a person in, which is known by its number: 32 characters. */
export type LogInSigner = ClaimSigner<number>;

const logInLayout = 1;

/** `key`: at least 32 bytes, kept outside the database. Throws `WeakKeyError`. */
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

/** What an item's links can be made of; `address`: where people reach this server, without a slash at the end. */
export interface LinkMaker {
  readonly signer: LinkSigner;
  readonly address: string;
}

/** A link as it stands in a text. */
export interface NamedLink {
  readonly label: string;
  readonly url: string;
}

/** The links of one item, for what can be done with it as it is. `claim`: for whom, and until when. */
export function makeLinks(
  { signer, address }: LinkMaker,
  about: {
    readonly item: Item;
    readonly claim: Omit<LinkClaim, "action"> | Omit<MailLinkClaim, "action">;
  },
): readonly NamedLink[] {
  return offeredActions(about.item).map((action) => ({
    label: labels[action],
    url: `${address}/act/${signer.sign({ ...about.claim, action })}`,
  }));
}

/**
 * What can be done with an item: nothing for an event that is no milestone; dates are moved only while it is open, and not
 * to where the service could not hold them.
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

/** What an action changes; null when it can do nothing with the item as it is. */
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
 * The day that an action moves: the due date of a task, its start date when it has no other, the first day of a
 * milestone. Null where there is none, or a time of day.
 */
export function dayOf(item: Item): Temporal.PlainDate | null {
  if (item.kind !== "event") return item.dueOn ?? item.startOn;
  return item.when.kind === "dates" ? item.when.start : null;
}

/**
 * The last day of a link that is made on `today`: the end of the next quarter, so 90 to 183 days later. Every link of a
 * quarter has the same one: a text that held "in 90 days" would be another each day, and with it every calendar.
 */
export function linkUntil(today: Temporal.PlainDate): Temporal.PlainDate {
  const month = today.month - ((today.month - 1) % 3);
  return today.with({ month, day: 1 }).add({ months: 6 }).subtract({ days: 1 });
}

const lengths = { day: { days: 1 }, week: { days: 7 } } as const;

const labels: Readonly<Record<LinkAction, string>> = {
  done: "Done",
  reopen: "Open again",
  day: "+1 day",
  week: "+1 week",
};

function movedBy(item: Item, length: Temporal.DurationLike): Patch | null {
  if (item.kind === "event") {
    if (item.when.kind !== "dates") return null;
    const { start, end } = item.when;
    return { when: { kind: "dates", start: start.add(length), end: end.add(length) } };
  }
  if (item.dueOn) return { dueOn: item.dueOn.add(length) };
  return item.startOn && { startOn: item.startOn.add(length) };
}

/** How the claims of one kind of link are written as bytes. */
interface ClaimLayout<Claim> {
  /** Names the kind, so that no text of one kind passes for another under the same key. */
  readonly purpose: string;
  readonly claimLength: number;
  readonly encode: (claim: Claim) => Uint8Array;
  /** Null for bytes that say nothing that `encode` writes. */
  readonly decode: (bytes: Buffer) => Claim | null;
}

/** Writes and reads the signed part of a link: letters, digits, hyphens and underscores alone. */
interface ClaimSigner<Claim> {
  /** Equal claims give equal text. */
  sign(claim: Claim): string;
  /** Null for any text that `sign` has not written with this key. */
  read(text: string): Claim | null;
}

/** Thrown for a key from which signatures could be guessed. */
export class WeakKeyError extends Error {
  override readonly name = "WeakKeyError";
  constructor(purpose: string, bytes: number) {
    super(`the key of ${purpose}s has ${bytes} bytes; at least ${shortestKey} are needed`);
  }
}

const shortestKey = 32;
const tagLength = 16;

/** `key`: at least 32 bytes, kept outside the database. Throws `WeakKeyError`. Signatures are 128 bits of HMAC-SHA-256. */
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
      // Reading is tolerant: only the one way of writing these bytes counts.
      if (bytes.byteLength !== claimLength + tagLength || bytes.toString("base64url") !== text) {
        return null;
      }
      const claim = bytes.subarray(0, claimLength);
      return timingSafeEqual(bytes.subarray(claimLength), tagOf(claim)) ? decode(claim) : null;
    },
  };
}

/** Where a line of a calendar file may be folded, in the middle of an address. Source: RFC 5545 3.1. */
const fold = "(?:\\r?\\n[ \\t])?";
const folded = (text: string): string => text.split("").join(fold);
/** Signed texts begin with the number of their layout, so that addresses of others are left alone. */
const ofLength = (length: number): string =>
  `A${fold}[Qg](?:${fold}[\\w-]){${length - 2}}(?![\\w-])`;
const links = new RegExp(
  `(${folded("/act/")})(${fold}${ofLength(46)})|(${folded("/unsubscribe/")})(${fold}${ofLength(32)})`,
  "g",
);

/**
 * The text with the signatures of action and unsubscribe links made void, as long as it was: what people copy from a feed or a
 * mail is kept here, and a copy of what is kept must open nothing.
 */
export const withoutSignatures = (text: string): string =>
  text.replace(
    links,
    (_link, act: string = "", ofAct: string = "", mail: string = "", ofMail: string = "") =>
      act + mail + (ofAct + ofMail).replace(/[\w-]/g, "x"),
  );
