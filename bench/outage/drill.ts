import { join } from "node:path";
import type { Sandbox } from "@dayferry/sandbox";
import Database from "better-sqlite3";
import { z } from "zod";
import { type Daemon, install, serve } from "../../test/support/dayferry.ts";
import { eventuallyWithin } from "../../test/support/eventually.ts";
import { ownerOf, testSandbox } from "../../test/support/sandbox.ts";

/** How long an outage is played, and how much comes in meanwhile. */
export interface OutagePlan {
  /** Edits that are accepted while the service is down. */
  readonly edits: number;
  /** What the service takes in a second. */
  readonly perSecond: number;
  /** Ends by SIGKILL while the edits go out. */
  readonly kills: number;
  /** Edits that somebody makes while the others go out. */
  readonly fresh: number;
}

/** What came of it; times in milliseconds, memory in MB of 2^20 octets. */
export interface OutageOutcome {
  readonly accepted: number;
  readonly drainedMs: number;
  /** The most requests that the service saw within one second, and those that it turned away. */
  readonly mostPerSecond: number;
  readonly tooMany: number;
  /** From the answer to an edit that is made while the others go out to its arrival. */
  readonly freshMs: readonly number[];
  /** By path, while everything waits and while it goes out. */
  readonly pagesMs: ReadonlyMap<string, readonly number[]>;
  readonly mostMemory: number;
  /** What is not as people have asked for last. */
  readonly wrong: readonly string[];
  /** Edits by state in the end. */
  readonly states: Readonly<Record<string, number>>;
}

/** What somebody wants of an item in the end. */
interface Wish {
  readonly uid: string;
  readonly kind: "day" | "hour" | "milestone" | "task";
  readonly title: string | null;
}

/** Steps of one item, in turns: what is made, changed twice, and taken back. */
const courses = ["c", "cu", "cuu", "cud", "c", "cuu", "cd", "cu"] as const;
const kinds = ["day", "hour", "milestone", "task"] as const;
/** Items in one file. */
const filed = 40;
/** One item of so many comes by a calendar program, one by one. */
const putEvery = 5;

/**
 * A service that was down for a week while people went on: edits of every kind by a calendar program and by the API, several of the
 * same item, then the service is back, and the daemon is killed in between. Both are processes of their own as people have them.
 */
export async function playOutage(plan: OutagePlan): Promise<OutageOutcome> {
  const { perSecond } = plan;
  const sandbox = await testSandbox({ quota: { requests: perSecond, perMs: 1000 } });
  const here = install(sandbox, {
    service: { quota: { requests: perSecond, per: "PT1S" }, timeout: "PT5S" },
  });
  const [place] = sandbox.workspace.places();
  const [project, list] = [place?.project ?? 0, place?.lists[0] ?? 0];
  let daemon = await serve(here, { ready: false });
  const restart = async (signal: NodeJS.Signals) => {
    await daemon.stop(signal);
    daemon = await serve(here, { ready: false });
  };
  try {
    await eventuallyWithin(60_000, "the workspace is known", () => isFresh(daemon));
    sandbox.faults.add({ kind: "drop-before", times: Number.MAX_SAFE_INTEGER });
    const program = await programOf(daemon, ownerOf(sandbox));
    const { accepted, wishes } = await fill({ daemon, program, project, list, edits: plan.edits });
    await approveHeld(daemon);
    await daemon.stop("SIGKILL");
    makeOlder(join(here.dataDir, "dayferry.sqlite"));
    daemon = await serve(here, { ready: false });

    const pages = createPageTimes();
    await pages.look(daemon, 5);
    sandbox.requests.clear();
    sandbox.faults.clear();
    const began = performance.now();
    const freshMs: number[] = [];
    const freshTitles: string[] = [];
    let mostMemory = 0;
    for (let nth = 0; nth < plan.fresh; nth++) {
      const title = `Fresh ${nth}`;
      if (plan.kills > 0 && nth > 0 && nth % Math.ceil(plan.fresh / (plan.kills + 1)) === 0) {
        mostMemory = Math.max(mostMemory, daemon.memory());
        await restart("SIGKILL");
      }
      const sent = performance.now();
      await upload(daemon, { project, list, body: calendar([{ uid: title, kind: "day", title }]) });
      freshTitles.push(title);
      await eventuallyWithin(60_000, `${title} arrives`, () =>
        titlesIn(sandbox, project).includes(title) ? true : null,
      );
      freshMs.push(performance.now() - sent);
      await pages.look(daemon, 1);
    }
    await eventuallyWithin(3_600_000, "everything has gone", async () =>
      (await waiting(daemon)) === 0 ? true : null,
    );
    const drainedMs = performance.now() - began;
    mostMemory = Math.max(mostMemory, daemon.memory());
    const states = await editsByState(daemon);
    return {
      accepted,
      drainedMs,
      mostPerSecond: sandbox.requests.maxInWindow(1000),
      tooMany: sandbox.requests.entries().filter(({ status }) => status === 429).length,
      freshMs,
      pagesMs: pages.times,
      mostMemory,
      wrong: wrongIn(sandbox, { project, list, wishes, freshTitles }),
      states,
    };
  } finally {
    await daemon.stop("SIGKILL");
    await sandbox.close();
    here.dispose();
  }
}

