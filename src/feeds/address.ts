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

/** The readable end of a feed's address: ASCII letters, digits and hyphens, `fallback` when a name has none of them. */
export function slugOf(name: string, fallback: string): string {
  const spelt = name
    .toLowerCase()
    .replace(/[ßæœøłđðþ]/g, (letter) => spellings.get(letter) ?? "")
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "");
  const slug = spelt
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, longestSlug)
    .replace(/^-+|-+$/g, "");
  return /[a-z]/.test(slug) ? slug : fallback;
}

const longestSlug = 60;

/** Latin letters that Unicode does not take apart. */
const spellings: ReadonlyMap<string, string> = new Map([
  ["ß", "ss"],
  ["æ", "ae"],
  ["œ", "oe"],
  ["ø", "o"],
  ["ł", "l"],
  ["đ", "d"],
  ["ð", "d"],
  ["þ", "th"],
]);
