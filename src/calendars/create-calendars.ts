import { OutdatedObjectError } from "@dayferry/caldav-server/backend";
import { createEventLoopBudget, type EventLoopBudget, inTurns } from "@dayferry/event-loop";
import { fingerprint } from "../domain/fingerprint.ts";
import { type ItemKey, type PersonId, type ProjectId, revision } from "../domain/ids.ts";
import { lazy } from "../domain/lazy.ts";
import type { Store } from "../store/store.ts";
import { type CalendarViewer, createCalendarIndexes, type Member } from "./calendar-index.ts";
import type { Calendar, CalendarObject, Calendars, FormerMember } from "./calendar-types.ts";
import { createObjectRenderer, objectFormatOf } from "./object-renderer.ts";
import { createOwnViews, type OwnView } from "./own-view.ts";
import { createPersonCalendars, type ScopedCalendar, sees } from "./person-calendars.ts";
import { isHashedName, nameOfUid, uidOfName } from "./resource-names.ts";
import { createStoredObjects } from "./stored-objects.ts";
import { changesSince, isSeen, type PresentCalendar, presentToken } from "./sync-collection.ts";

interface CalendarsDeps {
  readonly store: Store;
  /** The account's zone. */
  readonly zone: string;
  /** True if a project was ever read completely; null = all projects. */
  readonly hasRead: (project: ProjectId | null) => boolean;
  /** Called with each request for a calendar of one project. */
  readonly onOpened?: (project: ProjectId) => void;
  /** True if milestones are offered as to-dos besides the events. */
  readonly milestones: boolean;
  /** People with read-only access. */
  readonly readOnly: ReadonlySet<PersonId>;
  /** Number of octets of texts kept in memory; others are generated on request. */
  readonly budget?: number;
  /** Shares the main thread; its own share by default. */
  readonly eventLoop?: EventLoopBudget;
}

/** Thrown if a person no longer has the used calendar. Callers have just looked it up. */
export class UnknownCalendarError extends Error {
  override readonly name = "UnknownCalendarError";
  constructor({ person, slug }: Pick<Calendar, "person" | "slug">) {
    super(`person ${person} has no calendar ${JSON.stringify(slug)}`);
  }
}

const usualBudget = 12 * 2 ** 20;

/**
 * Everyone's CalDAV calendars, based on the view: each call first processes changes, and answers as one person sees it, with
 * their own waiting edits applied.
 */