async function isFresh(daemon: Daemon): Promise<true | null> {
  const answer = await daemon.ask("/readyz");
  return Object(await answer.json()).fresh === true ? true : null;
}

/** By their counts: a list of thousands, asked for again and again, would take the daemon's time from what is measured. */
async function waiting(daemon: Daemon): Promise<number> {
  const { pending = 0, claimed = 0 } = await editsByState(daemon);
  return pending + claimed;
}

/** States that no edit is in are left out. */
async function editsByState(daemon: Daemon): Promise<Readonly<Record<string, number>>> {
  const status = await (await daemon.ask("/api/status")).json();
  return z.object({ journal: z.record(z.string(), z.number()) }).parse(status).journal;
}

/** Many deletions at once wait for somebody who agrees. */
async function approveHeld(daemon: Daemon): Promise<void> {
  for (;;) {
    const { edits } = Object(await (await daemon.ask("/api/edits?state=held")).json());
    if (edits.length === 0) return;
    for (const { id } of edits) {
      const answer = await daemon.ask(`/api/edits/${id}/approve`, { method: "POST" });
      if (!answer.ok) throw new Error(`edit ${id} was not approved: ${await answer.text()}`);
      await answer.body?.cancel();
    }
  }
}

type Program = (path: string, body: string) => Promise<Response>;

/** A calendar program with the app password of a person. */
async function programOf(daemon: Daemon, person: number): Promise<Program> {
  const answer = await daemon.ask(`/api/people/${person}/password`, { method: "POST" });
  const { password } = Object(await answer.json());
  const authorization = `Basic ${Buffer.from(`${person}:${password}`).toString("base64")}`;
  return (path, body) =>
    fetch(`${daemon.url}/dav/calendars/${person}/${path}`, {
      method: "PUT",
      headers: { authorization, "content-type": "text/calendar; charset=utf-8" },
      body,
    });
}

interface Filling {
  readonly daemon: Daemon;
  readonly program: Program;
  readonly project: number;
  readonly list: number;
  readonly edits: number;
}

/** Everybody goes on while the service is down. */
async function fill(at: Filling) {
  const { daemon, program, project, list, edits } = at;
  const wishes: Wish[] = [];
  let accepted = 0;
  for (let item = 0; accepted < edits; item += filed) {
    const some = Array.from({ length: filed }, (_, nth) => {
      const number = item + nth;
      const kind = kinds[number % kinds.length] ?? "day";
      const course = courses[Math.floor(number / kinds.length) % courses.length] ?? "c";
      return { uid: `wish-${number}`, kind, course, byProgram: number % putEvery === 0 };
    });
    const last = new Map<string, Wish>();
    for (const step of [0, 1, 2]) {
      const now = some.flatMap(({ uid, kind, course, byProgram }) => {
        const sort = course[step];
        if (sort === undefined) return [];
        const title = sort === "d" ? null : `${uid} ${step}`;
        return [{ wish: { uid, kind, title }, byProgram }];
      });
      for (const { wish } of now) last.set(wish.uid, wish);
      for (const { wish } of now.filter(({ byProgram }) => byProgram)) {
        const folder = wish.kind === "task" ? `tasks-${list}` : `events-${project}`;
        // What a program has put is taken back by the API, as by someone else.
        if (wish.title === null) await upload(daemon, { project, list, body: calendar([wish]) });
        else await put(program, { path: `${folder}/${wish.uid}.ics`, body: calendar([wish]) });
        accepted += 1;
      }
      const filedNow = now.flatMap(({ wish, byProgram }) => (byProgram ? [] : [wish]));
      if (filedNow.length === 0) continue;
      await upload(daemon, { project, list, body: calendar(filedNow) });
      accepted += filedNow.length;
    }
    wishes.push(...last.values());
  }
  return { accepted, wishes };
}

