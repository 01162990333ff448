import { fingerprint } from "../domain/fingerprint.ts";

/** UIDs that can stand in an address as they are. */
const plainUid = /^(?![.x])[-\w.@]{1,150}$|^x(?!-[0-9a-f]{32}$)[-\w.@]{0,149}$/;

const hashedName = /^x-[0-9a-f]{32}\.ics$/;

/**
 * The last part of the address of an item for which no program has chosen one: its UID, or a hash of it where the UID
 * has characters that some program would encode in another way.
 */
export function nameOfUid(uid: string): string {
  return plainUid.test(uid) ? `${uid}.ics` : hashedNameOf(uid);
}

/** A name that no item shares, for one whose own is taken by another. */
export const hashedNameOf = (uid: string): string => `x-${fingerprint(uid)}.ics`;

/** The UID from which a name was made; null where it was not, or where it cannot be told. */
export function uidOfName(name: string): string | null {
  const uid = name.endsWith(".ics") ? name.slice(0, -".ics".length) : "";
  return plainUid.test(uid) ? uid : null;
}

/** Whether a name is a hash of a UID. */
export const isHashedName = (name: string): boolean => hashedName.test(name);
