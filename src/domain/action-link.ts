import { createHmac, timingSafeEqual } from "node:crypto";
import { type FeedId, feedId, type ItemKey, isId, itemKey } from "./ids.ts";

/** What a link in an event's text can do: complete, open again, move the date by a day or by a week. */
export const linkActions = ["done", "reopen", "day", "week"] as const;
export type LinkAction = (typeof linkActions)[number];

/** What a link says. It is void when the feed got another version, also by being revoked. */
export interface LinkClaim {
  readonly action: LinkAction;
  readonly item: ItemKey;
  readonly feed: FeedId;
  readonly feedVersion: number;
  /** The last day on which it works, in the account's zone. */
  readonly until: Temporal.PlainDate;
}

/** Writes and reads the signed part of a link: 46 letters, digits, hyphens and underscores. */
export interface LinkSigner {
  /** Equal claims give equal text, so that a feed which says the same has the same ETag. */
  sign(claim: LinkClaim): string;
  /** Null for any text that `sign` has not written with this key. */
  read(text: string): LinkClaim | null;
}

/** Thrown for a key from which signatures could be guessed. */
export class WeakLinkKeyError extends Error {
  override readonly name = "WeakLinkKeyError";
  constructor(bytes: number) {
    super(`the key of action links has ${bytes} bytes; at least ${shortestKey} are needed`);
  }
}

const shortestKey = 32;
const layout = 1;
const claimLength = 18;
const tagLength = 16;
// 34 bytes: the last of the 46 characters is then a letter, which programs that look for addresses in a text never cut off.
const pattern = /^[A-Za-z0-9_-]{45}[AQgw]$/;

/** `key`: at least 32 bytes, kept outside the database. Throws `WeakLinkKeyError`. */
export function createLinkSigner(key: Uint8Array): LinkSigner {
  if (key.byteLength < shortestKey) throw new WeakLinkKeyError(key.byteLength);
  const tagOf = (claim: Uint8Array) =>
    createHmac("sha256", key).update("action link").update(claim).digest().subarray(0, tagLength);
  return {
    sign(claim) {
      const bytes = encode(claim);
      return Buffer.concat([bytes, tagOf(bytes)]).toString("base64url");
    },
    read(text) {
      if (!pattern.test(text)) return null;
      const bytes = Buffer.from(text, "base64url");
      const claim = bytes.subarray(0, claimLength);
      return timingSafeEqual(bytes.subarray(claimLength), tagOf(claim)) ? decode(claim) : null;
    },
  };
}

const epoch = new Temporal.PlainDate(1970, 1, 1);

function encode({ action, item, feed, feedVersion, until }: LinkClaim): Buffer {
  const bytes = Buffer.alloc(claimLength);
  bytes.writeUInt8(layout, 0);
  bytes.writeUInt8(linkActions.indexOf(action), 1);
  bytes.writeUInt16BE(epoch.until(until, { largestUnit: "days" }).days, 2);
  bytes.writeUInt32BE(feed, 4);
  bytes.writeUInt32BE(feedVersion, 8);
  bytes.writeUIntBE(item, 12, 6);
  return bytes;
}

function decode(bytes: Buffer): LinkClaim | null {
  const action = linkActions[bytes.readUInt8(1)];
  const [feed, item] = [bytes.readUInt32BE(4), bytes.readUIntBE(12, 6)];
  if (bytes.readUInt8(0) !== layout || !action || !isId(feed) || !isId(item)) return null;
  return {
    action,
    item: itemKey(item),
    feed: feedId(feed),
    feedVersion: bytes.readUInt32BE(8),
    until: epoch.add({ days: bytes.readUInt16BE(2) }),
  };
}
