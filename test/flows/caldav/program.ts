import { expect } from "vitest";
import {
  type ReadResponse,
  readMultistatus,
} from "../../../packages/caldav-server/test/multistatus.ts";
import { type Called, type CallOptions, callHttp } from "../../support/http-call.ts";

/** A member as a program holds it. */
export interface Copy {
  readonly etag: string;
  readonly octets: string;
}

/** A calendar as it was when a program had its token. */
interface Past {
  readonly token: string;
  readonly etags: ReadonlyMap<string, string>;
}

/** The local copy of one calendar. */
export interface LocalCalendar {
  readonly slug: string;
  readonly copies: Map<string, Copy>;
  /** Tags of members whose octets are still to be fetched. */
  readonly told: Map<string, string>;
  /** A sync token, or a ctag. */
  mark: string;
  readonly pasts: Past[];
}

export interface ProgramSetting {
  readonly port: number;
  readonly login: string;
  readonly password: string;
  /** How it detects changes. */
  readonly manner: "tokens" | "ctags";
  readonly agent: string;
  /** May change nothing. */
  readonly isReader?: boolean;
}

const mostPages = 500;
const mostPasts = 8;
const answered = "{DAV:}getetag";
const data = "{urn:ietf:params:xml:ns:caldav}calendar-data";
const ctag = "{http://calendarserver.org/ns/}getctag";
const names =
  'xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav" xmlns:s="http://calendarserver.org/ns/"';

/** Thrown when the server asks to come back later; what was done so far counts. */
class LaterError extends Error {
  override readonly name = "LaterError";
}

/** A calendar program of one person: a local copy of all calendars, and the ways to bring it up to date. */
export class CalendarProgram {
  readonly setting: ProgramSetting;
  readonly calendars = new Map<string, LocalCalendar>();
  /** Every pair of address and tag that was ever seen, with its octets. */
  readonly seen = new Map<string, string>();

  constructor(setting: ProgramSetting) {
    this.setting = setting;
  }

  /** Finds the person's calendars and begins with empty copies. */
  async discover(): Promise<void> {
    const body = `<d:propfind ${names}><d:prop><d:resourcetype/></d:prop></d:propfind>`;
    const { responses } = await this.#ask("PROPFIND", this.home, { body, headers: { depth: "1" } });
    for (const { href } of responses) {
      const slug = href.slice(this.home.length).replace("/", "");
      if (slug === "" || slug.startsWith("inbox") || slug.startsWith("outbox")) continue;
      this.calendars.set(slug, {
        slug,
        copies: new Map(),
        told: new Map(),
        mark: "",
        pasts: [],
      });
    }
  }

  get home(): string {
    return `/dav/calendars/${this.setting.login}/`;
  }

  calendar(slug: string): LocalCalendar {
    const calendar = this.calendars.get(slug);
    if (!calendar) throw new Error(`the program has no calendar ${slug}`);
    return calendar;
  }

  address(slug: string, name = ""): string {
    return `${this.home}${slug}/${encodeURIComponent(name)}`;
  }

  /** Any request, as the person. */
  async call(request: string, { headers, body }: CallOptions = {}): Promise<Called> {
    const { port, login, password, agent } = this.setting;
    const basic = `Basic ${Buffer.from(`${login}:${password}`).toString("base64")}`;
    const answer = await callHttp(port, request, {
      headers: { authorization: basic, "user-agent": agent, ...headers },
      ...(body !== undefined && { body }),
    });
    if (answer.status === 503) throw new LaterError(answer.text);
    if (answer.status >= 500) throw new Error(`${request}: ${answer.status} ${answer.text}`);
    return answer;
  }

  /** Records the tag of a member; the same tag always means the same octets. */
  note(slug: string, name: string, { etag, octets }: Copy): void {
    const id = `${slug}/${name} ${etag}`;
    const before = this.seen.get(id);
    if (before !== undefined) expect(lines(octets), `octets of ${id}`).toEqual(lines(before));
    this.seen.set(id, octets);
    this.calendar(slug).copies.set(name, { etag, octets });
  }

  /** Brings one calendar up to date with at most `limit` per answer and `pages` in all; the rest follows another time. */
  async sync(
    slug: string,
    {
      limit = null,
      pages = mostPages,
    }: { readonly limit?: number | null; readonly pages?: number },
  ): Promise<void> {
    const calendar = this.calendar(slug);
    if (this.setting.manner === "tokens") await this.#follow(calendar, { limit, pages });
    else await this.#compare(calendar);
    await this.#load(calendar);
  }

  /** What a program that slept since one of its tokens would have now, by name. */
  async sinceThen(slug: string, past: Past): Promise<ReadonlyMap<string, string>> {
    const etags = new Map(past.etags);
    const { responses } = await this.#changes(slug, { token: past.token, limit: null });
    apply(responses, {
      put: (name, etag) => etags.set(name, etag),
      bury: (name) => etags.delete(name),
    });
    return etags;
  }

