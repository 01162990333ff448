import { join } from "node:path";
import type { Random, Sandbox } from "@dayferry/sandbox";
import { eventuallyWithin } from "../../test/support/eventually.ts";
import { ownerOf } from "../../test/support/sandbox.ts";
import type { Programs, Subscriber } from "./programs.ts";
import type { SoakDaemon } from "./soak-daemon.ts";
import type { Weather } from "./weather.ts";

/** What somebody wants of an event, and was told that it is accepted. */
export interface Wish {
  readonly uid: string;
  title: string;
  /** As the service tells it, in the account's zone: `YYYY-MM-DD HH:MM`, for whole days at midnight. */
  start: string;
  readonly isTimed: boolean;
  /** Whether it was deleted last. */
  isGone: boolean;
  /** When it was last changed, by the hour. */
  hour: number;
  /** False where a restore has forgotten its UID: it is not edited any more, and is in the workspace all the same. */
  isKnown: boolean;
}

/** A task of which its assigned person is to be told the day before it is due, at 09:00. */
export interface Due {
  readonly title: string;
  readonly madeAt: Temporal.Instant;
  readonly remindAt: Temporal.Instant;
}

interface LifeDeps {
  readonly sandbox: Sandbox;
  readonly daemon: SoakDaemon;
  readonly random: Random;
  readonly clock: () => Temporal.Instant;
  readonly weather: Weather;
  readonly subscriber: Subscriber;
  /** Null where no program is installed. */
  readonly programs: Programs | null;
  readonly days: number;
  readonly folder: string;
  readonly person: Login;
}

export interface Login {
  readonly user: number;
  readonly password: string;
}

/** For so many hours before the end of a week nothing is restarted: what grows in a long life shows in it. */
const calmHours = 58;

/** What happens to a workspace and its daemon, hour by hour. */
export class Life {
  readonly #deps: LifeDeps;
  readonly wishes: Wish[] = [];
  readonly dues: Due[] = [];
  readonly tally = {
    "changes by others": 0,
    edits: 0,
    "edits by programs": 0,
    restarts: 0,
    kills: 0,
    backups: 0,
    restores: 0,
  };
  /** What should not have been answered so. */
  readonly complaints: string[] = [];
  /** Text that others have put into events, by the event's id in the service. */
  readonly notes = new Map<number, string>();
  /** UIDs of edits that waited for a person when a backup was put back, which does not know of them. */
  readonly forgotten = new Set<string>();
  readonly #churned: { readonly project: number; readonly event: number }[] = [];
  #lastBackup: { readonly file: string; readonly hour: number } | null = null;

  constructor(deps: LifeDeps) {
    this.#deps = deps;
  }

  async hour(hour: number): Promise<void> {
    const { daemon, random, weather, subscriber, days } = this.#deps;
    await this.#restart(hour);
    this.#churn();
    weather.hour(hour);
    if (!daemon.isUp) return;
    const restoreHour = Math.floor((days - 1) / 2) * 24 + 5;
    if (hour === restoreHour) await this.#restore(hour);
    for (let left = random.between(1, 3); left > 0; left -= 1) await this.#wish(hour);
    await subscriber.poll();
    if (hour % 6 === 3) await this.#useProgram(hour);
    if (hour % 24 === 20 || hour % 24 === 2) await this.#backUp(hour);
  }

  /** How many edits are on their way. */
  async waiting(): Promise<number> {
    const counts = ["pending", "claimed"].map(async (state) => (await this.edits(state)).length);
    return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
  }

  async edits(state: string): Promise<readonly { readonly item: { readonly uid: string } }[]> {
    const answer = await this.#deps.daemon.ask(`/api/edits?state=${state}`);
    return Object(await answer.json()).edits;
  }

