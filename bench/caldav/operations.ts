import type { Reply } from "./client.ts";
import { countIn, eventText, month, nameOf, stamp } from "./event-text.ts";
import type { Rival } from "./rivals.ts";

/** Something that calendar programs do. */
export interface Operation {
  readonly name: string;
  /** How many a slice holds at most. */
  readonly most: number;
  /** Gets ready at one server; each call of what it returns does it once and says how many milliseconds it took. */
  readonly begin: (rival: Rival) => Promise<() => Promise<number>>;
}

export interface Scene {
  /** Members of the calendar. */
  readonly size: number;
  /** Members of the large calendar. */
  readonly large: number;
}

export interface Operations {
  /** They leave as many members as there were. */
  readonly reading: readonly Operation[];
  readonly changing: Operation;
  /** Every slice makes the calendar larger by as many members, at all servers alike. */
  readonly adding: Operation;
}

/** What is done at all servers. */
export function operationsOn({ size, large }: Scene): Operations {
  let at = 0;
  let version = 0;
  /** Steps that meet all members. */
  function nth(): number {
    at = (at + 37) % size;
    return at;
  }
  function change(rival: Rival): Promise<number> {
    version += 1;
    return put(rival, { nth: nth(), version });
  }
  const always = (once: (rival: Rival) => Promise<number>) => (rival: Rival) =>
    Promise.resolve(() => once(rival));
  const reading: readonly Operation[] = [
    { name: "GET of one event", most: 500, begin: always((rival) => get(rival, nth())) },
    {
      name: `PROPFIND depth 1 of ${size}`,
      most: 200,
      begin: always((rival) => listing(rival, size)),
    },
    {
      name: "sync-collection, one change",
      most: 200,
      async begin(rival) {
        let { token } = await sync(rival, "");
        return async () => {
          await change(rival);
          const answer = await sync(rival, token);
          // SOGo's tokens are seconds: it repeats what changed in the same one.
          if (answer.members === 0) throw new Error(`${rival.name} does not tell the change`);
          ({ token } = answer);
          return answer.ms;
        };
      },
    },
    {
      name: "sync-collection, no change",
      most: 300,
      async begin(rival) {
        const { token } = await sync(rival, "");
        return async () => (await sync(rival, token)).ms;
      },
    },
    {
      name: "multiget of 100",
      most: 200,
      begin: always((rival) => multiget(rival, Array.from({ length: 100 }, nth))),
    },
    {
      name: `calendar-query, a month of ${large}`,
      most: 200,
      begin: always((rival) => query(rival, large)),
    },
  ];
  return {
    reading,
    changing: { name: "PUT of a change", most: 60, begin: always(change) },
    adding: { name: `PUT of a new event at ${size}`, most: 60, begin: always(add) },
  };
}

/** Puts new members until there are so many; the milliseconds of each. */
export async function fillTo(rival: Rival, size: number): Promise<readonly number[]> {
  const taken: number[] = [];
  while (rival.members.count < size) taken.push(await add(rival));
  return taken;
}

async function add(rival: Rival): Promise<number> {
  const { members } = rival;
  members.count += 1;
  return put(rival, { nth: members.count - 1 });
}

async function put(
  { client, calendar }: Rival,
  { nth, version = 0 }: { readonly nth: number; readonly version?: number },
): Promise<number> {
  const isNew = version === 0;
  const reply = await client.call({
    method: "PUT",
    path: calendar + nameOf(nth),
    headers: {
      "Content-Type": "text/calendar; charset=utf-8",
      ...(isNew && { "If-None-Match": "*" }),
    },
    body: eventText(nth, version),
  });
  return expected(reply, { statuses: isNew ? [201] : [200, 201, 204] });
}

async function get({ client, calendar }: Rival, nth: number): Promise<number> {
  const reply = await client.call({ method: "GET", path: calendar + nameOf(nth) });
  return expected(reply, { statuses: [200] });
}

const names = 'xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav"';
const xml = { "Content-Type": "application/xml; charset=utf-8" };

async function listing({ client, calendar }: Rival, size: number): Promise<number> {
  const reply = await client.call({
    method: "PROPFIND",
    path: calendar,
    headers: { ...xml, Depth: "1" },
    body: `<d:propfind ${names}><d:prop><d:getetag/></d:prop></d:propfind>`,
  });
  return expected(reply, { statuses: [207], members: size });
}

async function sync({ client, calendar, name }: Rival, since: string) {
  const reply = await client.call({
    method: "REPORT",
    path: calendar,
    headers: { ...xml, Depth: "1" },
    body: `<d:sync-collection ${names}><d:sync-token>${since}</d:sync-token><d:sync-level>1</d:sync-level><d:prop><d:getetag/></d:prop></d:sync-collection>`,
  });
  const ms = expected(reply, { statuses: [207] });
  const token = /sync-token>([^<]+)</.exec(reply.body)?.[1];
  if (token === undefined) throw new Error(`${name} answers without a sync-token`);
  return { ms, token, members: membersIn(reply.body) };
}

async function multiget({ client, calendar }: Rival, nths: readonly number[]): Promise<number> {
  const hrefs = nths.map((nth) => `<d:href>${calendar}${nameOf(nth)}</d:href>`).join("");
  const reply = await client.call({
    method: "REPORT",
    path: calendar,
    headers: { ...xml, Depth: "1" },
    body: `<c:calendar-multiget ${names}><d:prop><d:getetag/><c:calendar-data/></d:prop>${hrefs}</c:calendar-multiget>`,
  });
  return expected(reply, { statuses: [207], members: nths.length });
}

async function query({ client, large }: Rival, size: number): Promise<number> {
  const { start, end } = month;
  const reply = await client.call({
    method: "REPORT",
    path: large,
    headers: { ...xml, Depth: "1" },
    body: `<c:calendar-query ${names}><d:prop><d:getetag/></d:prop><c:filter><c:comp-filter name="VCALENDAR"><c:comp-filter name="VEVENT"><c:time-range start="${stamp(start)}" end="${stamp(end)}"/></c:comp-filter></c:comp-filter></c:filter></c:calendar-query>`,
  });
  return expected(reply, { statuses: [207], members: countIn(month, size) });
}

function expected(
  { status, body, ms }: Reply,
  { statuses, members }: { readonly statuses: readonly number[]; readonly members?: number },
): number {
  const told = members === undefined ? undefined : membersIn(body);
  if (!statuses.includes(status) || told !== members) {
    const wanted = `${statuses.join(" or ")} and ${members ?? "any"} members`;
    throw new Error(
      `answered by ${status} and ${told} members, not ${wanted}: ${body.slice(0, 500)}`,
    );
  }
  return ms;
}

/** Responses about an event; servers list the calendar as well. */
const membersIn = (body: string): number => body.match(/href>[^<]*\.ics<\//g)?.length ?? 0;
