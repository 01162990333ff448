import { z } from "zod";
import { type Ledger, type MarkedField, markIn, type Noted, secrecy, titleOf } from "../ledger.ts";
import type { Answer, World } from "../world.ts";

const eventsSchema = z.object({
  events: z.array(
    z.object({
      id: z.string(),
      title: z.string(),
      start: z.string(),
      extendedProps: z.object({ sequence: z.number(), kind: z.string() }),
    }),
  ),
});
const outcomeSchema = z.object({ kind: z.string(), edit: z.number().nullish() });
const feedsSchema = z.object({ feeds: z.array(z.object({ url: z.string() })) });

/** An item as a page shows it. */
type Shown = z.infer<typeof eventsSchema>["events"][number];

/**
 * A person without a calendar program: changes items on Dayferry's pages, which may be outdated, and follows links in feeds.
 */
export class Reader {
  readonly #world: World;
  readonly #ledger: Ledger;
  readonly #person: number;
  readonly #password: string;
  readonly #name: string;
  readonly #faults = new Set<string>();
  #cookie = "";
  #formToken = "";
  /** What the calendar page showed last. */
  #page: readonly Shown[] = [];

  constructor(
    world: World,
    {
      ledger,
      person,
      password,
    }: { readonly ledger: Ledger; readonly person: number; readonly password: string },
  ) {
    this.#world = world;
    this.#ledger = ledger;
    this.#person = person;
    this.#password = password;
    this.#name = `reader ${person}`;
  }