  async #follow(
    calendar: LocalCalendar,
    { limit, pages }: { readonly limit: number | null; readonly pages: number },
  ): Promise<void> {
    for (let page = 0; page < pages; page += 1) {
      expect(page, "pages").toBeLessThan(mostPages - 1);
      const answer = await this.#changes(calendar.slug, { token: calendar.mark, limit });
      apply(answer.responses, {
        put: (name, etag) => calendar.told.set(name, etag),
        bury(name) {
          calendar.copies.delete(name);
          calendar.told.delete(name);
        },
      });
      calendar.mark = answer.token;
      if (!answer.isCut) return this.#remember(calendar);
    }
  }

  #remember({ copies, told, mark, pasts }: LocalCalendar): void {
    const present = [...copies].map(([name, { etag }]): [string, string] => [name, etag]);
    pasts.push({ token: mark, etags: new Map([...present, ...told]) });
    if (pasts.length > mostPasts) pasts.splice(pasts.length % 2, 1);
  }

  async #changes(slug: string, since: { readonly token: string; readonly limit: number | null }) {
    const limit =
      since.limit === null ? "" : `<d:limit><d:nresults>${since.limit}</d:nresults></d:limit>`;
    const body = `<d:sync-collection ${names}><d:sync-token>${since.token}</d:sync-token><d:sync-level>1</d:sync-level>${limit}<d:prop><d:getetag/></d:prop></d:sync-collection>`;
    const { responses, token } = await this.#ask("REPORT", this.address(slug), { body });
    const isOwn = ({ href }: ReadResponse) => href === this.address(slug);
    const cut = responses.find(isOwn);
    if (cut) expect(cut.status).toBe(507);
    const members = responses.filter((one) => !isOwn(one));
    if (since.limit !== null) expect(members.length).toBeLessThanOrEqual(Math.max(2, since.limit));
    return { responses: members, token: token ?? "", isCut: cut !== undefined };
  }

  async #compare(calendar: LocalCalendar): Promise<void> {
    const { slug, copies, told } = calendar;
    const ask = (depth: string, prop: string) =>
      this.#ask("PROPFIND", this.address(slug), {
        body: `<d:propfind ${names}><d:prop>${prop}</d:prop></d:propfind>`,
        headers: { depth },
      });
    const { responses: top } = await ask("0", "<s:getctag/>");
    const mark = top[0]?.props[ctag] ?? "";
    expect(mark).not.toBe("");
    if (mark === calendar.mark) return;
    const { responses } = await ask("1", "<d:getetag/>");
    const members = responses.filter(({ href }) => href !== this.address(slug));
    const present = new Map(
      members.map(({ href, props }) => [nameIn(href), props[answered] ?? ""]),
    );
    for (const name of [...copies.keys(), ...told.keys()]) {
      if (present.has(name)) continue;
      copies.delete(name);
      told.delete(name);
    }
    for (const [name, etag] of present) told.set(name, etag);
    calendar.mark = mark;
  }

  /** Fetches the known new members. */
  async #load({ slug, copies, told }: LocalCalendar): Promise<void> {
    for (const [name, etag] of told) if (copies.get(name)?.etag === etag) told.delete(name);
    if (told.size === 0) return;
    const hrefs = [...told.keys()].map((name) => `<d:href>${this.address(slug, name)}</d:href>`);
    const body = `<c:calendar-multiget ${names}><d:prop><d:getetag/><c:calendar-data/></d:prop>${hrefs.join("")}</c:calendar-multiget>`;
    const { responses } = await this.#ask("REPORT", this.address(slug), { body });
    expect(responses.map(({ href }) => nameIn(href)).toSorted()).toEqual(
      [...told.keys()].toSorted(),
    );
    for (const { href, status, props } of responses) {
      const name = nameIn(href);
      // The next look reports what is gone by now.
      if (status === 404) continue;
      this.note(slug, name, { etag: props[answered] ?? "", octets: props[data] ?? "" });
      told.delete(name);
    }
    for (const name of told.keys()) copies.delete(name);
  }

  async #ask(method: string, path: string, options: CallOptions) {
    const headers = { "content-type": "application/xml; charset=utf-8", ...options.headers };
    const answer = await this.call(`${method} ${path}`, { ...options, headers });
    const what = `${method} ${path} ${String(options.body)}: ${answer.text}`;
    expect(answer.status, what).toBe(207);
    return readMultistatus(answer.text);
  }
}

/** XML may change line ends. Source: XML 1.0 2.11. */
const lines = (octets: string): readonly string[] => octets.split(/\r?\n/);

const nameIn = (href: string): string => decodeURIComponent(href.split("/").at(-1) ?? "");

function apply(
  responses: readonly ReadResponse[],
  to: {
    readonly put: (name: string, etag: string) => void;
    readonly bury: (name: string) => void;
  },
): void {
  for (const { href, status, props } of responses) {
    const name = nameIn(href);
    if (status === 404) to.bury(name);
    else to.put(name, props[answered] ?? "");
  }
}
