import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Ledger, MarkedField, Noted } from "../ledger.ts";
import { subscribed } from "../life.ts";
import type { World } from "../world.ts";

/** An event of the calendar. `restores`: how often a backup had been restored when it was created; `told`: its latest marks. */
interface Published {
  readonly uid: string;
  readonly restores: number;
  title: string;
  day: string;
  readonly told: Map<MarkedField, string>;
}

const name = "publisher";
/** Exists from the first read, which imports nothing: an empty calendar counts as broken. */
const anchor = { uid: "anchor@example.com", title: "Always there", day: "2027-01-01" };

/** Somebody with an external calendar that Dayferry subscribes to and takes changes from as edits. */
export class Publisher {
  readonly server: Server;
  readonly #world: World;
  readonly #ledger: Ledger;
  readonly #events: Published[] = [];
  #made = 0;
  /** True if the calendar was read since its last change. */
  #isRead = true;
  /** Response instead of the calendar, for some requests. */
  #failure: { readonly status: number; readonly body: string; times: number } | null = null;

  constructor(world: World, ledger: Ledger) {
    this.#world = world;
    this.#ledger = ledger;
    this.server = createServer((request, response) => this.#answer(request, response));
  }

  act(): void {
    const { random, life } = this.#world;
    // What exists at the first read is not imported.
    if (life.modules.store.subscriptions.count(subscribed) === 0) return;
    const kind = random.pick(["make", "change", "change", "remove", "fail"] as const);
    if (kind === "make" || this.#events.length === 0) this.#make();
    else if (kind === "change") this.#change();
    else if (kind === "remove") this.#remove();
    else this.#fail();
  }

  /** Ends all failures. */
  mend(): void {
    this.#failure = null;
  }

  get isRead(): boolean {
    return this.#isRead;
  }

  /**
   * What the calendar contains at the end must be in the service, unless somebody deleted it there. A restore may have
   * forgotten what was created before it and not delivered: that is not recreated.
   */
  close(): void {
    const since = this.#events.filter(({ restores }) => restores === this.#world.restores);
    for (const mark of since.flatMap(({ told }) => [...told.values()])) {
      if (!this.#ledger.isDeleted(mark)) this.#ledger.acknowledge(mark);
    }
  }

  #make(): void {
    this.#made += 1;
    const uid = `published-${this.#made}@example.com`;
    const { restores } = this.#world;
    const event: Published = { uid, restores, title: "", day: "", told: new Map() };
    this.#events.push(event);
    this.#set(event, "title");
    this.#set(event, "day");
    this.#world.note(name, `makes ${markOf(event.title)}`);
  }

  #change(): void {
    const { random } = this.#world;
    const event = random.pick(this.#events);
    const before = markOf(event.title);
    const field = random.pick(["title", "day"] as const);
    this.#set(event, field);
    this.#world.note(
      name,
      `changes the ${field} of ${before} to ${field === "title" ? markOf(event.title) : event.day}`,
    );
  }

  #set(event: Published, what: "title" | "day"): void {
    const field = what === "title" ? "title" : "date";
    const [title, before] = [event.title, event[what]].map((text) => text.split(" ")[0] || null);
    const mark = this.#ledger.nextMark(field);
    event[what] = what === "title" ? `${mark} by a publisher` : mark;
    event.told.set(field, mark);
    this.#isRead = false;
    this.#note({ field, mark, before: before ?? null, item: title ?? null });
  }

  #remove(): void {
    const event = this.#world.random.pick(this.#events);
    this.#events.splice(this.#events.indexOf(event), 1);
    const mark = markOf(event.title);
    this.#note({ field: "title", mark: null, before: mark, item: mark });
    this.#isRead = false;
    this.#world.note(name, `deletes ${mark}`);
  }

  #fail(): void {
    const { random } = this.#world;
    const body = random.pick(["", "<html>Please log in</html>", this.#calendar().slice(0, -20)]);
    const status = random.pick([200, 200, 404, 503]);
    this.#failure = { status, body, times: random.between(1, 3) };
    this.#world.note(
      name,
      `answers ${this.#failure.times} times ${status} with ${body.length} characters`,
    );
  }

  #note(wish: Pick<Noted, "field" | "mark" | "before" | "item">): void {
    this.#ledger.note({ ...wish, actor: name, way: "unanswered" });
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const failure = this.#failure;
    if (failure) {
      failure.times -= 1;
      if (failure.times === 0) this.#failure = null;
      response.writeHead(failure.status, { "content-type": "text/calendar" }).end(failure.body);
      return;
    }
    this.#isRead = true;
    const body = this.#calendar();
    const etag = `"${createHash("sha256").update(body).digest("hex").slice(0, 16)}"`;
    if (request.headers["if-none-match"] === etag) response.writeHead(304).end();
    else response.writeHead(200, { "content-type": "text/calendar", etag }).end(body);
  }

  #calendar(): string {
    const events = [anchor, ...this.#events].flatMap(({ uid, title, day }) => [
      ...["BEGIN:VEVENT", `UID:${uid}`, "DTSTAMP:20270301T090000Z", `SUMMARY:${title}`],
      ...[`DTSTART;VALUE=DATE:${day.replaceAll("-", "")}`, "END:VEVENT"],
    ]);
    return [
      "BEGIN:VCALENDAR",
      "VERSION:2.0",
      "PRODID:-//Elsewhere//EN",
      ...events,
      "END:VCALENDAR",
      "",
    ].join("\r\n");
  }
}

const markOf = (title: string): string => title.split(" ")[0] ?? "";
