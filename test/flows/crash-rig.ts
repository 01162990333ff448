import { join } from "node:path";
import Database from "better-sqlite3";
import { expect } from "vitest";
import { type Daemon, type Installation, install, serve } from "../support/dayferry.ts";
import { eventually } from "../support/eventually.ts";
import { readBack } from "../support/read-back.ts";
import {
  ahead,
  CrashWorkspace,
  changedTitle,
  deeds,
  editsPerCell,
  type Kind,
  newTitle,
} from "./crash-workspace.ts";

/** Edits that keep every drain busy while others wait for their turn. */
const blockers = Array.from({ length: editsPerCell }, (_, at) => `blocker ${at}`);

interface Entry {
  readonly state: string;
  readonly attempts: number;
  readonly item: { readonly uid: string };
}

/** A daemon in a process of its own, and the ways to let it die with a cell's edits at a certain step. */
export class CrashRig {
  readonly workspace: CrashWorkspace;
  readonly #place: Installation;
  #uploads = 0;
  #daemon: Daemon;
  #feed = "";
  #installation = "";

  private constructor(
    workspace: CrashWorkspace,
    { place, daemon }: { readonly place: Installation; readonly daemon: Daemon },
  ) {
    this.workspace = workspace;
    this.#place = place;
    this.#daemon = daemon;
  }

