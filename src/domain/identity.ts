import type { ItemKind } from "./fields.ts";
import type { ServiceId } from "./ids.ts";

const uidPattern = /^(?:again-)*(?:event|task|subtask)-[1-9]\d{0,15}@(.+)$/;

/**
 * Permanent UID of an item created in the workspace. It uses kind and id alone, so that it survives moves, renames and
 * a change between event and milestone. Items created in a calendar keep the calendar's UID.
 */
export function uidOf(kind: ItemKind, id: ServiceId, installation: string): string {
  return `${kind}-${id}@${installation}`;
}

/** True if a UID was made by this installation. An unknown one is then stale, not new. */
export const isOwnUid = (uid: string, installation: string): boolean =>
  uidPattern.exec(uid)?.[1] === installation;
