import type {
  CalendarBackend,
  ObjectPlace,
  PrincipalFile,
  PutObject,
  Writer,
} from "@dayferry/caldav-server/backend";
import { appleProfile, profileType, profileUuid } from "../calendars/apple-profile.ts";
import type { Calendar, CalendarObject } from "../calendars/calendar-types.ts";
import type { Push } from "../calendars/push-support.ts";
import type { Person } from "../domain/item.ts";
import { sentenceInWords } from "../ics/text/problem-in-words.ts";
import { retryAfterOf } from "../store/storage-health.ts";
import type { Store } from "../store/store.ts";
import { currentLanguage, inLanguage, say } from "../texts/say.ts";
import { retold } from "../texts/stored.ts";
import { createLogin, type LoginDeps } from "./dav-login.ts";
import { moveObject } from "./move-object.ts";
import { putObject } from "./put-object.ts";
import { createRecentWrites } from "./recent-writes.ts";
import { removeObject } from "./remove-object.ts";
import type { WriteContext, WriteDeps } from "./write-context.ts";

export interface BackendDeps extends WriteDeps, LoginDeps {
  readonly store: Store;
  /** Absent: no push messages. */
  readonly push?: Push;
}

type At = ObjectPlace<Calendar>;
type By = Writer<Person>;

/** What the CalDAV server serves: the calendars of people in the workspace. Every write becomes an edit. */
export function createCaldavBackend(deps: BackendDeps): CalendarBackend {
  const { store, calendars, clock, push } = deps;
  const quietly = <Done>({ person, unnotified = [] }: By, change: () => Done): Done =>
    push ? push.quietly(person.id, unnotified, change) : change();
  const recentWrites = createRecentWrites();
  const contextOf = ({ person, agent }: By): WriteContext => ({
    ...deps,
    recentWrites,
    person,
    agent,
  });
  /** Properties of a calendar, or of the home; no calendar is called "". */
  const slotOf = (calendar: Calendar | null): string => calendar?.slug ?? "";

  return {
    logIn: createLogin(deps),
    describe: sentenceInWords,
    speakTo(person: Person, work) {
      const present = currentLanguage();
      return inLanguage(() => store.personLanguages.of(person.id) ?? present, work);
    },
    prepare: (person: Person, slug) => calendars.prepare(person.id, slug),
    calendars: (person: Person) => calendars.list(person.id),
    calendar: (person: Person, slug) => calendars.find(person.id, slug),
    notReady: (calendar: Calendar) =>
      calendars.hasRead(calendar) ? null : say("caldavFault.notRead"),
    objects: calendars.objects,
    finder: calendars.finder,
    hadObject: (calendar: Calendar, name) => calendars.formerMember(calendar, name) !== null,
    octets: calendars.octets,
    createdAt: (object: CalendarObject) => calendars.itemOf(object).knownAt,
    ctag: calendars.ctag,
    token: calendars.token,
    changes: calendars.changes,
    properties: (person: Person, calendar: Calendar | null) =>
      store.calendarProperties.of(person.id, slotOf(calendar)),
    setProperties(person: Person, calendar: Calendar | null, changes) {
      store.together(() => {
        for (const [property, value] of changes) {
          const at = { person: person.id, calendar: slotOf(calendar), property };
          if (value === null) store.calendarProperties.remove(at);
          else store.calendarProperties.put({ ...at, value });
        }
      });
    },
    put: ({ writer, ...put }: PutObject<Calendar, CalendarObject, Person>) =>
      quietly(writer, () => putObject(contextOf(writer), put)),
    remove: ({ calendar }: At, object: CalendarObject, writer: By) =>
      quietly(writer, () => removeObject(contextOf(writer), calendar, object)),
    move: (
      { calendar: from }: At,
      object: CalendarObject,
      { to, writer }: { readonly to: At; readonly writer: By },
    ) => quietly(writer, () => moveObject(contextOf(writer), { from, object, ...to })),
    ...(push && { push: push.support }),
    onConflict({ key }: CalendarObject, writer: By) {
      recentWrites.refused.note(key, contextOf(writer), clock());
    },
    refusalOf(error) {
      const trouble = store.health.note(error) ? store.health.trouble() : null;
      if (!trouble) return null;
      // Source: RFC 4918 11.5 (507).
      const status = trouble.kind === "full" ? 507 : 503;
      const reason = retold(trouble.problem);
      return { kind: "status", status, retryAfterSeconds: retryAfterOf(trouble), reason };
    },
  };
}

/** Why programs cannot create, move or delete calendars. */
export const calendarsAreProjects =
  "calendars come from the workspace's projects and lists: create them there";

/** The configuration profile for iPhone, iPad and Mac. */
export const appleProfileFile = ({ meta }: Pick<Store, "meta">): PrincipalFile => ({
  name: "dayferry.mobileconfig",
  type: profileType,
  write(of: { readonly url: string; readonly person: Person; readonly login: string }) {
    const uuid = profileUuid(meta.installation, of.person.id);
    return appleProfile({ ...of, description: "Dayferry", uuid });
  },
});
