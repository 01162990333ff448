import { type ItemKey, isId, type Revision, revision } from "../domain/ids.ts";
import type { Item } from "../domain/item.ts";
import type { ObjectName } from "../store/rows/calendar-rows.ts";
import type { Store } from "../store/store.ts";
import type { CalendarChanges, CalendarObject, TimeSpan } from "./calendar-types.ts";
import {
  type CalendarScope,
  factsOf,
  holds,
  type ScopedCalendar,
  sees,
} from "./person-calendars.ts";
import { nameOfUid } from "./resource-names.ts";

/** A calendar in its present state, as its person sees it. */
export interface PresentCalendar extends ScopedCalendar {
  /** By item key. */
  readonly list: () => readonly CalendarObject[];
  /** Those that may take place in a span; others may be omitted. */
  readonly listNear: (span: TimeSpan) => readonly CalendarObject[];
  readonly get: (key: ItemKey) => CalendarObject | null;
  readonly named: (name: string) => CalendarObject | null;
  /** Its newest change. */
  readonly changedAt: Revision;
  /** The newest change of all. */
  readonly latest: Revision;
  /** The log is complete from here on. */
  readonly completeFrom: Revision;
  /** Identifies its present state; not before the start of the log. */
  readonly revision: Revision;
}

/** The token of a calendar's present state. */
export const presentToken = ({ access, revision }: PresentCalendar): string =>
  writeToken({ access, revision, base: null, cursor: null });

/**
 * Changes since a token; see `Calendars.changes`. A first listing, or a paged answer, takes several requests while the calendar
 * changes: its tokens remember where it began, and everything that existed since and no longer does is reported as removed.
 * Source: RFC 6578 3.4 to 3.7.
 */
export function changesSince(
  calendar: PresentCalendar,
  {
    store,
    token,
    limit,
  }: { readonly store: Store; readonly token: string; readonly limit: number | null },
): CalendarChanges | null {
  const { access, revision } = calendar;
  const most = limit === null ? Number.POSITIVE_INFINITY : Math.max(1, limit);
  if (token === "") return listing(calendar, { from: revision, after: 0, most });
  const known = readToken(token);
  if (known?.access !== access || !isWithin(known, calendar)) return null;
  if (known.cursor !== null)
    return listing(calendar, { from: known.revision, after: known.cursor, most });
  return pageOf(calendar, { store, known, most });
}

/** True if log and versions are complete since the token. */
function isWithin(token: SyncToken, calendar: PresentCalendar): boolean {
  if (token.revision > calendar.latest || (token.base ?? 0) > token.revision) return false;
  const from = token.base ?? token.revision;
  return from >= calendar.completeFrom || from >= calendar.changedAt;
}

function listing(
  calendar: PresentCalendar,
  { from, after, most }: { readonly from: Revision; readonly after: number; readonly most: number },
): CalendarChanges {
  const { access, revision } = calendar;
  const rest = calendar.list().filter(({ key }) => key > after);
  const put = rest.slice(0, most);
  const last = put.at(-1);
  if (last && put.length < rest.length) {
    const token = writeToken({ access, revision: from, base: from, cursor: last.key });
    return { put, buried: [], token, truncated: true };
  }
  // Changes made while the pages were requested come next.
  const isStale = revision !== from;
  const token = writeToken({ access, revision: from, base: isStale ? from : null, cursor: null });
  return { put, buried: [], token, truncated: isStale };
}

function pageOf(
  calendar: PresentCalendar,
  about: { readonly store: Store; readonly known: SyncToken; readonly most: number },
): CalendarChanges {
  const { store, known, most } = about;
  const { access, scope, revision, changedAt } = calendar;
  const base = known.base ?? known.revision;
  const put: CalendarObject[] = [];
  const buried = new Set<string>();
  let reached = known.revision;
  // Between pages an item may be reported by a later change, which is only in the log.
  const isCurrent = known.base === null && known.revision >= changedAt;
  const changed = isCurrent ? [] : store.changes.seenAfter(known.revision, scope);
  for (const { item, revision: at } of changed) {
    const present = calendar.get(item);
    const gone = namesGone(item, { calendar, store, since: base, present });
    const count = put.length + buried.size;
    if (count > 0 && count + gone.length + (present ? 1 : 0) > most) {
      const token = writeToken({ access, revision: reached, base, cursor: null });
      return { put, buried: [...buried], token, truncated: true };
    }
    if (present) put.push(present);
    for (const name of gone) buried.add(name);
    reached = at;
  }
  const token = writeToken({ access, revision, base: null, cursor: null });
  return { put, buried: [...buried], token, truncated: false };
}

interface Question {
  readonly calendar: PresentCalendar;
  readonly store: Store;
  readonly since: Revision;
  readonly present: CalendarObject | null;
}