  /** What this person was shown and must not see. */
  get faults(): readonly string[] {
    return [...this.#faults];
  }

  async act(): Promise<void> {
    const { random } = this.#world;
    const kind = random.pick(["change", "change", "make", "remove", "follow", "follow"] as const);
    if (kind === "follow") return this.#follow();
    if (!(await this.#open())) return;
    if (kind === "change") await this.#change();
    else if (kind === "make") await this.#make();
    else await this.#remove();
  }

  /** Logs in if necessary, and loads the calendar unless the page stays open. */
  async #open(): Promise<boolean> {
    if (this.#cookie === "" && !(await this.#logIn())) return false;
    if (this.#page.length > 0 && this.#world.random.chance(0.4)) return true;
    // At most 400 days can be requested.
    const from = this.#ledger.dayBefore(this.#world.random.between(0, 6) * 200);
    const until = from.add({ days: 400 });
    const path = `/calendar/events.json?from=${from.toString()}&to=${until.toString()}`;
    const answer = await this.#ask("GET", path);
    if (answer?.status !== 200) return false;
    this.#page = eventsSchema.parse(JSON.parse(answer.text)).events;
    return true;
  }

  async #logIn(): Promise<boolean> {
    const login = { login: String(this.#person), password: this.#password };
    const entered = await this.#ask("POST", "/login", login);
    this.#cookie = entered?.headers["set-cookie"]?.split(";")[0] ?? "";
    const page = this.#cookie === "" ? null : await this.#ask("GET", "/calendar");
    this.#formToken = / data-form="([^"]+)"/.exec(page?.text ?? "")?.[1] ?? "";
    if (this.#formToken === "") this.#cookie = "";
    return this.#formToken !== "";
  }

  async #change(): Promise<void> {
    const { random } = this.#world;
    if (this.#page.length === 0) return;
    const shown = random.pick(this.#page);
    const { kind, sequence } = shown.extendedProps;
    const isTask = kind === "task" || kind === "subtask";
    const field: MarkedField = isTask && random.chance(0.3) ? "date" : "title";
    const mark = this.#ledger.nextMark(field);
    const item = markIn(shown.title);
    const title = titleOf(mark, { by: "a reader", before: shown.title });
    const fields = field === "date" ? { dueOn: mark } : { title };
    const before = markIn(field === "date" ? shown.start : shown.title, field);
    const path = `/calendar/items/${shown.id}`;
    const answer = await this.#send(path, { ...fields, sequence: String(sequence) });
    const wish = { field, mark, before, item };
    this.#tell(`changes the ${field} of ${item} to ${mark}`, { answer, wish });
  }

  async #make(): Promise<void> {
    const { random } = this.#world;
    const { project, lists } = random.pick(this.#world.sandbox.workspace.places());
    const mark = this.#ledger.nextMark();
    const day = this.#ledger.nextDay();
    const list = random.chance(0.5) ? random.pick(lists) : null;
    const place = list === null ? { kind: "event" } : { kind: "task", list: String(list) };
    const dates = list === null ? { allDay: "yes", startOn: day, endOn: day } : { dueOn: day };
    const title = `${mark} by a reader`;
    const fields = { ...place, ...dates, project: String(project), title };
    const answer = await this.#send("/calendar/new", fields);
    const wish = { field: "title", mark, before: null, item: null } as const;
    this.#tell(`makes ${mark}`, { answer, wish });
  }

  async #remove(): Promise<void> {
    const { random } = this.#world;
    if (this.#page.length === 0) return;
    const { id, title, extendedProps } = random.pick(this.#page);
    const sequence = String(extendedProps.sequence);
    const answer = await this.#send(`/calendar/items/${id}/delete`, { sequence });
    const mark = markIn(title);
    const wish = { field: "title", mark: null, before: mark, item: mark } as const;
    this.#tell(`deletes ${mark}`, { answer, wish });
  }

  /** Follows a link in the text of a feed. */
  async #follow(): Promise<void> {
    const { random } = this.#world;
    const listed = await this.#world.askAsAdmin({ method: "GET", path: "/api/feeds" });
    if (listed?.status !== 200) return;
    const { url } = random.pick(feedsSchema.parse(JSON.parse(listed.text)).feeds);
    const feed = await this.#world.ask({ method: "GET", path: new URL(url).pathname });
    const text = feed?.text.replaceAll("\r\n ", "") ?? "";
    const links = [
      ...text.matchAll(/(Done|Open again|\+1 week): (https?:\/\/[^\s\\]+\/act\/[\w-]+)/g),
    ];
    if (links.length === 0) return;
    const [, label = "", address = ""] = random.pick(links);
    const path = new URL(address).pathname;
    const page = await this.#world.ask({ method: "GET", path });
    const shown = /name="shown" value="([^"]*)"/.exec(page?.text ?? "")?.[1];
    if (page?.status !== 200 || shown === undefined) return;
    const item = markIn(/class="title"><bdi>([^<]*)/.exec(page.text)?.[1] ?? "");
    const answer = await this.#world.ask({
      method: "POST",
      path,
      headers: formType,
      body: new URLSearchParams({ shown }).toString(),
    });
    const what = `follows "${label}" of ${item}`;
    const isTaken = answer === null || answer.status === 303;
    if (!isTaken || !label.startsWith("+")) {
      this.#world.note(this.#name, `${what}: ${answer?.status ?? "no answer"}`);
      return;
    }
    const mark = Temporal.PlainDate.from(shown).add({ days: 7 }).toString();
    const way = answer ? "taken" : "unanswered";
    this.#note(`${what} to ${mark}: ${answer?.status ?? "no answer"}`, {
      ...{ field: "date", mark, before: shown, item, way },
    });
  }

  /** Submits a page's form, whose script requests the result. */
  #send(path: string, fields: Readonly<Record<string, string>>): Promise<Answer | null> {
    const form = { ...fields, form: this.#formToken, step: "apply" };
    return this.#ask("POST", path, form);
  }

  async #ask(
    method: string,
    path: string,
    form?: Readonly<Record<string, string>>,
  ): Promise<Answer | null> {
    const answer = await this.#world.ask({
      ...{ method, path },
      headers: {
        ...(path.startsWith("/login")
          ? {}
          : { accept: method === "GET" ? "*/*" : "application/json" }),
        ...(form ? formType : {}),
        ...(this.#cookie === "" ? {} : { cookie: this.#cookie }),
      },
      ...(form ? { body: new URLSearchParams(form).toString() } : {}),
    });
    if (answer?.text.includes(secrecy)) {
      this.#faults.add(`${this.#name}: ${method} ${path} told of ${markIn(answer.text)}, a secret`);
    }
    // Logs in again if the session is invalid.
    if (answer && [303, 401, 403].includes(answer.status) && path !== "/login") this.#cookie = "";
    return answer;
  }

  #tell(
    what: string,
    {
      answer,
      wish,
    }: { readonly answer: Answer | null; readonly wish: Omit<Noted, "actor" | "way"> },
  ): void {
    const outcome = answer?.status === 200 ? outcomeSchema.parse(JSON.parse(answer.text)) : null;
    const isTaken = outcome?.kind === "planned" && outcome.edit != null;
    this.#world.note(this.#name, `${what}: ${outcome?.kind ?? answer?.status ?? "no answer"}`);
    if (isTaken || answer === null) {
      this.#note(null, { ...wish, way: answer ? "taken" : "unanswered" });
    }
  }

  #note(what: string | null, wish: Omit<Noted, "actor">): void {
    if (what !== null) this.#world.note(this.#name, what);
    this.#ledger.note({ ...wish, actor: this.#name });
  }
}

const formType = { "content-type": "application/x-www-form-urlencoded" };