  /** Every event of the workspace, wherever it is. */
  events(): readonly EventThere[] {
    const { sandbox } = this.#deps;
    const by = ownerOf(sandbox);
    return sandbox.workspace.places().flatMap(({ project }) =>
      sandbox.workspace.events.list({ by, project }, { view: "all" }).map((event) => ({
        id: event.id,
        title: event.title,
        start: event.start,
        description: event.description,
        project,
      })),
    );
  }

  /** Every task of the workspace with its due day. */
  tasks(): readonly { readonly title: string; readonly dueOn: string | null }[] {
    const { sandbox } = this.#deps;
    const by = ownerOf(sandbox);
    return sandbox.workspace
      .places()
      .flatMap(({ project, lists }) =>
        lists.flatMap((list) => sandbox.workspace.tasks.list({ by, project, list })),
      )
      .map((task) => ({ title: task.title, dueOn: task.due_date }));
  }

  /** What a sync-collection with a token is answered: 207, or 403 where the token is too old. */
  async sync(token: string): Promise<{ readonly status: number; readonly body: string }> {
    const { daemon, sandbox } = this.#deps;
    const project = sandbox.workspace.places()[0]?.project;
    const { user } = this.#deps.person;
    const answer = await daemon.ask(`/dav/calendars/${user}/events-${project}/`, {
      method: "REPORT",
      headers: { authorization: this.#authorization(), "content-type": "application/xml" },
      body: `<d:sync-collection xmlns:d="DAV:"><d:sync-token>${token}</d:sync-token><d:sync-level>1</d:sync-level><d:prop><d:getetag/></d:prop></d:sync-collection>`,
    });
    return { status: answer.status, body: await answer.text() };
  }

  async token(): Promise<string> {
    const { body } = await this.sync("");
    return /urn:dayferry:sync:[^<]+/.exec(body)?.[0] ?? "";
  }

  /** Down for three hours every other day, ended once a day, and killed once a day. */
  async #restart(hour: number): Promise<void> {
    const { daemon, days } = this.#deps;
    const ofDay = hour % 24;
    const isCalm = days >= 5 && hour > days * 24 - calmHours;
    if (isCalm && daemon.isUp) return;
    if (hour % 48 === 34 && !isCalm) return daemon.stop("SIGTERM");
    if (!daemon.isUp && hour % 48 !== 37) return;
    if (ofDay === 7 || ofDay === 15 || !daemon.isUp) {
      const isKilled = ofDay === 15;
      await daemon.stop(isKilled ? "SIGKILL" : "SIGTERM");
      this.tally[isKilled ? "kills" : "restarts"] += 1;
      await daemon.start();
    }
  }