  /** Makes what the edits of all cells need, and starts the daemon on it. */
  static async start(kind: Kind, cells: readonly string[]): Promise<CrashRig> {
    const own = cells.flatMap((cell) => deeds.map((deed) => `${deed} ${cell}`));
    const workspace = await CrashWorkspace.start(kind, [...own, ...blockers]);
    const place = install(workspace.sandbox, {
      service: { quota: { requests: 25, per: "PT2S" }, timeout: "PT4S" },
    });
    const rig = new CrashRig(workspace, { place, daemon: await serve(place) });
    await rig.#learnFeed();
    const [uid] = readBack(await rig.#body()).keys();
    rig.#installation = uid?.split("@")[1] ?? "";
    return rig;
  }

  async close(): Promise<void> {
    await this.kill();
    await this.workspace.sandbox.close();
    this.#place.dispose();
  }

  /** Hands in a creation, an update, a completion and a deletion, all in one file. */
  async edit(cell: string): Promise<void> {
    this.workspace.begin();
    await this.#upload([
      this.#component(newUid(cell), [`SUMMARY:${newTitle(cell)}`, this.#date()]),
      this.#component(this.#uid(`update ${cell}`), [`SUMMARY:${changedTitle(cell)}`]),
      this.#component(this.#uid(`complete ${cell}`), ["STATUS:COMPLETED"]),
      this.#component(this.#uid(`delete ${cell}`), ["STATUS:CANCELLED"]),
    ]);
  }

  /** Dies with the edits in the journal, where nobody has looked at them: all drains are busy. */
  async dieCommitted(cell: string): Promise<void> {
    const { workspace } = this;
    workspace.begin();
    for (const title of blockers) {
      workspace.sandbox.faults.add({ kind: "hang-before", path: workspace.pathTo(title) });
    }
    await this.#upload(
      blockers.map((title) => this.#component(this.#uid(title), [`SUMMARY:${title}, passed`])),
    );
    await workspace.seen("all drains are busy", (entries) =>
      blockers.every((title) => entries.some(({ path }) => workspace.pathTo(title).test(path))),
    );
    await this.edit(cell);
    await this.#until(cell, ({ state, attempts }) => state === "pending" && attempts === 0);
    await this.kill();
  }

  /** Dies with the edits claimed and their requests waiting, as the service has asked for a pause. */
  async dieClaimed(cell: string): Promise<void> {
    const { workspace } = this;
    workspace.begin();
    const headers = { "retry-after": "8" };
    workspace.sandbox.faults.add({ kind: "status", status: 429, headers });
    await workspace.seen("the service asks for a pause", (entries) =>
      entries.some(({ status }) => status === 429),
    );
    await this.edit(cell);
    await this.#until(cell, ({ state }) => state === "claimed");
    expect(workspace.writes(cell)).toEqual([]);
    await this.kill();
  }

  /** Dies when the answers have come and nothing of them could be written, as the database is busy. */
  async dieAnswered(cell: string): Promise<void> {
    const { workspace } = this;
    workspace.strike(cell, { kind: "delay", ms: 1500 });
    await this.edit(cell);
    await workspace.allSent(cell);
    const db = new Database(join(this.#place.dataDir, "dayferry.sqlite"));
    db.exec("BEGIN IMMEDIATE");
    await eventually("every answer has been sent", () =>
      workspace.writes(cell).every(({ status }) => status !== null) ? true : null,
    );
    const claimed = db.prepare("SELECT id FROM edits WHERE state = 'claimed'").all();
    await this.kill();
    db.close();
    expect(claimed).toHaveLength(editsPerCell);
  }

  /** Dies after all is done. */
  async dieConfirmed(cell: string): Promise<void> {
    await this.edit(cell);
    await this.#until(cell, ({ state }) => state === "confirmed");
    await this.kill();
  }

  async kill(): Promise<void> {
    await this.#daemon.stop("SIGKILL");
  }

  /** Starts the daemon anew, as a supervisor does, with nothing wrong at the service any more. */
  async restart(): Promise<void> {
    this.workspace.sandbox.faults.clear();
    this.#daemon = await serve(this.#place);
    await this.#learnFeed();
  }

  /** Expects each edit in the workspace once, and the feed to say so; `wasted`: creating requests without effect. */
  async expectOnce(cell: string, wasted: number): Promise<void> {
    const { workspace } = this;
    await this.#until(cell, ({ state }) => state === "confirmed");
    await eventually("nothing is left in the journal", async () =>
      (await this.#entries()).every(({ state }) => state === "confirmed") ? true : null,
    );
    expect(workspace.isCarriedOut(cell)).toBe(true);
    const posts = workspace.writes(cell).filter(({ method }) => method === "POST");
    expect(posts.filter(({ status }) => status !== 429)).toHaveLength(wasted + 1);

    const shown = await this.#shown();
    expect([...shown.values()].toSorted()).toEqual(workspace.items().map(describeItem).toSorted());
    expect(shown.get(newUid(cell))).toContain(newTitle(cell));
    expect(shown.get(this.#uid(`update ${cell}`))).toContain(changedTitle(cell));
    expect(shown.get(this.#uid(`complete ${cell}`))).toContain("done");
    expect(shown.has(this.#uid(`delete ${cell}`))).toBe(false);
  }

  async #learnFeed(): Promise<void> {
    const { feeds } = await this.#json<{ feeds: { projectId: number; url: string }[] }>(
      "/api/feeds",
    );
    const feed = feeds.find(({ projectId }) => projectId === this.workspace.place.project);
    if (!feed) throw new Error("the project has no feed");
    this.#feed = feed.url;
  }

  async #json<Body>(path: string): Promise<Body> {
    return JSON.parse(await (await this.#daemon.ask(path)).text());
  }

  async #body(): Promise<string> {
    return (await fetch(this.#feed)).text();
  }

  /** What the feed says of each item, by UID. */
  async #shown(): Promise<ReadonlyMap<string, string>> {
    const events = [...readBack(await this.#body()).values()];
    return new Map(
      events.map(({ uid, summary, start }) => {
        const title = summary.replace(/^[✓◆ ]+/u, "");
        return [uid, describeItem({ title, day: start, completed: summary.includes("✓") })];
      }),
    );
  }

  async #entries(): Promise<readonly Entry[]> {
    return (await this.#json<{ edits: readonly Entry[] }>("/api/edits")).edits;
  }

  /** Resolves when each of the cell's edits fits. */
  async #until(cell: string, fits: (entry: Entry) => boolean): Promise<void> {
    const uids = [newUid(cell), ...deeds.map((deed) => this.#uid(`${deed} ${cell}`))];
    await eventually(`the journal is as it should be for "${cell}"`, async () => {
      const own = (await this.#entries()).filter(({ item }) => uids.includes(item.uid));
      return own.length === editsPerCell && own.every(fits) ? own : null;
    });
  }

  async #upload(components: readonly string[]): Promise<void> {
    const lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//t//EN", ...components];
    const { project, list } = this.workspace.place;
    // More than ten deletions of one person within a minute would be held.
    const { keys } = this.workspace.sandbox;
    this.#uploads += 1;
    const person = keys[this.#uploads % 2]?.personId;
    const query = `project=${project}&list=${list}&person=${person}`;
    const answer = await this.#daemon.ask(`/api/edits?${query}`, {
      method: "POST",
      headers: { "content-type": "text/calendar" },
      body: [...lines, "END:VCALENDAR", ""].join("\r\n"),
    });
    const { errors } = JSON.parse(await answer.text());
    expect([answer.status, errors]).toEqual([202, []]);
  }

  #component(uid: string, lines: readonly string[]): string {
    const name = this.workspace.kind === "event" ? "VEVENT" : "VTODO";
    return [`BEGIN:${name}`, `UID:${uid}`, ...lines, `END:${name}`].join("\r\n");
  }

  #date(): string {
    const name = this.workspace.kind === "event" ? "DTSTART" : "DUE";
    return `${name};VALUE=DATE:${ahead(9).replaceAll("-", "")}`;
  }

  #uid(title: string): string {
    return `${this.workspace.kind}-${this.workspace.id(title)}@${this.#installation}`;
  }
}

const newUid = (cell: string): string => `${cell.replaceAll(" ", "-")}@example.com`;

const describeItem = ({
  title,
  day,
  completed,
}: {
  readonly title: string;
  readonly day: string;
  readonly completed: boolean;
}): string => `${title} on ${day}${completed ? ", done" : ""}`;