async function put(
  program: Program,
  { path, body }: { readonly path: string; readonly body: string },
): Promise<void> {
  const answer = await program(path, body);
  if (!answer.ok) throw new Error(`PUT ${path}: ${answer.status} ${await answer.text()}`);
  await answer.body?.cancel();
}

async function upload(
  daemon: Daemon,
  {
    project,
    list,
    body,
  }: { readonly project: number; readonly list: number; readonly body: string },
): Promise<void> {
  const answer = await daemon.ask(`/api/edits?project=${project}&list=${list}`, {
    method: "POST",
    headers: { "content-type": "text/calendar" },
    body,
  });
  const text = await answer.text();
  if (answer.status !== 202 || !/"refused":\s?0/.test(text)) {
    throw new Error(`an upload was answered ${answer.status}: ${text.slice(0, 2000)}`);
  }
}

const calendar = (wishes: readonly Wish[]): string =>
  [
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    "PRODID:-//outage//EN",
    ...wishes.flatMap(componentOf),
    "END:VCALENDAR",
    "",
  ].join("\r\n");

function componentOf({ uid, kind, title }: Wish): readonly string[] {
  const name = kind === "task" ? "VTODO" : "VEVENT";
  return [
    `BEGIN:${name}`,
    `UID:${uid}@outage.example`,
    "DTSTAMP:20261116T060000Z",
    ...(kind === "task" ? ["DUE;VALUE=DATE:20270115"] : []),
    ...(kind === "hour" ? ["DTSTART:20270115T090000Z", "DTEND:20270115T100000Z"] : []),
    ...(kind === "day" || kind === "milestone" ? ["DTSTART;VALUE=DATE:20270115"] : []),
    ...(kind === "milestone" ? ["CATEGORIES:Milestone"] : []),
    `SUMMARY:${title ?? uid}`,
    ...(title === null ? ["STATUS:CANCELLED"] : []),
    `END:${name}`,
  ];
}

/** As if the service had been down for a week: each edit was made some days ago, in their order. */
function makeOlder(file: string): void {
  const db = new Database(file);
  db.exec(
    "UPDATE edits SET created_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-7 days', printf('+%d seconds', id))",
  );
  db.close();
}

function createPageTimes() {
  const times = new Map<string, number[]>();
  const paths = [
    "/",
    "/edits",
    "/status",
    "/api/status",
    "/api/edits?state=pending&limit=100",
    "/healthz",
  ];
  return {
    times,
    async look(daemon: Daemon, often: number): Promise<void> {
      const entered = await fetch(`${daemon.url}/?token=${daemon.token}`, { redirect: "manual" });
      const [cookie = ""] = (entered.headers.get("set-cookie") ?? "").split(";", 1);
      for (const path of paths.flatMap((one) => Array.from({ length: often }, () => one))) {
        const began = performance.now();
        const answer = path.startsWith("/api")
          ? await daemon.ask(path)
          : await fetch(`${daemon.url}${path}`, { headers: { cookie } });
        await answer.arrayBuffer();
        if (answer.status !== 200) throw new Error(`${path} was answered ${answer.status}`);
        times.set(path, [...(times.get(path) ?? []), performance.now() - began]);
      }
    },
  };
}

const titlesIn = ({ workspace, ...sandbox }: Sandbox, project: number): readonly string[] =>
  workspace.events
    .list({ by: ownerOf({ ...sandbox, workspace }), project }, { view: "all" })
    .map(({ title }) => title);

/** What is missing, there twice, there although it was deleted, or not as it was asked for last. */
function wrongIn(
  sandbox: Sandbox,
  {
    project,
    list,
    wishes,
    freshTitles,
  }: {
    readonly project: number;
    readonly list: number;
    readonly wishes: readonly Wish[];
    readonly freshTitles: readonly string[];
  },
): readonly string[] {
  const by = ownerOf(sandbox);
  const tasks = sandbox.workspace.tasks.list({ by, project, list }).map(({ title }) => title);
  const there = [...titlesIn(sandbox, project), ...tasks];
  const expected = [...wishes.flatMap(({ title }) => title ?? []), ...freshTitles];
  const counts = new Map<string, number>();
  for (const title of there) counts.set(title, (counts.get(title) ?? 0) + 1);
  const wanted = new Set(expected);
  return [
    ...expected.flatMap((title) => {
      const count = counts.get(title) ?? 0;
      return count === 1 ? [] : [`${title} is there ${count} times`];
    }),
    ...there.filter((title) => !wanted.has(title)).map((title) => `${title} is there`),
  ];
}
