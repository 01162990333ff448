import { personId } from "../../src/domain/ids.ts";
import { type Ledger, markIn } from "../ledger.ts";
import type { Answer, World } from "../world.ts";
import { dayOf } from "./colleague.ts";

/** How a calendar program guards its changes: by the ETag that it knows, or not at all; `stale` seldom loads what has changed. */
export type Habit = "careful" | "bare" | "stale";

interface Copy {
  readonly etag: string;
  readonly octets: string;
}

const calendarType = { "content-type": "text/calendar; charset=utf-8" };

/** A calendar program of one person, with copies of what it has loaded. */
export class Program {
  readonly #world: World;
  readonly #ledger: Ledger;
  readonly #name: string;
  readonly #habit: Habit;
  readonly #person: number;
  readonly #password: string;
  readonly #copies = new Map<string, Copy>();
  #made = 0;

  constructor(
    world: World,
    {
      ledger,
      person,
      habit,
    }: { readonly ledger: Ledger; readonly person: number; readonly habit: Habit },
  ) {
    this.#world = world;
    this.#ledger = ledger;
    this.#habit = habit;
    this.#person = person;
    this.#name = `${habit} program of ${person}`;
    this.#password = world.life.rooms.accessControl.passwords.issue(personId(person));
  }

  async act(): Promise<void> {
    const { random } = this.#world;
    const isLoading = this.#copies.size === 0 || random.chance(this.#habit === "stale" ? 0.1 : 0.4);
    if (isLoading) await this.load();
    const kind = random.pick(["make", "rename", "rename", "rename", "remove", "move"] as const);
    if (kind === "make") await this.#make();
    else if (kind === "rename") await this.#rename();
    else if (kind === "move") await this.#move();
    else await this.#remove();
  }

