import { readMultistatus } from "../../packages/caldav-server/test/multistatus.ts";
import { type Ledger, markIn } from "../ledger.ts";
import type { Answer, World } from "../world.ts";

/** How a calendar program guards its changes: with the ETag it knows, or not at all; `stale` rarely loads changes. */
export type Habit = "careful" | "bare" | "stale";

export interface Copy {
  readonly etag: string;
  readonly octets: string;
}

/** ETags in a calendar, by URL. */
type Listing = ReadonlyMap<string, string>;

/** `restores`: how often a backup had been restored when it was issued. */
interface Token {
  readonly text: string;
  readonly restores: number;
}

/** State of a calendar when its token was issued. */
interface Past {
  readonly calendar: string;
  readonly token: Token;
  readonly listing: Listing;
}

/** Sends a request as the program's person. */
export type Ask = (
  method: string,
  path: string,
  how?: { readonly headers?: Readonly<Record<string, string>>; readonly body?: string },
) => Promise<Answer | null>;

interface CopiesDeps {
  readonly world: World;
  readonly ledger: Ledger;
  readonly habit: Habit;
  readonly name: string;
  /** The calendar of the person's assigned items. */
  readonly assigned: string;
  readonly ask: Ask;
  /** Called with each violation. */
  readonly onFault: (fault: string) => void;
}

const mostPasts = 6;
const ctag = "{http://calendarserver.org/ns/}getctag";
const etagName = "{DAV:}getetag";
const data = "{urn:ietf:params:xml:ns:caldav}calendar-data";

/**
 * A calendar program's copies by URL, and the ways to update them: a careful program uses sync tokens and GET, the others
 * ctags, listings and multiget.
 */
export class LocalCopies {
  readonly #deps: CopiesDeps;
  readonly #copies = new Map<string, Copy>();
  /** By calendar. */
  readonly #tokens = new Map<string, Token>();
  readonly #ctags = new Map<string, string>();
  /** The highest SEQUENCE of each UID. */
  readonly #sequences = new Map<string, number>();
  /** The bytes for each URL and ETag. */
  readonly #seen = new Map<string, string>();
  #pasts: Past[] = [];

  constructor(deps: CopiesDeps) {
    this.#deps = deps;
  }

  get size(): number {
    return this.#copies.size;
  }

  get(href: string): Copy | undefined {
    return this.#copies.get(href);
  }

  /** In order of their URLs. */
  in(calendar: string): readonly (readonly [href: string, copy: Copy])[] {
    return [...this.#copies]
      .filter(([href]) => href.startsWith(calendar))
      .toSorted(([one], [other]) => (one < other ? -1 : 1));
  }

  set(href: string, copy: Copy): void {
    this.#copies.set(href, copy);
  }

  /** What was put without an ETag in the response is loaded again. */
  drop(href: string): void {
    this.#copies.delete(href);
  }

  /** A copy that is forgotten and comes back counts as new, with any SEQUENCE. */
  forget(href: string): void {
    this.#sequences.delete(uidIn(this.#copies.get(href)?.octets ?? ""));
    this.#copies.delete(href);
  }

  async load(calendar: string): Promise<void> {
    if (this.#deps.habit === "careful") await this.#synchronise(calendar);
    else await this.#compare(calendar);
  }

  async list(calendar: string): Promise<Listing | null> {
    const answer = await this.#deps.ask("PROPFIND", calendar, {
      headers: { depth: "1" },
      body: '<propfind xmlns="DAV:"><prop><getetag/></prop></propfind>',
    });
    return answer?.status === 207 ? listingIn(answer.text) : null;
  }

  /** Checks that a program that slept since one of its tokens learns of everything a calendar lists now. */
  async checkPasts(calendar: string, listed: Listing): Promise<void> {
    for (const past of this.#pasts.filter((one) => one.calendar === calendar)) {
      const body = syncBody(past.token.text);
      const answer = await this.#deps.ask("REPORT", calendar, { body });
      if (answer?.status !== 207) continue;
      const now = new Map(past.listing);
      for (const [, href = ""] of answer.text.matchAll(goneResponse)) now.delete(href);
      for (const [href, etag] of listingIn(answer.text)) now.set(href, etag);
      const [told, there] = [now, listed].map((one) => [...one].map(String).toSorted().join(" "));
      if (told !== there)
        this.#fault(`${calendar} lists ${there}, and an old token leads to ${told}`);
    }
  }

