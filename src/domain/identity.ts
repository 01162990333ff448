import { type ItemKind, itemKinds } from "./fields.ts";
import { type ServiceId, serviceId } from "./ids.ts";

const uidPattern = /^(?:again-)*(event|task|subtask)-([1-9]\d{0,15})@(.+)$/;

/**
 * Permanent UID of an item created in the workspace. It uses kind and id alone, so that it survives moves, renames and
 * a change between event and milestone. Items created in a calendar keep the calendar's UID.
 */
export function uidOf(kind: ItemKind, id: ServiceId, installation: string): string {
  return `${kind}-${id}@${installation}`;
}

/** True if a UID was made by this installation. An unknown one is then stale, not new. */
export function isOwnUid(uid: string, installation: string): boolean {
  return readOwnUid(uid, installation) !== null;
}

/** The kind and id in a UID of this installation; null for any other UID. */
export function readOwnUid(
  uid: string,
  installation: string,
): { readonly kind: ItemKind; readonly id: ServiceId } | null {
  const [, named, id, owner] = uidPattern.exec(uid) ?? [];
  const kind = itemKinds.find((one) => one === named);
  return owner === installation && kind ? { kind, id: serviceId(Number(id)) } : null;
}