export function createCalendars(deps: CalendarsDeps): Calendars {
  const { store, zone, hasRead, milestones, readOnly, onOpened, budget = usualBudget } = deps;
  const { eventLoop = createEventLoopBudget() } = deps;
  const renderer = createObjectRenderer({ store, zone });
  const own = createOwnViews({ store, renderer, zone });
  const people = createPersonCalendars({
    store,
    milestones,
    readOnly,
    format: lazy(() => objectFormatOf(zone)),
  });
  const indexes = createCalendarIndexes({
    store,
    renderer,
    zone,
    budget,
    onUndone() {
      people.forget();
      renderer.forget();
      own.forget();
    },
  });
  const storedObjects = createStoredObjects({
    store,
    renderer,
    shownTo: (person, key) => own.of(person, indexes.refresh())?.view(key) ?? null,
  });

  const calendarsOf = (person: PersonId) => people.of(person, indexes.refresh());

  function scoped({ person, slug }: Calendar): ScopedCalendar {
    const found = calendarsOf(person).get(slug);
    if (!found) throw new UnknownCalendarError({ person, slug });
    return found;
  }

  function present(calendar: ScopedCalendar): PresentCalendar {
    const { scope, access } = calendar;
    // The state's name does not depend on the members.
    const index = once(() => indexes.of(scope));
    const viewer: CalendarViewer = { id: access, sees: (facts) => sees(scope, facts) };
    const seen = (member: Member | null): CalendarObject | null =>
      member && sees(scope, member.facts) ? member.object : null;
    const mine = own.of(scope.person, indexes.upTo());
    const isMine = (key: ItemKey): boolean => mine?.has(key) === true;
    const members = once(() => mine?.members(scope) ?? []);
    const byKey = once(() => new Map(members().map((object) => [object.key, object])));
    // Of two with one name the first counts.
    const byName = once(
      () =>
        new Map(
          members()
            .toReversed()
            .map((one) => [one.name, one]),
        ),
    );
    const changedAt = once(() => store.changes.seenRevision(scope.collection, scope.person));
    const isForAll = () => index().isOpen() && scope.collection !== null && !scope.isPrivate;
    const withMine = (all: readonly CalendarObject[]) =>
      mine ? withMembers(all, { mine, members: members() }) : all;
    const completeFrom = once(() => store.changes.completeFrom());
    return {
      ...calendar,
      latest: indexes.upTo(),
      list: () => withMine(index().list(isForAll() ? null : viewer)),
      listNear: (span) => withMine(index().listNear(isForAll() ? null : viewer, span)),
      get(key) {
        if (!isMine(key)) return seen(index().get(key));
        return byKey().get(key) ?? null;
      },
      named(name) {
        const found = byName().get(name);
        const shared = found ? null : seen(index().named(name));
        return found ?? (shared && !isMine(shared.key) ? shared : null);
      },
      // Most readers of members do not need these.
      get changedAt() {
        return changedAt();
      },
      get completeFrom() {
        return completeFrom();
      },
      get revision() {
        return revision(Math.max(changedAt(), completeFrom()));
      },
    };
  }

  const open = (calendar: Calendar): PresentCalendar => present(scoped(calendar));

  /** A private list is a person's calendar if it has a task visible to them. */
  const isOffered = (calendar: ScopedCalendar): boolean =>
    !calendar.scope.isPrivate || present(calendar).list().length > 0;

  /** Calendars being filled, by index. */
  const preparing = new Map<string, Promise<void>>();

  /** What an answer about one calendar, or all of a person's, needs. */
  function unfilled(person: PersonId, slug: string | null): readonly ScopedCalendar[] {
    const all = calendarsOf(person);
    const named = slug === null ? undefined : all.get(slug);
    const asked =
      slug === null
        ? [...all.values()].filter(({ scope }) => scope.isPrivate || scope.collection === null)
        : [...(named ? [named] : [])];
    return asked.filter(({ scope }) => !indexes.isFilled(scope));
  }

  async function fillAll(calendars: readonly ScopedCalendar[]): Promise<void> {
    for (const { scope } of calendars) {
      const id = indexes.idOf(scope);
      const filling = preparing.get(id) ?? inTurns(indexes.fillInSteps(scope), eventLoop);
      preparing.set(id, filling);
      await filling.finally(() => preparing.delete(id));
    }
  }

  return {
    prepare(person, slug) {
      const calendars = unfilled(person, slug);
      return calendars.length === 0 ? null : fillAll(calendars);
    },
    list(person) {
      return [...calendarsOf(person).values()].filter(isOffered).map(({ calendar }) => calendar);
    },
    find(person, slug) {
      const found = calendarsOf(person).get(slug);
      if (!found || !isOffered(found)) return null;
      const [only, ...others] = found.projects;
      if (only !== undefined && others.length === 0) onOpened?.(only);
      return found.calendar;
    },
    hasRead(calendar) {
      const { calendar: of, projects } = scoped(calendar);
      return projects.every(hasRead) || (of.kind === "assigned" && hasRead(null));
    },
    objects(calendar, span) {
      const opened = open(calendar);
      return span ? opened.listNear(span) : opened.list();
    },
    object: (calendar, name) => open(calendar).named(name),
    finder: (calendar) => open(calendar).named,
    objectOfUid(calendar, uid) {
      const identity = store.mirror.findUid(uid);
      return identity && open(calendar).get(identity.item);
    },
    octets: (object) => own.member(object)?.octets ?? indexes.octets(object),
    itemOf(object) {
      const view = own.member(object)?.view ?? store.view.get(object.key);
      if (!view) throw new OutdatedObjectError(object);
      return view;
    },
    formerMember(calendar, name) {
      const others = calendarsOf(calendar.person).values();
      return formerMember(open(calendar), { store, name, others });
    },
    ctag(calendar) {
      const { access, changedAt, calendar: opened } = open(calendar);
      const { name, description, color, order, refusesNew } = opened;
      const says = [access, changedAt, name, description, color, order, opened.access, refusesNew];
      return `c-${fingerprint(JSON.stringify(says))}`;
    },
    token: (calendar) => presentToken(open(calendar)),
    changes: (calendar, { token, limit }) => changesSince(open(calendar), { store, token, limit }),
    keep(object) {
      storedObjects.keep(object);
      indexes.reload(object.key);
    },
    kept(object) {
      const { key, component } = object;
      const mine = own.member(object);
      const view = store.view.get(key);
      const row = mine ? mine.exact : view && renderer.exact(view, component);
      if (!row?.actor) return null;
      return { raw: row.raw.split("\n"), actor: row.actor, agent: row.agent ?? "" };
    },
    hold(held) {
      // A creation is in the log only after its name is.
      own.forget(held.key);
      storedObjects.hold(held);
      own.forget(held.key);
    },
    rename: storedObjects.rename,
    retract: storedObjects.retract,
  };
}

function withMembers(
  all: readonly CalendarObject[],
  { mine, members }: { readonly mine: OwnView; readonly members: readonly CalendarObject[] },
): readonly CalendarObject[] {
  const others = all.filter(({ key }) => !mine.has(key));
  return [...others, ...members].sort((a, b) => a.key - b.key);
}

/** Computed on first use only. */
function once<Value>(ask: () => Value): () => Value {
  let known: { readonly value: Value } | null = null;
  return () => {
    known ??= { value: ask() };
    return known.value;
  };
}

/**
 * The item that had a name in a calendar; the newest if several had it. Null for an unknown name, and for items that the person
 * could not see, as an address must not reveal hidden items.
 */
function formerMember(
  calendar: PresentCalendar,
  {
    store,
    name,
    others,
  }: {
    readonly store: Store;
    readonly name: string;
    /** All calendars of the person. */
    readonly others: Iterable<ScopedCalendar>;
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

/** As far back as versions are kept; an older removal names its place. */
function wasMember(key: ItemKey, { scope }: PresentCalendar, { view }: Store): boolean {
  const versions = view.versionsFrom(key, revision(0));
  if (versions.some(({ item }) => item !== null && isSeen(scope, item))) return true;
  const [only] = versions;
  return versions.length === 1 && only?.item === null && only.collection === scope.collection;
}
