import type { Called, CallOptions } from "../../../../test/support/http-call.ts";
import { type ReadResponse, readMultistatus } from "../multistatus.ts";

/** Addresses of a person with events, tasks, milestones and a calendar that accepts nothing new. */
export const home = "/dav/calendars/11/";
export const principal = "/dav/principals/11/";
export const events = `${home}events-2001/`;
export const tasks = `${home}tasks-3001/`;

export type Headers = Readonly<Record<string, string>>;

/**
 * A server under test: Ana (11) has the calendars above and `assigned`; one event "Review" on 23 November 2026 from 9 to 10 UTC,
 * and one task. Ben (12) is someone else. It is 21 November 2026, 9:00 UTC.
 */
export interface Served {
  readonly port: number;
  /** Sends `METHOD path` as Ana. */
  readonly call: (request: string, options?: CallOptions) => Promise<Called>;
  /** Without credentials. */
  readonly bare: (request: string, options?: CallOptions) => Promise<Called>;
}

export interface WorldSettings {
  readonly maxSize?: number;
  /** May change nothing. */
  readonly readOnly?: readonly number[];
  /** `own`: the address on loopback; https://calendar.example.com by default. */
  readonly publicUrl?: string;
}

export type World = Awaited<ReturnType<typeof worldOn>>;
export type StartWorld = (settings?: WorldSettings) => Promise<World>;

/** Short helpers for requests. */
export async function worldOn(served: Served) {
  const { call } = served;
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
    ...served,
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

/** An event on 24 December 2026 with additional lines. */
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
