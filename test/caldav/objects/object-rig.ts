import { randomBytes } from "node:crypto";
import type { DavAnswer, DavContext } from "../../../packages/caldav-server/src/dav-request.ts";
import { collectionAnswer, objectAnswer } from "../../../packages/caldav-server/src/dispatch.ts";
import { createPaths } from "../../../packages/caldav-server/src/paths.ts";
import { createKeptListings } from "../../../packages/caldav-server/src/properties/kept-listings.ts";
import { createCaldavBackend } from "../../../src/caldav/backend.ts";
import { createCalendars } from "../../../src/calendars/create-calendars.ts";
import { type PersonId, personId, projectId, type ServiceId } from "../../../src/domain/ids.ts";
import type { Item, Person } from "../../../src/domain/item.ts";
import { createAcceptItems } from "../../../src/edits/intake/accept.ts";
import { createAcceptMove } from "../../../src/edits/intake/accept-move.ts";
import { createPasswords } from "../../../src/people/passwords.ts";
import { acceptRig, type RigSetting, vevent, vtodo } from "../../edits/rig.ts";
import { instantThrottle } from "../../support/instant-throttle.ts";
import { aTodolist, zone } from "../../support/items.ts";

export interface ObjectSetting extends RigSetting {
  readonly readOnly?: readonly number[];
}

export interface Ask {
  readonly body?: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
  readonly person?: number;
}

export const root = "/dav/calendars/11";
export const events = `${root}/events-2001`;
export const tasks = `${root}/tasks-3001`;
export const milestones = `${root}/milestones-2001`;
const host = "cal.example.com";

/** Two people with their calendars over a real store, and requests for their objects. */
export function objectRig(setting: ObjectSetting = {}) {
  const rig = acceptRig(setting);
  const { store, clock, deps } = rig;
  const calendars = createCalendars({
    store,
    zone,
    hasRead: () => true,
    milestones: true,
    readOnly: new Set((setting.readOnly ?? []).map(personId)),
  });
  let made = 0;
  const shared = {
    backend: createCaldavBackend({
      store,
      calendars,
      acceptItems: createAcceptItems(deps),
      acceptMove: createAcceptMove(deps),
      passwords: createPasswords({ store, randomBytes }),
      throttle: instantThrottle(clock).throttle,
      onLogin() {},
      zone,
      mode: setting.mode ?? "apply",
      clock,
    }),
    name: "Dayferry",
    fixedCalendars: "calendars are fixed",
    zone,
    maxSize: 100_000,
    clock,
    onError() {},
    randomId: () => `random-${++made}`,
    paths: createPaths("", null),
    origin: `https://${host}`,
    hosts: new Set([host]),
    listings: createKeptListings(),
  } as const;

  function personOf(id: PersonId): Person {
    const person = store.directory.people().find((one) => one.id === id);
    if (!person) throw new Error(`nobody is ${id}`);
    return person;
  }

  function ask(method: string, path: string, { body = "", headers = {}, person = 11 }: Ask = {}) {
    const login = `person-${person}`;
    const agent = new Map(Object.entries(headers)).get("user-agent") ?? "";
    const who = { login, agent, person: personOf(personId(person)), unnotified: [] };
    const context: DavContext = { ...shared, ...who };
    const target = context.paths.read(path);
    if (!target) throw new Error(`no address: ${path}`);
    const type = method === "PUT" ? { "content-type": "text/calendar" } : {};
    const request = { method, target, headers: { ...type, ...headers }, body: Buffer.from(body) };
    const calendar =
      target.kind === "object" ? calendars.find(personId(person), target.slug) : null;
    const isMaking = method === "MKCOL" || method === "MKCALENDAR";
    if (target.kind !== "object" || isMaking) return collectionAnswer(context, request);
    if (!calendar) throw new Error(`no calendar: ${path}`);
    return objectAnswer(context, { ...request, calendar, name: target.name });
  }

  return {
    ...rig,
    calendars,
    ask,
    /** A PUT of one component. */
    put: (path: string, item: string, headers: Readonly<Record<string, string>> = {}) =>
      ask("PUT", path, { body: object(item), headers }),
    get: (path: string, headers: Readonly<Record<string, string>> = {}) =>
      ask("GET", path, { headers }),
    text: (path: string) => String(ask("GET", path).body),
    etag: (path: string) => ask("HEAD", path).headers?.["ETag"] ?? "",
    /** Puts an item into the mirror and returns its address. */
    member(item: Item & { readonly id: ServiceId }): string {
      const uid = rig.put(item);
      return `${root}/${item.kind === "event" ? `events-${item.projectId}` : `tasks-${item.listId}`}/${uid}.ics`;
    },
    /** From now on the project has only this member. */
    closeProject(id: number, member: number) {
      const projects = store.directory.projects();
      const closed = projects.map((project) =>
        project.id === id ? { ...project, members: [personId(member)] } : project,
      );
      store.directory.putProjects(closed, true);
    },
    itemOf: (uid: string) => store.view.findUid(uid)?.item ?? null,
    names: (slug: string, person = 11) => {
      const calendar = calendars.find(personId(person), slug);
      return calendar ? calendars.objects(calendar).map(({ name }) => name) : [];
    },
    /** What a synchronising client learns since a token. */
    since(slug: string, token: string, person = 11) {
      const calendar = calendars.find(personId(person), slug);
      const changes = calendar && calendars.changes(calendar, { token, limit: null });
      if (!changes) throw new Error("the token is void");
      return { put: changes.put.map(({ name }) => name), buried: changes.buried };
    },
    token(slug: string, person = 11) {
      const calendar = calendars.find(personId(person), slug);
      return calendar ? calendars.token(calendar) : "";
    },
  };
}

/** A rig with the lists 3001 and 3003. */
export function twoListsRig(setting: ObjectSetting = {}) {
  const rig = objectRig(setting);
  rig.store.directory.putTodolists(projectId(2001), [aTodolist(3001), aTodolist(3003)], true);
  return rig;
}

/** A calendar object of one component. */
export const object = (item: string): string =>
  `BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Tests//EN\r\n${item}\r\nEND:VCALENDAR\r\n`;

export const uidOf = (path: string): string => path.replace(/^.*\//, "").replace(/\.ics$/, "");

/** Status, and the precondition of a refusal. */
export function told({ status, body }: DavAnswer): string {
  const rule = /<d:error[^>]*><([a-z]+:[a-z-]+)[ />]/.exec(String(body ?? ""))?.[1];
  return rule === undefined || rule === "df:reason" ? String(status) : `${status} ${rule}`;
}

export const party = vevent(
  "party@example.com",
  "DTSTAMP:20261120T120000Z",
  "SUMMARY:Party",
  "LOCATION:Kitchen",
  "DTSTART;VALUE=DATE:20261224",
  "DTEND;VALUE=DATE:20261225",
  "X-FOO;X=y:bar",
);
export const chore = (...lines: readonly string[]) =>
  vtodo("chore@example.com", "DTSTAMP:20261120T120000Z", "SUMMARY:Chore", ...lines);

/** A rig with an item of the workspace, and its address. */
export function withMember<Rig extends Pick<ReturnType<typeof objectRig>, "member">>(
  rig: Rig,
  item: Parameters<Rig["member"]>[0],
) {
  return { rig, path: rig.member(item) };
}
