import {
  type FeedId,
  feedId,
  type ItemKey,
  isId,
  itemKey,
  type PersonId,
  personId,
} from "./ids.ts";
import { type ClaimSigner, createClaimSigner } from "./signed-claim.ts";

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
export interface MailLinkClaim extends Claim {
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
