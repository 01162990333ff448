import { createHash, timingSafeEqual } from "node:crypto";
import { readBasic } from "@dayferry/http-values";
import { endsAt, fail, type IncomingObject, ok, startsAt } from "@dayferry/ical";
import {
  type Account,
  additionRefused,
  type Calendar,
  type CalendarBackend,
  type CalendarObject,
  type ObjectPlace,
  OutdatedObjectError,
  objectRefused,
  type PutObject,
  type Refusal,
  type TimeSpan,
} from "./backend.ts";

/** Somebody with a password and calendars of their own. */
export interface MemoryPerson extends Account {
  readonly email: string;
  readonly password: string;
  readonly calendars: readonly (Pick<Calendar, "slug" | "name"> & Partial<Calendar>)[];
}

interface MemoryBackendOptions {
  readonly people: readonly MemoryPerson[];
  readonly clock: () => Temporal.Instant;
  /** IANA zone of floating times and whole days. */
  readonly zone: string;
}

/** An object with its octets. */
interface Entry {
  readonly object: CalendarObject;
  readonly octets: Buffer;
  readonly createdAt: Temporal.Instant;
}

/** The state of one calendar. */
interface Contents {
  /** By name. */
  readonly entries: Map<string, Entry>;
  /** The revision at which each name changed last, the oldest first; names without an entry have left. */
  readonly changedAt: Map<string, number>;
}

/** Days may begin this much earlier or later in another time zone. */
const dayMs = 86_400_000;

/**
 * A backend that keeps everything in memory: for tests, and as an example. Each person has their own calendars; an object is one
 * component. The user name is the e-mail address.
 */
export function createMemoryBackend(options: MemoryBackendOptions): CalendarBackend {
  const { people, clock, zone } = options;
  let revision = 0;
  let keys = 0;
  const contents = new Map<string, Contents>();
  const properties = new Map<string, Map<string, string>>();
  const all = people.flatMap(({ id, calendars }) =>
    calendars.map(
      (calendar, at): Calendar => ({ ...plain, order: at + 1, ...calendar, person: id }),
    ),
  );

  function contentsOf(calendar: Calendar): Contents {
    const id = idOf(calendar);
    const known = contents.get(id) ?? { entries: new Map(), changedAt: new Map() };
    contents.set(id, known);
    return known;
  }

  function write({ calendar, name }: ObjectPlace, entry: Entry | null): void {
    const { entries, changedAt } = contentsOf(calendar);
    if (entry) entries.set(name, entry);
    else entries.delete(name);
    changedAt.delete(name);
    changedAt.set(name, ++revision);
  }

  function entryOf(object: CalendarObject): Entry {
    for (const { entries } of contents.values()) {
      const entry = entries.get(object.name);
      if (entry?.object === object) return entry;
    }
    throw new OutdatedObjectError(object);
  }

  /** Another object with this UID: a UID is unique among a person's calendars. */
  function namesake({ calendar, name }: ObjectPlace, uid: string): ObjectPlace | null {
    for (const other of all.filter(({ person }) => person === calendar.person)) {
      for (const { object } of contentsOf(other).entries.values()) {
        const isHere = other.slug === calendar.slug && object.name === name;
        if (object.uid === uid && !isHere) return { calendar: other, name: object.name };
      }
    }
    return null;
  }

  function refusalOfPut({ calendar, name, object, incoming }: PutObject): Refusal | null {
    const other = namesake({ calendar, name }, incoming.uid);
    if (other) return { kind: "uid", ...other, reason: "the UID is used under another name" };
    if (!object) return additionRefused(calendar);
    if (object.uid !== incoming.uid) {
      return { kind: "uid", calendar, name, reason: "the object has another UID" };
    }
    return object.component === incoming.component
      ? null
      : objectRefused("valid-calendar-object-resource", `the object is a ${object.component}`);
  }

  const entriesOf = (calendar: Calendar): readonly Entry[] =>
    [...contentsOf(calendar).entries.values()].toSorted((a, b) => a.object.key - b.object.key);

  return {
    async logIn({ authorization }) {
      const credentials = readBasic(authorization);
      const person = people.find(({ email }) => email === credentials?.login);
      const isRight = credentials && person && isSame(credentials.password, person.password);
      return isRight
        ? { kind: "person", person, login: credentials.login }
        : { kind: "unauthenticated" };
    },
    calendars: (person) => all.filter((calendar) => calendar.person === person.id),
    calendar: (person, slug) =>
      all.find((calendar) => calendar.person === person.id && calendar.slug === slug) ?? null,
    objects: (calendar, span) =>
      entriesOf(calendar)
        .map(({ object }) => object)
        .filter((object) => !span || !object.span || touches(object.span, span)),
    finder(calendar) {
      const { entries } = contentsOf(calendar);
      return (name) => entries.get(name)?.object ?? null;
    },
    hadObject(calendar, name) {
      const { entries, changedAt } = contentsOf(calendar);
      return changedAt.has(name) && !entries.has(name);
    },
    octets: (object) => entryOf(object).octets,
    createdAt: (object) => entryOf(object).createdAt,
    ctag: (calendar) => `c-${lastChange(contentsOf(calendar))}`,
    token: (calendar) => tokenOf(lastChange(contentsOf(calendar))),
    changes(calendar, { token, limit }) {
      const since = token === "" ? 0 : revisionOf(token);
      const { entries, changedAt } = contentsOf(calendar);
      if (since === null || since > revision) return null;
      // Nothing has to be removed from an empty copy.
      const changed = [...changedAt].filter(
        ([name, at]) => at > since && (token !== "" || entries.has(name)),
      );
      const taken = changed.slice(0, limit ?? undefined);
      const truncated = taken.length < changed.length;
      return {
        put: taken.flatMap(([name]) => entries.get(name)?.object ?? []),
        buried: taken.flatMap(([name]) => (entries.has(name) ? [] : [name])),
        token: tokenOf(truncated ? (taken.at(-1)?.[1] ?? since) : lastChange({ changedAt })),
        truncated,
      };
    },
    properties: (person, calendar) => properties.get(placeOf(person, calendar)) ?? new Map(),
    setProperties(person, calendar, changes) {
      const place = placeOf(person, calendar);
      const set = properties.get(place) ?? new Map<string, string>();
      properties.set(place, set);
      for (const [name, value] of changes) {
        if (value === null) set.delete(name);
        else set.set(name, value);
      }
    },
    put(put) {
      const refusal = refusalOfPut(put);
      if (refusal) return fail(refusal);
      const { name, object, incoming, octets } = put;
      const before = object && entryOf(object);
      const etag = `"${createHash("sha256").update(octets).digest("hex").slice(0, 32)}"`;
      const written: CalendarObject = {
        key: object?.key ?? ++keys,
        uid: incoming.uid,
        component: incoming.component,
        name,
        etag,
        modifiedAt: clock(),
        length: octets.length,
        span: spanOf(incoming, zone),
      };
      write(put, { object: written, octets, createdAt: before?.createdAt ?? clock() });
      return ok(before === null);
    },
    remove(at) {
      write(at, null);
      return ok(null);
    },
    move(at, object, { to }) {
      const refusal = at.calendar.slug === to.calendar.slug ? null : additionRefused(to.calendar);
      if (refusal) return fail(refusal);
      const entry = entryOf(object);
      write(at, null);
      write(to, { ...entry, object: { ...object, name: to.name } });
      return ok(null);
    },
  };
}