  /** The last backup is put back, hours after it was made; what people were told since stays true. */
  async #restore(hour: number): Promise<void> {
    const { daemon, weather } = this.#deps;
    const backup = this.#lastBackup;
    if (!backup) return;
    weather.clear();
    await this.#quiet();
    for (const state of ["parked", "held"]) {
      for (const { item } of await this.edits(state)) this.forgotten.add(item.uid);
    }
    const token = await this.token();
    await daemon.stop("SIGTERM");
    const failure = await daemon.command("restore", backup.file);
    if (failure === null) this.tally.restores += 1;
    else this.complaints.push(`a restore at hour ${hour} failed: ${failure}`);
    await daemon.start();
    for (const wish of this.wishes) if (wish.hour >= backup.hour) wish.isKnown = false;
    // Until the restored database was synced once, programs are answered 503 with Retry-After.
    const { status, body } = await eventuallyWithin(120_000, "calendars are served", async () => {
      const answer = await this.sync(token);
      return answer.status === 503 ? null : answer;
    });
    if (status !== 403 || !body.includes("valid-sync-token")) {
      this.complaints.push(`a sync-token from before the restore was answered with ${status}`);
    }
  }

  async #quiet(): Promise<void> {
    await eventuallyWithin(120_000, "nothing is on its way", async () =>
      (await this.waiting()) === 0 ? true : null,
    );
  }

  /** People at work in the workspace itself. */
  #churn(): void {
    const { sandbox, random, clock } = this.#deps;
    const { events, tasks } = sandbox.workspace;
    const by = ownerOf(sandbox);
    for (let left = random.between(0, 6); left > 0; left -= 1) {
      this.tally["changes by others"] += 1;
      const number = this.tally["changes by others"];
      const known = this.#churned.length > 20 ? random.pick(this.#churned) : null;
      if (known && random.chance(0.1)) {
        events.remove({ by, ...known });
        this.#churned.splice(this.#churned.indexOf(known), 1);
        continue;
      }
      if (known) {
        events.update({ by, ...known }, { title: `Work ${number}` });
        continue;
      }
      const place = random.pick(sandbox.workspace.places());
      const { project, lists } = place;
      const [list] = lists;
      if (list !== undefined && random.chance(0.35)) {
        const today = clock().toZonedDateTimeISO(sandbox.timeZone).toPlainDate();
        const due = today.add({ days: random.between(2, 5) });
        const title = `Task ${number}`;
        const body = { title, due_date: due.toString(), assigned: [by] };
        tasks.create({ by, project, list }, body);
        const remindAt = due
          .subtract({ days: 1 })
          .toZonedDateTime({ timeZone: sandbox.timeZone, plainTime: "09:00" })
          .toInstant();
        this.dues.push({ title, madeAt: clock(), remindAt });
        continue;
      }
      const body = { title: `Work ${number}`, start: this.#day(), all_day: true };
      this.#churned.push({ project, event: events.create({ by, project }, body).id });
    }
    this.#note();
  }

  /** Somebody writes a word into an event that someone else edits by files. */
  #note(): void {
    const { sandbox, random } = this.#deps;
    if (!random.chance(0.3)) return;
    const wished = this.events().filter(({ title }) => title.startsWith("Wish"));
    if (wished.length === 0) return;
    const { id, project } = random.pick(wished);
    this.tally["changes by others"] += 1;
    const description = `Noted ${this.tally["changes by others"]}`;
    const at = { by: ownerOf(sandbox), project, event: id };
    sandbox.workspace.events.update(at, { description });
    this.notes.set(id, description);
  }

  async #wish(hour: number): Promise<void> {
    const { random } = this.#deps;
    const open = this.wishes.filter(({ isGone, isKnown }) => !isGone && isKnown);
    const known = open.length > 5 && random.chance(0.45) ? random.pick(open) : null;
    this.tally.edits += 1;
    const number = this.tally.edits;
    const title = `Wish ${number}`;
    if (!known) {
      const isTimed = random.chance(0.4);
      const made = { uid: `wish-${number}@soak.example`, title, isTimed, isGone: false, hour };
      const wish: Wish = { ...made, start: this.#start(isTimed), isKnown: true };
      const refusal = random.chance(0.4) ? await this.#put(wish) : await this.#upload(wish);
      return this.#settle(refusal, () => void this.wishes.push(wish));
    }
    const isGone = random.chance(0.1);
    const moved = random.chance(0.3) ? { start: this.#start(known.isTimed) } : {};
    const changes = isGone ? { isGone } : { title, ...moved };
    const refusal = await this.#upload({ ...known, ...changes });
    this.#settle(refusal, () => void Object.assign(known, changes, { hour }));
  }

  #settle(refusal: string | null, accepted: () => void): void {
    if (refusal === null) accepted();
    else this.complaints.push(`an edit was refused: ${refusal}`);
  }

  /** khal makes an event in a folder or changes one there, and vdirsyncer brings it. */
  async #useProgram(hour: number): Promise<void> {
    const { programs, random } = this.#deps;
    if (!programs) return;
    const open = this.wishes.filter(({ uid, isGone }) => uid === "" && !isGone);
    const known = open.length > 2 && random.chance(0.4) ? random.pick(open) : null;
    this.tally["edits by programs"] += 1;
    const title = `Program ${this.tally["edits by programs"]}`;
    // An edit of a copy that is hours old would undo what others have changed since: the program has nothing else to send.
    const isFresh = await programs.sync();
    if (isFresh && known && programs.rename(known.title, title)) {
      known.title = title;
    } else {
      const day = this.#day();
      const made = { uid: "", title, start: `${day} 00:00`, isTimed: false };
      if (await programs.make({ title, day })) {
        this.wishes.push({ ...made, isGone: false, hour, isKnown: false });
      }
    }
    await programs.sync();
  }

  async #upload(wish: Wish): Promise<string | null> {
    const { daemon, sandbox } = this.#deps;
    const project = sandbox.workspace.places()[0]?.project;
    const answer = await daemon.ask(`/api/edits?project=${project}`, {
      method: "POST",
      headers: { "content-type": "text/calendar" },
      body: this.#calendar(wish),
    });
    return refusalOf(answer);
  }

  async #put(wish: Wish): Promise<string | null> {
    const { daemon, sandbox, person } = this.#deps;
    const project = sandbox.workspace.places()[0]?.project;
    const path = `/dav/calendars/${person.user}/events-${project}/${wish.uid.split("@", 1)[0]}.ics`;
    const headers = {
      authorization: this.#authorization(),
      "content-type": "text/calendar; charset=utf-8",
    };
    const answer = await daemon.ask(path, { method: "PUT", headers, body: this.#calendar(wish) });
    return refusalOf(answer);
  }

  #authorization(): string {
    const { user, password } = this.#deps.person;
    return `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
  }

  async #backUp(hour: number): Promise<void> {
    const { daemon, folder } = this.#deps;
    const file = join(folder, `backup-${hour}`);
    const failure = await daemon.command("backup", file);
    if (failure !== null) {
      this.complaints.push(`a backup failed: ${failure}`);
      return;
    }
    this.tally.backups += 1;
    this.#lastBackup = { file, hour };
  }

  /** A file of the wish; timed ones say their moment in UTC. */
  #calendar({ uid, title, start, isTimed, isGone }: Wish): string {
    const { timeZone } = this.#deps.sandbox;
    const local = Temporal.PlainDateTime.from(start.replace(" ", "T"));
    const utc = local.toZonedDateTime(timeZone).toInstant().toString({ smallestUnit: "second" });
    const begins = isTimed
      ? `DTSTART:${utc.replaceAll(/[-:]/g, "")}`
      : `DTSTART;VALUE=DATE:${start.slice(0, 10).replaceAll("-", "")}`;
    const lines = [
      "BEGIN:VCALENDAR",
      "VERSION:2.0",
      "PRODID:-//soak//EN",
      "BEGIN:VEVENT",
      `UID:${uid}`,
      "DTSTAMP:20261116T060000Z",
      begins,
      ...(isTimed ? ["DURATION:PT1H"] : []),
      `SUMMARY:${title}`,
      ...(isGone ? ["STATUS:CANCELLED"] : []),
      "END:VEVENT",
      "END:VCALENDAR",
      "",
    ];
    return lines.join("\r\n");
  }

  /** A start on any day of the next year and a half, in summer time and out of it. */
  #start(isTimed: boolean): string {
    const { random } = this.#deps;
    const day = Temporal.PlainDate.from("2026-12-01").add({ days: random.between(0, 500) });
    const hour = String(random.between(6, 20)).padStart(2, "0");
    return `${day.toString()} ${isTimed ? `${hour}:30` : "00:00"}`;
  }

  #day(): string {
    const { random, clock } = this.#deps;
    const today = clock().toZonedDateTimeISO("UTC").toPlainDate();
    return today.add({ days: random.between(3, 60) }).toString();
  }
}

export interface EventThere {
  readonly id: number;
  readonly title: string;
  readonly start: string;
  readonly description: string | null;
  readonly project: number;
}

async function refusalOf(answer: Response): Promise<string | null> {
  const body = await answer.text();
  return answer.ok ? null : `${answer.status} ${body}`;
}
