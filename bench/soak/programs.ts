import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isInstalled, runProgram } from "../../test/clients/programs.ts";
import { type VdirHome, vdirHome } from "../../test/clients/vdir-home.ts";
import { patience, type SoakDaemon } from "./soak-daemon.ts";

interface Account {
  readonly daemon: SoakDaemon;
  readonly folder: string;
  readonly user: number;
  readonly password: string;
  /** The calendar in which things are made. */
  readonly calendar: string;
}

/** A folder that vdirsyncer keeps the same as the calendars, and khal where it is installed; null without vdirsyncer. */
export class Programs {
  readonly #home: VdirHome;
  readonly #calendar: string;
  readonly counts = { syncs: 0, failed: 0 };
  #lastFailure = "";
  #knows = false;

  static areInstalled(): boolean {
    return isInstalled("vdirsyncer");
  }

  constructor({ daemon, folder, user, password, calendar }: Account) {
    const within = (name: string) => {
      const path = join(folder, name);
      mkdirSync(path, { recursive: true });
      return path;
    };
    const homeEnv = (name: string) => {
      const HOME = within(name);
      return {
        HOME,
        XDG_CONFIG_HOME: join(HOME, ".config"),
        XDG_DATA_HOME: join(HOME, ".local", "share"),
        XDG_CACHE_HOME: join(HOME, ".cache"),
        XDG_STATE_HOME: join(HOME, ".local", "state"),
      };
    };
    const setting = {
      homeEnv,
      folder: within,
      url: `${daemon.url}/dav/`,
      login: String(user),
      password,
    };
    this.#home = vdirHome(setting, "programs");
    // Where others have changed the same event since the last sync, vdirsyncer lets it be until it is told who wins.
    this.#home.configure("a wins");
    this.#calendar = calendar;
  }

  /** Makes an event in the folder, by khal where it is installed. */
  async make({ title, day }: { readonly title: string; readonly day: string }): Promise<boolean> {
    if (!this.#knows) return false;
    if (isInstalled("khal")) {
      this.#configureKhal();
      const args = ["khal", "new", "-a", "project", day, title];
      const { code } = await runProgram(args, { env: this.#home.env, input: "" });
      return code === 0;
    }
    const of = day.replaceAll("-", "");
    this.#home.write(this.#calendar, `${title.replaceAll(" ", "-")}.ics`, [
      "BEGIN:VEVENT",
      `UID:${title.replaceAll(" ", "-")}@program.example`,
      "DTSTAMP:20261116T060000Z",
      `DTSTART;VALUE=DATE:${of}`,
      `SUMMARY:${title}`,
      "END:VEVENT",
    ]);
    return true;
  }

  titles(): readonly string[] {
    return this.#knows ? this.#home.titles(this.#calendar) : [];
  }

  /** Changes what an event is called, where it is in the folder. */
  rename(from: string, to: string): boolean {
    if (!this.titles().includes(from)) return false;
    this.#home.change(this.#calendar, from, (text) =>
      text.replace(`SUMMARY:${from}`, `SUMMARY:${to}`),
    );
    return true;
  }

  /** Whether the sync ended well; a daemon that is away or slow is tried again by the next one. */
  async sync(): Promise<boolean> {
    this.counts.syncs += 1;
    if (!this.#knows) {
      const found = await this.#home.run("discover");
      if (found.code !== 0) return this.#failed(found.output);
    }
    const ran = await this.#home.run("sync");
    if (ran.code !== 0) return this.#failed(ran.output);
    this.#knows = true;
    return true;
  }

  get lastFailure(): string {
    return this.#lastFailure;
  }

  #failed(output: string): false {
    this.counts.failed += 1;
    this.#lastFailure = output.slice(-2000);
    return false;
  }

  #configureKhal(): void {
    const folder = join(this.#home.env.XDG_CONFIG_HOME, "khal");
    mkdirSync(folder, { recursive: true });
    const lines = [
      "[calendars]",
      "[[project]]",
      `path = ${join(this.#home.files, this.#calendar)}`,
      "[default]",
      "default_calendar = project",
      "[locale]",
      "timeformat = %H:%M",
      ...["dateformat", "longdateformat"].map((name) => `${name} = %Y-%m-%d`),
      ...["datetimeformat", "longdatetimeformat"].map((name) => `${name} = %Y-%m-%d %H:%M`),
      "local_timezone = Europe/Berlin",
      "default_timezone = Europe/Berlin",
      "",
    ];
    writeFileSync(join(folder, "config"), lines.join("\n"));
  }
}

interface Copy {
  readonly etag: string;
  readonly body: string;
}

/** A calendar program that only subscribes: it asks with the ETag that it has, and keeps its copy on 304 and on failures. */
export class Subscriber {
  readonly #daemon: SoakDaemon;
  readonly #copies = new Map<string, Copy>();
  readonly counts = { fetches: 0, notModified: 0, unavailable: 0 };
  readonly complaints: string[] = [];

  constructor(daemon: SoakDaemon) {
    this.#daemon = daemon;
  }

  async poll(): Promise<void> {
    const { feeds } = Object(await (await this.#daemon.ask("/api/feeds")).json());
    for (const { url } of feeds) await this.#fetch(String(url));
  }

  /** Texts of all that it has subscribed to. */
  bodies(): readonly string[] {
    return [...this.#copies.values()].map(({ body }) => body);
  }

  async #fetch(url: string): Promise<void> {
    const copy = this.#copies.get(url);
    const headers = { connection: "close", ...(copy && { "if-none-match": copy.etag }) };
    const answer = await fetch(url, { headers, signal: AbortSignal.timeout(patience) });
    const body = await answer.text();
    this.counts.fetches += 1;
    const etag = answer.headers.get("etag");
    if (answer.status === 304 && copy) {
      this.counts.notModified += 1;
    } else if (answer.status === 503) {
      this.counts.unavailable += 1;
    } else if (answer.status !== 200 || etag === null) {
      this.complaints.push(`a feed was answered with ${answer.status}, ETag ${etag}`);
    } else if (!body.endsWith("END:VCALENDAR\r\n")) {
      this.complaints.push("a feed was cut");
    } else {
      if (copy?.etag === etag) this.complaints.push("a feed was sent again under the same ETag");
      this.#copies.set(url, { etag, body });
    }
  }
}
