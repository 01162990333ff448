import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { WorkspacePlace } from "@dayferry/sandbox";
import { z } from "zod";
import { ownerOf } from "../../test/support/sandbox.ts";
import {
  type Ledger,
  markedFields,
  markIn,
  markOfOctets,
  type Noted,
  secrecy,
  titleOf,
  withDay,
  withLine,
} from "../ledger.ts";
import { labelsOf, type PresentItem, projectsOf } from "../workspace-items.ts";
import type { Answer, World } from "../world.ts";
import { type Copy, type Habit, LocalCopies, uidIn } from "./local-copies.ts";

/** A copy, its URL, and the mark in its title. */
interface Found {
  readonly href: string;
  readonly copy: Copy;
  readonly before: string;
}

/** With characters that services like to rewrite. */
const me = "a program  & its user";

/** A new item of a program. */
interface Newcomer {
  readonly uid: string;
  readonly mark: string;
}

/** Channels besides CalDAV: the upload API, and a file in the inbox. */
const ways = ["uploads", "uploads", "drops"] as const;

const calendarType = { "content-type": "text/calendar; charset=utf-8" };

/** A calendar program of one person, with copies of what it has loaded. */
export class Program {
  readonly #world: World;
  readonly #ledger: Ledger;
  readonly #name: string;
  readonly #habit: Habit;
  readonly #person: number;
  readonly #password: string;
  readonly #copies: LocalCopies;
  readonly #faults = new Set<string>();
  /** What it deleted last. */
  #deleted: Pick<Found, "href" | "copy"> | null = null;
  #made = 0;

