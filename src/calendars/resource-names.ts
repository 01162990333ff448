import { fingerprint } from "../domain/fingerprint.ts";

/** UIDs that can be part of a URL as they are. */
const plainUid = /^(?![.x])[-\w.@]{1,150}$|^x(?!-[0-9a-f]{32}$)[-\w.@]{0,149}$/;

const hashedName = /^x-[0-9a-f]{32}\.ics$/;

/**
 * The last path segment of an item without a chosen name: its UID, or a hash of it if the UID has characters that some program
 * would encode differently.
 */
export function nameOfUid(uid: string): string {
  return plainUid.test(uid) ? `${uid}.ics` : hashedNameOf(uid);
}

/** A unique name for an item whose own is taken by another. */
export const hashedNameOf = (uid: string): string => `x-${fingerprint(uid)}.ics`;

/** The UID of a name; null if it was not made from one, or is a hash. */
export function uidOfName(name: string): string | null {
  const uid = name.endsWith(".ics") ? name.slice(0, -".ics".length) : "";
  return plainUid.test(uid) ? uid : null;
}

/** True if a name is a hash of a UID. */
export const isHashedName = (name: string): boolean => hashedName.test(name);
