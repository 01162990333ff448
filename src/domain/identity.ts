import { type ItemKind, itemKinds } from "./fields.ts";
import { type ServiceId, serviceId } from "./ids.ts";

const uidPattern = /^(?:again-)*(event|task|subtask)-([1-9]\d{0,15})@(.+)$/;

/**
 * UID for life of an item that was born in the workspace: kind and id alone, so neither a move, a rename nor a change
 * between event and milestone alters it. Items born in a calendar keep the calendar's UID instead.
 */
export function uidOf(kind: ItemKind, id: ServiceId, installation: string): string {
  return `${kind}-${id}@${installation}`;
}

/** Whether a UID has the form of this installation's own, so that an unknown one is stale rather than new. */
export function isOwnUid(uid: string, installation: string): boolean {
  return readOwnUid(uid, installation) !== null;
}

/** The item of the service that a UID of this installation names; null for any other UID. */
export function readOwnUid(
  uid: string,
  installation: string,
): { readonly kind: ItemKind; readonly id: ServiceId } | null {
  const [, named, id, owner] = uidPattern.exec(uid) ?? [];
  const kind = itemKinds.find((one) => one === named);
  return owner === installation && kind ? { kind, id: serviceId(Number(id)) } : null;
}