  /** For programs without sync-collection. */
  async #compare(calendar: string): Promise<void> {
    const top = await this.#deps.ask("PROPFIND", calendar, {
      headers: { depth: "0" },
      body: '<propfind xmlns="DAV:" xmlns:s="http://calendarserver.org/ns/"><prop><s:getctag/></prop></propfind>',
    });
    if (top?.status !== 207) return;
    const mark = readMultistatus(top.text).responses[0]?.props[ctag] ?? "";
    if (mark !== "" && mark === this.#ctags.get(calendar)) return;
    const listed = await this.list(calendar);
    if (!listed) return;
    for (const href of this.#copies.keys()) {
      if (href.startsWith(calendar) && !listed.has(href)) this.forget(href);
    }
    if (await this.#getAll(calendar, listed)) this.#ctags.set(calendar, mark);
  }

  /** Asks for changes. Source: RFC 6578. */
  async #synchronise(calendar: string): Promise<void> {
    const { world, assigned, ask } = this.#deps;
    const { text: token, restores } = this.#tokens.get(calendar) ?? { text: "", restores: 0 };
    const limit = world.random.chance(0.2) ? world.random.between(1, 4) : null;
    const answer = await ask("REPORT", calendar, { body: syncBody(token, limit) });
    if (answer?.status === 403 && token !== "") {
      // Nothing else invalidates a token; in the assigned calendar other lists do as well.
      const isExpected =
        restores !== world.restores || (calendar === assigned && world.hasRegrouped);
      if (!isExpected) this.#fault(`the sync token of ${calendar} is void`);
      this.#tokens.delete(calendar);
      for (const [href] of this.in(calendar)) this.forget(href);
      return this.#synchronise(calendar);
    }
    if (answer?.status !== 207) return;
    for (const [, href = ""] of answer.text.matchAll(goneResponse)) this.forget(href);
    if (!(await this.#getEach(listingIn(answer.text)))) return;
    const [, text = ""] = /<d:sync-token>([^<]+)</.exec(answer.text) ?? [];
    const next = { text, restores: world.restores };
    this.#tokens.set(calendar, next);
    // There is more.
    if (answer.text.includes("HTTP/1.1 507 ")) return this.#synchronise(calendar);
    this.#remember(calendar, next);
  }

  #remember(calendar: string, token: Token): void {
    if (!this.#deps.world.random.chance(0.05)) return;
    const listing = new Map(this.in(calendar).map(([href, { etag }]) => [href, etag]));
    this.#pasts = [...this.#pasts, { calendar, token, listing }].slice(-mostPasts);
  }

  /** Gets missing copies one by one; returns true if every request was answered. */
  async #getEach(listed: Listing): Promise<boolean> {
    let isWhole = true;
    for (const [href, etag] of this.#unknown(listed)) {
      const got = await this.#deps.ask("GET", href);
      isWhole &&= got?.status === 200 || got?.status === 404;
      if (got?.status === 404) this.forget(href);
      if (got?.status === 200)
        this.#take(href, { etag: got.headers["etag"] ?? etag, octets: got.text });
    }
    return isWhole;
  }

  /** The same with one request. */
  async #getAll(calendar: string, listed: Listing): Promise<boolean> {
    const unknown = this.#unknown(listed);
    if (unknown.length === 0) return true;
    const hrefs = unknown.map(([href]) => `<d:href>${href}</d:href>`).join("");
    const answer = await this.#deps.ask("REPORT", calendar, {
      body: `<c:calendar-multiget xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav"><d:prop><d:getetag/><c:calendar-data/></d:prop>${hrefs}</c:calendar-multiget>`,
    });
    if (answer?.status !== 207) return false;
    for (const { href, status, props } of readMultistatus(answer.text).responses) {
      const octets = (props[data] ?? "").replaceAll(/\r?\n/g, "\r\n");
      if (status === 404) this.forget(href);
      else this.#take(href, { etag: props[etagName] ?? "", octets });
    }
    return true;
  }

  #unknown = (listed: Listing) =>
    [...listed].filter(([href, etag]) => this.#copies.get(href)?.etag !== etag);

  #take(href: string, copy: Copy): void {
    const id = `${href} ${copy.etag}`;
    const before = this.#seen.get(id) ?? copy.octets;
    if (before !== copy.octets) this.#fault(`the octets of ${id} are others than before`);
    this.#seen.set(id, copy.octets);
    this.#copies.set(href, copy);
    this.#look(copy.octets);
  }

  /** SEQUENCE only rises, except for what was deleted and recreated before this program heard of it. */
  #look(octets: string): void {
    const uid = uidIn(octets);
    const sequence = Number(/^SEQUENCE:(\d+)/m.exec(octets)?.[1] ?? 0);
    const before = this.#sequences.get(uid) ?? 0;
    if (sequence < before && !this.#deps.ledger.isDeleted(markIn(octets))) {
      this.#fault(`SEQUENCE of ${markIn(octets)} was ${before}, and is ${sequence}`);
    }
    this.#sequences.set(uid, sequence);
  }

  #fault(what: string): void {
    this.#deps.onFault(`${this.#deps.name}: ${what}`);
  }
}

const syncBody = (token: string, most: number | null = null): string =>
  `<sync-collection xmlns="DAV:"><sync-token>${token}</sync-token><sync-level>1</sync-level>${
    most === null ? "" : `<limit><nresults>${most}</nresults></limit>`
  }<prop><getetag/></prop></sync-collection>`;

const goneResponse = /<d:response><d:href>([^<]+)<\/d:href><d:status>HTTP\/1.1 404/g;
const listedResponse = /<d:href>([^<]+\.ics)<\/d:href>.*?<d:getetag>([^<]+)</gs;

/** A deleted resource has a status and no ETag. */
const listingIn = (xml: string): Listing =>
  new Map(
    [...xml.replaceAll(goneResponse, "").matchAll(listedResponse)].map(
      ([, href = "", etag = ""]) => [href, etag.replaceAll("&quot;", '"')],
    ),
  );

export const uidIn = (octets: string): string => /^UID:(.*)$/m.exec(octets)?.[1] ?? "";
