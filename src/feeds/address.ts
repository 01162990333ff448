import { createHmac } from "node:crypto";
import type { FeedId } from "../domain/ids.ts";

/** A secret as it stands in an address: 160 bits in 32 digits. */
export const secretPattern = /^[0-9a-v]{32}$/;

/**
 * The secret of a feed's address, derived from a key that is not in the database: neither a stolen copy of the database
 * nor an older address tells it. Another version gives another secret.
 */
export function secretOf(key: Uint8Array, feed: { id: FeedId; version: number }): string {
  const digest = createHmac("sha256", key).update(`feed:${feed.id}:${feed.version}`).digest("hex");
  return BigInt(`0x${digest.slice(0, 40)}`)
    .toString(32)
    .padStart(32, "0");
}

/** By which a presented secret is looked up: how long a search takes then says nothing about the secrets. */
export function searchKeyOf(key: Uint8Array, secret: string): Buffer {
  return createHmac("sha256", key).update(`open:${secret}`).digest();
}
