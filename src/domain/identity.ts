import type { ServiceId } from "./ids.ts";
import type { ItemKind } from "./item.ts";

const uidPattern = /^(event|task|subtask)-([1-9]\d{0,15})@(.+)$/;

/**
 * UID for life of an item that was born in the workspace: kind and id alone, so neither a move, a rename nor a change
 * between event and milestone alters it. Items born in a calendar keep the calendar's UID instead.
 */
export function uidOf(kind: ItemKind, id: ServiceId, installation: string): string {
  return `${kind}-${id}@${installation}`;
}

/** Whether a UID has the form of this installation's own, so that an unknown one is stale rather than new. */
export function isOwnUid(uid: string, installation: string): boolean {
  return uidPattern.exec(uid)?.[3] === installation;
}