  /** Brings all copies up to date. */
  async load(): Promise<void> {
    for (const calendar of this.#calendars) {
      const listed = await this.#ask("PROPFIND", calendar, {
        headers: { depth: "1" },
        body: '<propfind xmlns="DAV:"><prop><getetag/></prop></propfind>',
      });
      if (listed?.status !== 207) continue;
      const etags = new Map(
        [...listed.text.matchAll(/<d:href>([^<]+\.ics)<\/d:href>.*?<d:getetag>([^<]+)</gs)].map(
          ([, href = "", etag = ""]) => [href, etag.replaceAll("&quot;", '"')],
        ),
      );
      for (const href of this.#copies.keys()) {
        if (href.startsWith(calendar) && !etags.has(href)) this.#copies.delete(href);
      }
      for (const [href, etag] of etags) {
        if (this.#copies.get(href)?.etag === etag) continue;
        const got = await this.#ask("GET", href);
        if (got?.status === 200) {
          this.#copies.set(href, { etag: got.headers["etag"] ?? etag, octets: got.text });
        }
      }
    }
  }

  get #calendars(): readonly string[] {
    const home = `/dav/calendars/${this.#person}/`;
    return this.#world.sandbox.workspace
      .places()
      .flatMap(({ project, lists }) => [
        `${home}events-${project}/`,
        ...lists.map((list) => `${home}tasks-${list}/`),
      ]);
  }

  async #make(): Promise<void> {
    const { random } = this.#world;
    const calendar = random.pick(this.#calendars);
    const mark = this.#ledger.nextMark();
    this.#made += 1;
    const uid = `${this.#person}-${this.#habit}-${this.#made}@example.com`;
    const day = dayOf(random.between(0, 60)).replaceAll("-", "");
    const [component, date] = calendar.includes("/tasks-")
      ? ["VTODO", "DUE"]
      : ["VEVENT", "DTSTART"];
    const octets = [
      ...["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Simulation//EN", `BEGIN:${component}`],
      ...[`UID:${uid}`, "DTSTAMP:20270301T090000Z", `SUMMARY:${mark} by a program`],
      ...[`${date};VALUE=DATE:${day}`, `END:${component}`, "END:VCALENDAR", ""],
    ].join("\r\n");
    const href = `${calendar}${uid}.ics`;
    const headers = this.#habit === "careful" ? { "if-none-match": "*" } : {};
    const answer = await this.#put(href, { octets, headers });
    this.#tell(`makes ${mark}`, { answer, wish: { mark, before: null } });
  }

  async #rename(): Promise<void> {
    const found = this.#pick();
    if (!found) return;
    const { href, copy, before } = found;
    const mark = this.#ledger.nextMark();
    const octets = copy.octets.replace(
      /^SUMMARY[^\r]*(?:\r\n[ \t][^\r]*)*/m,
      `SUMMARY:${mark} by a program`,
    );
    const headers = this.#habit === "careful" ? { "if-match": copy.etag } : {};
    const answer = await this.#put(href, { octets, headers });
    this.#tell(`renames ${before} to ${mark}`, { answer, wish: { mark, before } });
    if (answer && (answer.status === 412 || answer.status === 404)) this.#copies.delete(href);
  }

  async #remove(): Promise<void> {
    const found = this.#pick();
    if (!found) return;
    const { href, copy, before } = found;
    const headers = this.#habit === "careful" ? { "if-match": copy.etag } : {};
    const answer = await this.#ask("DELETE", href, { headers });
    this.#copies.delete(href);
    this.#tell(`deletes ${before}`, { answer, wish: { mark: null, before } });
  }

  /** To another calendar of its kind: a PUT there and a DELETE here. Some change their mind, and put it back before that. */
  async #move(): Promise<void> {
    const { random } = this.#world;
    const found = this.#pick();
    if (!found) return;
    const { href, copy, before } = found;
    const [from, name] = [href.replace(/[^/]+$/, ""), href.replace(/^.*\//, "")];
    const kind = from.includes("/tasks-") ? "/tasks-" : "/events-";
    const others = this.#calendars.filter((one) => one.includes(kind) && one !== from);
    if (others.length === 0) return;
    const target = `${random.pick(others)}${name}`;
    // Without a condition a PUT of an old copy of what is there already puts that back.
    if (this.#habit !== "careful" && (await this.#ask("GET", target))?.status === 200) return;
    const guard = (header: Readonly<Record<string, string>>) =>
      this.#habit === "careful" ? header : {};
    const { octets } = copy;
    const there = await this.#put(target, { octets, headers: guard({ "if-none-match": "*" }) });
    if (!isGood(there)) {
      this.#world.note(this.#name, `moves ${before}: ${there?.status ?? "no answer"}`);
      return;
    }
    const isBack = this.#habit !== "careful" && random.chance(0.3);
    const back = isBack ? await this.#put(href, { octets, headers: {} }) : null;
    const left = isGood(back) ? target : href;
    const headers = guard({ "if-match": this.#copies.get(left)?.etag ?? copy.etag });
    const gone = await this.#ask("DELETE", left, { headers });
    if (isGood(gone)) this.#copies.delete(left);
    const what = isGood(back) ? `moves ${before} there and back` : `moves ${before} to ${target}`;
    this.#world.note(this.#name, `${what}: ${gone?.status ?? "no answer"}`);
  }

  #pick() {
    const hrefs = [...this.#copies.keys()].toSorted();
    if (hrefs.length === 0) return null;
    const href = this.#world.random.pick(hrefs);
    const copy = this.#copies.get(href);
    return copy ? { href, copy, before: markIn(copy.octets) } : null;
  }

  async #put(
    href: string,
    {
      octets,
      headers,
    }: { readonly octets: string; readonly headers: Readonly<Record<string, string>> },
  ): Promise<Answer | null> {
    const answer = await this.#ask("PUT", href, {
      headers: { ...calendarType, ...headers },
      body: octets,
    });
    const etag = answer?.headers["etag"];
    if (isGood(answer) && etag !== undefined) this.#copies.set(href, { etag, octets });
    else if (isGood(answer)) this.#copies.delete(href);
    return answer;
  }

  #ask(
    method: string,
    path: string,
    {
      headers = {},
      body,
    }: { readonly headers?: Readonly<Record<string, string>>; readonly body?: string } = {},
  ): Promise<Answer | null> {
    const login = Buffer.from(`${this.#person}:${this.#password}`).toString("base64");
    const authorization = `Basic ${login}`;
    return this.#world.ask({
      ...{ method, path, headers: { authorization, ...headers } },
      ...(body !== undefined && { body }),
    });
  }

  #tell(
    what: string,
    {
      answer,
      wish,
    }: {
      readonly answer: Answer | null;
      readonly wish: { readonly mark: string | null; readonly before: string | null };
    },
  ): void {
    this.#world.note(this.#name, `${what}: ${answer?.status ?? "no answer"}`);
    // What was not answered may have been stored or not: nobody counts on it, but it explains what came of the item.
    if (isGood(answer) || answer === null) {
      this.#ledger.note({ ...wish, actor: this.#name, way: answer ? "taken" : "unanswered" });
    }
  }
}

const isGood = (answer: Answer | null): boolean =>
  answer !== null && answer.status >= 200 && answer.status < 300;