/** Names under which the person knew a changed item, and that no longer exist. */
function namesGone(key: ItemKey, question: Question): readonly string[] {
  const { calendar, store, since, present } = question;
  const names = store.objectNames.all(key);
  // A member that was never renamed is where it was.
  if (present && names.every(({ revision }) => revision <= since)) return [];
  const isBelowTried = mayBeBelowTried(key, question);
  const wasThere = isBelowTried || wasMember(key, question);
  if (!wasThere && !names.some(({ person }) => person !== null)) return [];
  const { uid } = store.mirror.identity(key);
  const made = { item: key, name: nameOfUid(uid), revision: revision(0), person: null };
  // A name held for someone else is ignored, and ends no other name; the last one became the item's own.
  const shown = names.filter(
    ({ person }, at) =>
      person === null || person === calendar.scope.person || at === names.length - 1,
  );
  const known = [made, ...shown].filter((one, at, all) => {
    const until = all[at + 1]?.revision ?? null;
    // The person who put it there may have seen it until now.
    if (isBelowTried || isTried(one, question)) return true;
    if (until !== null && until <= since) return false;
    const isOwn = one.person === null || until === null;
    const from = revision(Math.max(one.revision, since));
    return isOwn && wasMember(key, { ...question, since: from }, until);
  });
  return known.map(({ name }) => name).filter((name) => calendar.named(name) === null);
}

/**
 * True if the person's program may have moved a subtask here with its parent, by a held edit. A parent that was deleted and created
 * again has another id: reporting a removal of something unknown does no harm.
 */
function mayBeBelowTried(key: ItemKey, question: Question): boolean {
  const { store, since } = question;
  const { view, mirror, objectNames } = store;
  const versions = view.versionsFrom(key, since).map(({ item }) => item);
  const item = view.get(key)?.item ?? versions.findLast((one) => one !== null);
  if (item?.kind !== "subtask" || item.parentId === null) return false;
  const above = mirror.find("task", item.parentId);
  return above === null || objectNames.all(above).some((one) => isTried(one, question));
}

/** True if the person's program has put the item into this calendar with a name by a held edit. */
function isTried({ revision: at, person }: ObjectName, { calendar, store }: Question): boolean {
  const { scope } = calendar;
  if (person === null || person !== scope.person) return false;
  // It may have been assigned: reporting a removal of something unknown does no harm.
  if (scope.collection === null) return true;
  const [change] = store.changes.since(before(at), 1);
  return change?.revision === at && change.collection === scope.collection;
}

const before = (at: Revision): Revision => revision(Math.max(0, at - 1));

/**
 * At any time since, and before `until` if given: the removal is reported to a program that has put the item, even if it
 * happened before the program's next request. Source: RFC 6578 3.5.2.
 */
function wasMember(
  key: ItemKey,
  { calendar: { scope }, store, since }: Question,
  until: Revision | null = null,
): boolean {
  const versions = store.view.versionsFrom(key, since);
  return versions.some(({ item, revision: at }) => {
    return item !== null && (until === null || at < until) && isSeen(scope, item);
  });
}

/** True if the person sees such an item in the calendar. */
export function isSeen(scope: CalendarScope, item: Item): boolean {
  const facts = factsOf(item);
  return holds(scope, facts) && sees(scope, facts);
}

/** The content of a sync token. */
interface SyncToken {
  /** A hash of everything besides the items that decides what its owner may see; a change makes the token void. */
  readonly access: string;
  /** Its owner knows all changes up to here. */
  readonly revision: Revision;
  /** Set during and after a paged answer: its owner has seen a state from here on, not of one moment. */
  readonly base: Revision | null;
  /** The last item of an unfinished first listing; null after it. */
  readonly cursor: number | null;
}

const pattern =
  /^urn:dayferry:sync:([0-9a-f]{32}):([0-9a-z]{1,11})(?:-([0-9a-z]{1,11})(?:-([0-9a-z]{1,11}))?)?$/;

/** A token is a URI, and never looks like a number. Source: RFC 6578 4 (sync-token is a URI). */
function writeToken({ access, revision: at, base, cursor }: SyncToken): string {
  const parts = [at, base, cursor].filter((part) => part !== null);
  return `urn:dayferry:sync:${access}:${parts.map((part) => part.toString(36)).join("-")}`;
}

/** Null if it is not our token. */
function readToken(text: string): SyncToken | null {
  const [, access, at, base, cursor] = pattern.exec(text) ?? [];
  if (access === undefined || at === undefined) return null;
  const numbers = [at, base, cursor].map((part) =>
    part === undefined ? null : parseInt(part, 36),
  );
  if (numbers.some((number) => number !== null && number !== 0 && !isId(number))) return null;
  const [first = 0, second = null, third = null] = numbers;
  return {
    access,
    revision: revision(first ?? 0),
    base: second === null ? null : revision(second),
    cursor: third,
  };
}
