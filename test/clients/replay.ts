import { readMultistatus } from "../../packages/caldav-server/test/multistatus.ts";
import { type Called, type CallOptions, callHttp } from "../support/http-call.ts";
import type { ClientSetting } from "./setting.ts";

export type Program = ReturnType<typeof replay>;

export interface ReplaySettings {
  readonly agent: string;
  /** What the program sends with every request besides its name. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly login?: string;
  readonly password?: string;
}

/** The requests of one program, as it would send them. Paths are used as written. */
export function replay(setting: ClientSetting, program: ReplaySettings) {
  const {
    agent,
    headers: usual = {},
    login = setting.login,
    password = setting.password,
  } = program;
  const credentials = Buffer.from(`${login}:${password}`).toString("base64");

  const bare = (request: string, { headers, ...rest }: CallOptions = {}): Promise<Called> =>
    callHttp(setting.port, request, {
      headers: { "user-agent": agent, ...usual, ...headers },
      ...rest,
    });

  const send = (request: string, { headers, ...rest }: CallOptions = {}): Promise<Called> =>
    bare(request, { headers: { authorization: `Basic ${credentials}`, ...headers }, ...rest });

  /** A request that must be answered by a 207. */
  async function read(request: string, options: CallOptions = {}) {
    const answer = await send(request, options);
    if (answer.status !== 207) throw new Error(`${request}: ${answer.status} ${answer.text}`);
    return readMultistatus(answer.text);
  }

  return { bare, send, read };
}

/** A calendar object as a program writes it, with CRLF. */
export const ics = (prodId: string, ...lines: readonly string[]): string =>
  `${["BEGIN:VCALENDAR", "VERSION:2.0", `PRODID:${prodId}`, ...lines, "END:VCALENDAR"].join("\r\n")}\r\n`;

/** A calendar object of one event or to-do. */
export const object = (
  component: "VEVENT" | "VTODO",
  uid: string,
  ...lines: readonly string[]
): string =>
  ics(
    "-//Tests//EN",
    `BEGIN:${component}`,
    `UID:${uid}`,
    "DTSTAMP:20261101T080000Z",
    ...lines,
    `END:${component}`,
  );

/** The rules of Europe/Berlin, as programs send them along. */
export const berlinZone: readonly string[] = [
  "BEGIN:VTIMEZONE",
  "TZID:Europe/Berlin",
  "BEGIN:DAYLIGHT",
  "TZOFFSETFROM:+0100",
  "TZOFFSETTO:+0200",
  "TZNAME:CEST",
  "DTSTART:19700329T020000",
  "RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3",
  "END:DAYLIGHT",
  "BEGIN:STANDARD",
  "TZOFFSETFROM:+0200",
  "TZOFFSETTO:+0100",
  "TZNAME:CET",
  "DTSTART:19701025T030000",
  "RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10",
  "END:STANDARD",
  "END:VTIMEZONE",
];

/** The path of an address. */
export const pathOf = (address: string): string => new URL(address).pathname;

/** The one property of that local name; throws when there are several or none. */
export function prop(props: Readonly<Record<string, string>>, name: string): string {
  const found = Object.entries(props).filter(([key]) => key.endsWith(`}${name}`));
  const [first, ...others] = found;
  if (!first || others.length > 0)
    throw new Error(`${name} is not once in ${JSON.stringify(props)}`);
  return first[1];
}