  constructor(
    world: World,
    {
      ledger,
      habit,
      person,
      password,
    }: {
      readonly ledger: Ledger;
      readonly habit: Habit;
      readonly person: number;
      readonly password: string;
    },
  ) {
    this.#world = world;
    this.#ledger = ledger;
    this.#habit = habit;
    this.#person = person;
    this.#name = `${habit} program of ${person}`;
    this.#password = password;
    this.#copies = new LocalCopies({
      ...{ world, ledger, habit, name: this.#name, assigned: this.#assigned },
      ask: (method, path, how) => this.#ask(method, path, how),
      onFault: (fault) => this.#faults.add(fault),
    });
  }

  async act(): Promise<void> {
    const { random } = this.#world;
    const isLoading = this.#copies.size === 0 || random.chance(this.#habit === "stale" ? 0.1 : 0.4);
    if (isLoading) await this.load();
    const kind = random.pick([
      "make",
      "change",
      "change",
      "change",
      "tick",
      "label",
      "remove",
      "move",
      "again",
    ] as const);
    if (kind === "make") await this.#make();
    else if (kind === "again") await this.#makeAgain();
    else if (kind === "change") await this.#change();
    else if (kind === "tick") await this.#tick();
    else if (kind === "label") await this.#label();
    else if (kind === "move") await this.#move();
    else await this.#remove();
  }

  /** Updates all copies. */
  async load(): Promise<void> {
    for (const calendar of this.#shown) await this.#copies.load(calendar);
  }

  /**
   * Problems in what this program was shown, once everything has settled: its copies differ from the calendar listings or from
   * the service.
   */
  async faults(items: readonly PresentItem[]): Promise<readonly string[]> {
    await this.load();
    const seen = projectsOf(this.#world.sandbox, this.#person);
    for (const place of this.#world.sandbox.workspace.places()) {
      for (const calendar of seen.has(place.project) ? [] : this.#calendarsOf(place)) {
        if (await this.#copies.list(calendar))
          this.#faults.add(`${this.#name}: ${calendar} is listed`);
      }
    }
    const labels = labelsOf(this.#world.sandbox);
    for (const calendar of this.#shown) {
      const there = items.filter(
        (item) =>
          (calendar === this.#assigned
            ? item.assigned.includes(this.#person) && seen.has(item.project)
            : calendar.endsWith(
                item.list === 0 ? `/events-${item.project}/` : `/tasks-${item.list}/`,
              )) &&
          // An editor who would lose access to a private event was assigned.
          (this.#isOwner || !item.private || item.assigned.includes(this.#person)),
      );
      const listed = await this.#copies.list(calendar);
      if (!listed) this.#faults.add(`${this.#name}: ${calendar} cannot be listed`);
      if (listed) await this.#copies.checkPasts(calendar, listed);
      const copies = this.#copies.in(calendar);
      const known = copies.map(([href, { etag }]) => `${href} ${etag}`);
      const [expected, shown] = [
        [...(listed ?? [])].map(([href, etag]) => `${href} ${etag}`),
        copies.map(([, { octets }]) => stateOf(octets, labels)).filter((text) => text !== ""),
      ].map((all) => all.toSorted().join(", "));
      if (known.toSorted().join(", ") !== expected) {
        this.#faults.add(
          `${this.#name}: ${calendar} lists ${expected}, and changes told of ${known.join(", ")}`,
        );
      }
      const marks = there.map(stateIn).toSorted().join(", ");
      if (shown !== marks) {
        this.#faults.add(`${this.#name}: ${calendar} shows ${shown}, and the service has ${marks}`);
      }
    }
    return [...this.#faults];
  }

  /** Some programs send no User-Agent. */
  get #agent(): Readonly<Record<string, string>> {
    return this.#habit === "bare" ? {} : { "user-agent": `Simulated-${this.#habit}/1.0` };
  }

  get #isOwner(): boolean {
    return this.#person === ownerOf(this.#world.sandbox);
  }

  /** Of the projects the person sees. */
  get #calendars(): readonly string[] {
    const { sandbox } = this.#world;
    const seen = projectsOf(sandbox, this.#person);
    return sandbox.workspace
      .places()
      .filter(({ project }) => seen.has(project))
      .flatMap((place) => this.#calendarsOf(place));
  }

  #calendarsOf({ project, lists }: Pick<WorkspacePlace, "project" | "lists">): readonly string[] {
    const home = `/dav/calendars/${this.#person}/`;
    return [`${home}events-${project}/`, ...lists.map((list) => `${home}tasks-${list}/`)];
  }

  /** The person's assigned items in all projects. */
  get #assigned(): string {
    return `/dav/calendars/${this.#person}/assigned/`;
  }

  get #shown(): readonly string[] {
    return [...this.#calendars, this.#assigned];
  }

  async #make(): Promise<void> {
    const { random } = this.#world;
    const calendar = random.pick(this.#calendars);
    if (!calendar.includes("/tasks-") || random.chance(0.5)) {
      await this.#makeIn(calendar, { ...this.#newcomer(), above: null });
      return;
    }
    const tasks = this.#copies
      .in(calendar)
      .filter(([, { octets }]) => isTask(octets))
      .map(([, { octets }]) => ({ uid: uidIn(octets), mark: markIn(octets) }));
    if (tasks.length > 0 && random.chance(0.8)) {
      await this.#makeIn(calendar, { ...this.#newcomer(), above: random.pick(tasks) });
      return;
    }
    // Some put a subtask before its task.
    const above = this.#newcomer();
    await this.#makeIn(calendar, { ...this.#newcomer(), above });
    await this.#makeIn(calendar, { ...above, above: null });
  }

  #newcomer(): Newcomer {
    this.#made += 1;
    const uid = `${this.#person}-${this.#habit}-${this.#made}@example.com`;
    return { uid, mark: this.#ledger.nextMark() };
  }

  async #makeIn(
    calendar: string,
    { uid, mark, above }: Newcomer & { readonly above: Newcomer | null },
  ): Promise<void> {
    const day = this.#ledger.nextDay().replaceAll("-", "");
    const [component, date] = calendar.includes("/tasks-")
      ? ["VTODO", "DUE"]
      : ["VEVENT", "DTSTART"];
    const octets = [
      ...["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Simulation//EN", `BEGIN:${component}`],
      ...[`UID:${uid}`, "DTSTAMP:20270301T090000Z", `SUMMARY:${mark} by ${me}`],
      ...(above ? [`RELATED-TO:${above.uid}`] : []),
      ...[`${date};VALUE=DATE:${day}`, `END:${component}`, "END:VCALENDAR", ""],
    ].join("\r\n");
    const href = `${calendar}${encodeURIComponent(uid)}.ics`;
    const headers = this.#habit === "careful" ? { "if-none-match": "*" } : {};
    const answer = await this.#put(href, { octets, headers });
    this.#tell(above ? `makes ${mark} below ${above.mark}` : `makes ${mark}`, {
      answer,
      wish: {
        ...{ field: "title", mark, before: null, item: null },
        ...(above && { under: above.mark }),
      },
    });
  }

  /** Recreates what it has deleted with the same UID, as after an undo. */
  async #makeAgain(): Promise<void> {
    if (!this.#deleted) return;
    const { href, copy } = this.#deleted;
    this.#deleted = null;
    const mark = this.#ledger.nextMark();
    // Not secret: another person may have recreated it meanwhile.
    const text = titleOf(mark, { by: me, before: "" });
    const octets = withLine(copy.octets.replaceAll(` ${secrecy}`, ""), "SUMMARY", text);
    const headers = this.#habit === "careful" ? { "if-none-match": "*" } : {};
    const answer = await this.#put(href, { octets, headers });
    const item = markIn(copy.octets);
    this.#tell(`makes ${item} again as ${mark}`, {
      answer,
      wish: { field: "title", mark, before: null, item },
    });
  }

  async #change(): Promise<void> {
    const found = this.#pick();
    if (!found) return;
    const { href, copy, before: item } = found;
    const field = this.#world.random.pick([
      ...(["title", "title", "title", "description", "date"] as const),
    ]);
    const mark = this.#ledger.nextMark(field);
    const before = markOfOctets(copy.octets, field);
    const text = titleOf(mark, { by: me, before: copy.octets });
    const octets =
      field === "date"
        ? withDay(copy.octets, mark)
        : withLine(copy.octets, field === "title" ? "SUMMARY" : "DESCRIPTION", text);
    const headers = this.#habit === "careful" ? { "if-match": copy.etag } : {};
    const { random } = this.#world;
    const way = this.#habit !== "careful" && random.chance(0.3) ? random.pick(ways) : "changes";
    const answer =
      way === "uploads"
        ? await this.#upload(href, octets)
        : way === "drops"
          ? await this.#drop(href, { octets, name: mark })
          : await this.#put(href, { octets, headers });
    const what = `${way} the ${field} of ${item} to ${mark}`;
    this.#tell(what, { answer, wish: { field, mark, before, item } });
    if (answer && (answer.status === 412 || answer.status === 404)) this.#copies.forget(href);
  }

  /** Completes or reopens a task. An old copy could equal an older version and restore it. */
  async #tick(): Promise<void> {
    if (this.#habit !== "careful") await this.load();
    const found = this.#pick();
    if (!found?.copy.octets.includes("BEGIN:VTODO")) return;
    const { href, copy, before } = found;
    const status = isDone(copy.octets) ? "NEEDS-ACTION" : "COMPLETED";
    const octets = withLine(
      copy.octets.replace(/^(?:PERCENT-COMPLETE|COMPLETED):.*\r\n/gm, ""),
      "STATUS",
      status,
    );
    const headers = this.#habit === "careful" ? { "if-match": copy.etag } : {};
    const answer = await this.#put(href, { octets, headers });
    this.#world.note(this.#name, `sets ${before} to ${status}: ${answer?.status ?? "no answer"}`);
  }

  /** Sets some labels of a task, or none. An old copy could equal an older version. */
  async #label(): Promise<void> {
    if (this.#habit !== "careful") await this.load();
    const found = this.#pick();
    if (!found?.copy.octets.includes("BEGIN:VTODO")) return;
    const { href, copy, before } = found;
    const { random, life } = this.#world;
    // Only known labels: others are categories of this object alone.
    const all = life.modules.store.directory.labels();
    const names = all.filter(() => random.chance(0.5)).map(({ name }) => name);
    const without = copy.octets.replace(/^CATEGORIES:.*(?:\r\n .*)*\r\n/m, "");
    const octets = names.length === 0 ? without : withLine(without, "CATEGORIES", names.join(","));
    // Nothing to put. Without a condition, an old copy would restore its values.
    if (octets === copy.octets) return;
    const headers = this.#habit === "careful" ? { "if-match": copy.etag } : {};
    const answer = await this.#put(href, { octets, headers });
    const what = `labels ${before} ${names.join(", ") || "nothing"}`;
    this.#world.note(this.#name, `${what}: ${answer?.status ?? "no answer"}`);
  }

  /** Uploads the object as a file instead of using CalDAV; a partly accepted file counts as refused. */
  async #upload(href: string, octets: string): Promise<Answer | null> {
    const { project, list } = this.#placeOf(href);
    const answer = await this.#world.askAsAdmin({
      method: "POST",
      path: `/api/edits?project=${project}${list === null ? "" : `&list=${list}`}&person=${this.#person}`,
      headers: { ...calendarType, ...this.#agent },
      body: octets,
    });
    if (answer?.status !== 202) return answer;
    const { errors, items } = acceptanceSchema.parse(JSON.parse(answer.text));
    const isTaken = errors.length === 0 && items.some(({ editId }) => editId !== null);
    // Continuing from the file's content repeats it.
    if (isTaken) this.#copies.set(href, { etag: "", octets });
    return isTaken ? answer : { ...answer, status: 422 };
  }

  /** Puts the object into the inbox as a file and waits for the result; no answer if it is still there. */
  async #drop(
    href: string,
    { octets, name }: { readonly octets: string; readonly name: string },
  ): Promise<Answer | null> {
    const { time } = this.#world;
    const { project, list } = this.#placeOf(href);
    const place = join(...[String(project), ...(list === null ? [] : [String(list)])]);
    // A crash replaces the folder.
    const pathIn = (...parts: readonly string[]) =>
      join(this.#world.life.inbox, ...parts, place, `${name}.ics`);
    mkdirSync(join(pathIn(), ".."), { recursive: true });
    writeFileSync(pathIn(), octets);
    const untilMs = time.monotonic() + 20_000;
    await this.#world.waitFor(() => !existsSync(pathIn()) || time.monotonic() >= untilMs);
    if (existsSync(pathIn())) return null;
    const done = pathIn("done");
    const text = existsSync(done) ? readFileSync(`${done}.report.txt`, "utf8") : "";
    const isTaken = text.includes(" as edit ") && !text.includes("refused");
    return { status: isTaken ? 202 : 422, headers: {}, text };
  }

  /** The project and list of a calendar's URL. */
  #placeOf(href: string): { readonly project: number; readonly list: number | null } {
    const [, kind, id] = /\/(events|tasks)-(\d+)\//.exec(href) ?? [];
    if (kind === "events") return { project: Number(id), list: null };
    const places = this.#world.sandbox.workspace.places();
    const project = places.find(({ lists }) => lists.includes(Number(id)))?.project ?? 0;
    return { project, list: Number(id) };
  }

  async #remove(): Promise<void> {
    const found = this.#pick();
    if (!found) return;
    const { href, copy, before } = found;
    const headers = this.#habit === "careful" ? { "if-match": copy.etag } : {};
    const answer = await this.#ask("DELETE", href, { headers });
    if (isGood(answer)) {
      this.#copies.forget(href);
      this.#deleted = { href, copy };
    }
    this.#tell(`deletes ${before}`, {
      answer,
      wish: { field: "title", mark: null, before, item: before },
    });
  }

  /**
   * Moves an item to another calendar of its kind: a PUT there and a DELETE here. Sometimes it changes its mind and puts it
   * back first.
   */
  async #move(): Promise<void> {
    const { random } = this.#world;
    const found = this.#pick();
    if (!found) return;
    const { href, copy, before } = found;
    const [from, name] = [href.replace(/[^/]+$/, ""), href.replace(/^.*\//, "")];
    // Only from the item's own calendar, not "assigned"; and a subtask stays with its task.
    if (from === this.#assigned || isBelow(copy.octets)) return;
    const kind = from.includes("/tasks-") ? "/tasks-" : "/events-";
    const others = this.#calendars.filter((one) => one.includes(kind) && one !== from);
    if (others.length === 0) return;
    if (random.chance(0.3)) return this.#moveAtOnce(found, `${random.pick(others)}${name}`);
    const target = `${random.pick(others)}${name}`;
    if (random.chance(0.2)) return this.#takeAndPut(found, target);
    // Without a condition, putting an old copy of an existing item reverts it.
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
    // Its current place is unknown, and it is deleted nowhere.
    if (isBack && back === null) {
      this.#world.note(this.#name, `moves ${before} there and back: no answer`);
      return;
    }
    const left = isGood(back) ? target : href;
    const headers = guard({ "if-match": this.#copies.get(left)?.etag ?? copy.etag });
    const gone = await this.#ask("DELETE", left, { headers });
    if (isGood(gone)) this.#copies.forget(left);
    const what = isGood(back) ? `moves ${before} there and back` : `moves ${before} to ${target}`;
    this.#world.note(this.#name, `${what}: ${gone?.status ?? "no answer"}`);
  }

  /** The other order: a DELETE here, then a PUT there. */
  async #takeAndPut({ href, copy, before }: Found, target: string): Promise<void> {
    const isCareful = this.#habit === "careful";
    const condition = isCareful ? { "if-match": copy.etag } : {};
    const gone = await this.#ask("DELETE", href, { headers: condition });
    if (isGood(gone)) this.#copies.forget(href);
    const { octets } = copy;
    const headers = isCareful ? { "if-none-match": "*" } : {};
    const there = isGood(gone) ? await this.#put(target, { octets, headers }) : null;
    const what = `takes ${before} to ${target}`;
    if (isGood(there)) this.#world.note(this.#name, `${what}: ${there?.status}`);
    // Possibly only the deletion was applied.
    else if (gone === null || isGood(gone)) {
      const wish = { field: "title", mark: null, before, item: before } as const;
      this.#tell(what, { answer: gone, wish });
    } else this.#world.note(this.#name, `${what}: ${gone.status}`);
  }

  /** By a MOVE. */
  async #moveAtOnce({ href, copy, before }: Found, target: string): Promise<void> {
    const condition = this.#habit === "careful" ? { "if-match": copy.etag } : {};
    const headers = { ...condition, destination: target, overwrite: "F" };
    const answer = await this.#ask("MOVE", href, { headers });
    if (isGood(answer)) this.#copies.forget(href);
    this.#world.note(
      this.#name,
      `MOVE of ${before} to ${target}: ${answer?.status ?? "no answer"}`,
    );
  }

  #pick(): Found | null {
    // Without a condition, nobody can tell which of two copies a program has changed.
    const copies = this.#copies
      .in("")
      .filter(([href]) => this.#habit === "careful" || !href.startsWith(this.#assigned));
    if (copies.length === 0) return null;
    const [href, copy] = this.#world.random.pick(copies);
    return { href, copy, before: markIn(copy.octets) };
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
    else if (isGood(answer)) this.#copies.drop(href);
    return answer;
  }

  async #ask(
    method: string,
    path: string,
    {
      headers = {},
      body,
    }: { readonly headers?: Readonly<Record<string, string>>; readonly body?: string } = {},
  ): Promise<Answer | null> {
    const login = Buffer.from(`${this.#person}:${this.#password}`).toString("base64");
    const authorization = `Basic ${login}`;
    const answer = await this.#world.ask({
      ...{ method, path, headers: { authorization, ...this.#agent, ...headers } },
      ...(body !== undefined && { body }),
    });
    if (!this.#isOwner && answer?.text.includes(secrecy)) {
      this.#faults.add(`${this.#name}: ${method} ${path} told of ${markIn(answer.text)}, a secret`);
    }
    return answer;
  }

  #tell(
    what: string,
    {
      answer,
      wish,
    }: {
      readonly answer: Answer | null;
      readonly wish: Omit<Noted, "actor" | "way">;
    },
  ): void {
    this.#world.note(this.#name, `${what}: ${answer?.status ?? "no answer"}`);
    // An unanswered edit may or may not be stored: it is not required, but it explains the item's state.
    if (isGood(answer) || answer === null) {
      this.#ledger.note({ ...wish, actor: this.#name, way: answer ? "taken" : "unanswered" });
    }
  }
}