const plain = {
  description: "",
  color: null,
  components: ["VEVENT", "VTODO"],
  access: "write",
  refusesNew: null,
} as const;

const idOf = ({ person, slug }: Calendar): string => `${person} ${slug}`;
const placeOf = ({ id }: Account, calendar: Calendar | null): string =>
  calendar ? idOf(calendar) : `${id} `;

const lastChange = ({ changedAt }: Pick<Contents, "changedAt">): number =>
  [...changedAt.values()].at(-1) ?? 0;

const tokenPrefix = "urn:memory:";
const tokenOf = (revision: number): string => `${tokenPrefix}${revision}`;
const revisionOf = (token: string): number | null =>
  new RegExp(`^${tokenPrefix}\\d+$`).test(token) ? Number(token.slice(tokenPrefix.length)) : null;

const isSame = (given: string, right: string): boolean => {
  const [a, b] = [given, right].map((text) => createHash("sha256").update(text).digest());
  return a !== undefined && b !== undefined && timingSafeEqual(a, b);
};

const touches = (a: TimeSpan, b: TimeSpan): boolean => a.from < b.to && a.to > b.from;

/** A day more on either side, for days and floating times in other zones. */
function spanOf({ when, start, due }: IncomingObject, zone: string): TimeSpan | null {
  const times = [start, due].flatMap((time) =>
    time === undefined
      ? []
      : [time.kind === "date" ? time.on.toZonedDateTime(zone) : time.at].map(
          ({ epochMilliseconds }) => epochMilliseconds,
        ),
  );
  const [from, to] = when
    ? [startsAt(when, zone), endsAt(when, zone)].map(({ epochMilliseconds }) => epochMilliseconds)
    : [Math.min(...times), Math.max(...times)];
  if (from === undefined || to === undefined || !Number.isFinite(from)) return null;
  return { from: from - dayMs, to: to + 2 * dayMs };
}
