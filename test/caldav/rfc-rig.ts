import { type DavSettings, startDav } from "../support/dav-server.ts";
import { anEvent, aTask } from "../support/items.ts";
import { type ReadResponse, readMultistatus } from "../support/multistatus.ts";

export const home = "/dav/calendars/11/";
export const principal = "/dav/principals/11/";
export const events = `${home}events-2001/`;
export const tasks = `${home}tasks-3001/`;

export type Headers = Readonly<Record<string, string>>;

/** A server with an event and a task of the service, and short ways to ask it over HTTP. */
export async function rfcRig(settings: DavSettings = {}) {
  const dav = await startDav(settings);
  dav.store.mirror.put(anEvent(1, { title: "Review" }), "events:2001");
  dav.store.mirror.put(aTask(5, { title: "Paint" }), "tasks:3001");
  const { call } = dav;
  const ask = async (request: string, { headers, body }: { headers: Headers; body: string }) => {
    const { status, text } = await call(request, { headers, body });
    if (status !== 207) throw new Error(`${request} was answered ${status}: ${text}`);
    return readMultistatus(text);
  };
  const propfind = (path: string, props: string, depth = "0") =>
    ask(`PROPFIND ${path}`, {
      headers: { depth },
      body: `<d:propfind ${namespaces}>${props}</d:propfind>`,
    });
  const [event, task] = await Promise.all(
    [events, tasks].map(async (calendar) => {
      const { responses } = await propfind(calendar, "<d:prop><d:getetag/></d:prop>", "1");
      const member = responses[1];
      if (!member) throw new Error(`nothing is in ${calendar}`);
      return { href: member.href, etag: member.props["{DAV:}getetag"] ?? "" };
    }),
  );
  if (!event || !task) throw new Error("there is no event or no task");
  return {
    ...dav,
    event,
    task,
    propfind,
    /** The properties of one resource, by `{namespace}name`. */
    props: async (path: string, names: string): Promise<ReadResponse["props"]> => {
      const { responses } = await propfind(path, `<d:prop>${names}</d:prop>`);
      return responses[0]?.props ?? {};
    },
    proppatch: (path: string, steps: string) =>
      call(`PROPPATCH ${path}`, {
        body: `<d:propertyupdate ${namespaces}>${steps}</d:propertyupdate>`,
      }),
    put: (path: string, item: string, headers: Headers = {}) =>
      call(`PUT ${path}`, {
        headers: { "content-type": "text/calendar", ...headers },
        body: object(item),
      }),
    /** A sync-collection of the events. */
    sync: (token: string, { more = "", headers = { depth: "0" } }: Synced = {}) =>
      ask(`REPORT ${events}`, { headers, body: syncBody(token, more) }),
  };
}

interface Synced {
  readonly more?: string;
  readonly headers?: Headers;
}

const syncBody = (token: string, more: string) =>
  `<d:sync-collection xmlns:d="DAV:"><d:sync-token>${token}</d:sync-token><d:sync-level>1</d:sync-level>${more}<d:prop><d:getetag/></d:prop></d:sync-collection>`;

export const namespaces = [
  `xmlns:d="DAV:"`,
  `xmlns:c="urn:ietf:params:xml:ns:caldav"`,
  `xmlns:cs="http://calendarserver.org/ns/"`,
  `xmlns:ical="http://apple.com/ns/ical/"`,
].join(" ");

/** A calendar object of one component. */
export const object = (item: string): string =>
  `BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Tests//EN\r\n${item}\r\nEND:VCALENDAR\r\n`;

/** An event on 24 December 2026, and whatever else it says. */
export const vevent = (uid: string, ...lines: readonly string[]): string =>
  [
    "BEGIN:VEVENT",
    `UID:${uid}`,
    "DTSTAMP:20261121T080000Z",
    "DTSTART:20261224T100000Z",
    "DTEND:20261224T110000Z",
    "SUMMARY:Party",
    ...lines,
    "END:VEVENT",
  ].join("\r\n");
