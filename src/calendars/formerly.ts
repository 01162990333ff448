import type { ItemKey } from "../domain/ids.ts";
import { revision } from "../domain/ids.ts";
import type { Store } from "../store/store.ts";
import { isHashedName, nameOfUid, uidOfName } from "./names.ts";
import type { PlacedCalendar } from "./person-calendars.ts";
import { isSeen, type PresentCalendar } from "./sync.ts";

/** An item that was a member under some name, and is there no more. */
export interface FormerMember {
  readonly key: ItemKey;
  readonly uid: string;
  /** Whether it is nowhere any more; else it was moved, or renamed. */
  readonly isGone: boolean;
}

/**
 * Whose name it was in a calendar; the newest item where several had it. Null for a name that was never there, and for
 * items that the person could not see: an address must not tell that something is hidden.
 */
export function formerMember(
  calendar: PresentCalendar,
  {
    store,
    name,
    others,
  }: {
    readonly store: Store;
    readonly name: string;
    /** All calendars of the person. */
    readonly others: Iterable<PlacedCalendar>;
  },
): FormerMember | null {
  for (const key of itemsNamed(name, store)) {
    if (calendar.get(key)?.name === name || !wasMember(key, calendar, store)) continue;
    const { uid } = store.mirror.identity(key);
    const view = store.view.get(key);
    if (!view) return { key, uid, isGone: true };
    const isVisible = [...others].some(({ scope }) => isSeen(scope, view.item));
    if (isVisible) return { key, uid, isGone: false };
  }
  return null;
}

function itemsNamed(name: string, { objectNames, mirror }: Store): readonly ItemKey[] {
  const uid = uidOfName(name);
  const identity = uid === null ? null : mirror.findUid(uid);
  const hashed = isHashedName(name)
    ? objectNames.oddUids().filter((odd) => nameOfUid(odd.uid) === name)
    : [];
  const made = [...(identity ? [identity] : []), ...hashed].map(({ item }) => item);
  return [...new Set([...objectNames.find(name), ...made])];
}

/** As far back as versions are kept; a burial that is older tells where it was. */
function wasMember(key: ItemKey, { scope }: PresentCalendar, { view }: Store): boolean {
  const versions = view.versionsFrom(key, revision(0));
  if (versions.some(({ item }) => item !== null && isSeen(scope, item))) return true;
  const [only] = versions;
  return versions.length === 1 && only?.item === null && only.collection === scope.collection;
}