const acceptanceSchema = z.object({
  errors: z.array(z.unknown()),
  items: z.array(z.object({ editId: z.number().nullable() })),
});

/** True for a task that is not a subtask. */
const isTask = (octets: string): boolean => octets.includes("BEGIN:VTODO") && !isBelow(octets);

const isBelow = (octets: string): boolean => /^RELATED-TO[;:]/m.test(octets);

const isDone = (octets: string): boolean => /^STATUS:COMPLETED/m.test(octets);

/**
 * What is compared of an item, from a program's copy; "" for one without a mark. Categories that are not labels belong to the
 * object.
 */
function stateOf(octets: string, labels: ReadonlySet<string>): string {
  const text = octets.replaceAll("\r\n ", "");
  if (markIn(text) === "") return "";
  const [, categories = ""] = /^CATEGORIES:(.*)$/m.exec(text) ?? [];
  const named = categories
    .trim()
    .split(",")
    .filter((name) => labels.has(name));
  const isTodo = text.includes("BEGIN:VTODO");
  return [
    ...markedFields.map((field) => markOfOctets(text, field)),
    ...(isTodo ? [...named.toSorted(), isDone(text) ? "done" : ""] : []),
  ]
    .filter((part) => part !== "")
    .join(" ");
}

/** The same for an item in the workspace. Events have no completion state and no labels, and milestones are events here. */
const stateIn = (item: PresentItem): string =>
  [
    ...markedFields.map((field) => markIn(item[field], field)),
    ...(item.list === 0 ? [] : [...item.labels, item.completed ? "done" : ""]),
  ]
    .filter((part) => part !== "")
    .join(" ");

const isGood = (answer: Answer | null): boolean =>
  answer !== null && answer.status >= 200 && answer.status < 300;
