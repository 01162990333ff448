import { join } from "node:path";
import type { Sandbox } from "@dayferry/sandbox";
import Database from "better-sqlite3";
import type { MailServer } from "../../test/mail/support.ts";
import { eventuallyWithin } from "../../test/support/eventually.ts";
import { firstInstallation } from "./first-database.ts";
import { judgeGrowth, type Sample } from "./judge-growth.ts";
import type { Life, Wish } from "./life.ts";
import type { Programs, Subscriber } from "./programs.ts";
import type { SoakDaemon } from "./soak-daemon.ts";

/** What was promised, what came of it in figures, and every case in which it was broken, in a sentence each. */
export interface Verdict {
  readonly promise: string;
  readonly figures: string;
  readonly broken: readonly string[];
}

interface Soaked {
  readonly life: Life;
  readonly daemon: SoakDaemon;
  readonly sandbox: Sandbox;
  readonly samples: readonly Sample[];
  readonly clock: () => Temporal.Instant;
  readonly subscriber: Subscriber;
  readonly programs: Programs | null;
  readonly mails: MailServer;
}

/** Every promise with its verdict, after everything has come to rest. */
export async function judge(soaked: Soaked): Promise<readonly Verdict[]> {
  const program = await programShows(soaked);
  return [
    await noneLost(soaked),
    noneTwice(soaked),
    notesKept(soaked),
    await feedsShow(soaked),
    ...(program ? [program] : []),
    remindedOnce(soaked),
    {
      promise: "everything asked for was answered as promised",
      figures: tallied(soaked.life.tally),
      broken: [...soaked.life.complaints, ...soaked.subscriber.complaints],
    },
    await oldForgotten(soaked),
    ...judgeGrowth(soaked),
  ];
}

/** Edits that were accepted and neither are in the workspace as wished nor wait for a person. */
async function noneLost({ life }: Soaked): Promise<Verdict> {
  const waiting = new Set([
    ...life.forgotten,
    ...[...(await life.edits("parked")), ...(await life.edits("held"))].map(({ item }) => item.uid),
  ]);
  const there = Map.groupBy(life.events(), ({ title }) => title);
  const wrong = (wish: Wish): string | null => {
    const found = there.get(wish.title) ?? [];
    if (waiting.has(wish.uid) && found.length <= 1) return null;
    if (wish.isGone) return found.length === 0 ? null : "is there, although it was deleted";
    const [event] = found;
    if (!event) return "is not in the workspace";
    if (found.length > 1) return `is in the workspace ${found.length} times`;
    return event.start === wish.start ? null : `begins at ${event.start}, not at ${wish.start}`;
  };
  const { wishes } = life;
  const gone = wishes.filter(({ isGone }) => isGone).length;
  return {
    promise: "no edit is lost, and none is at a wrong instant",
    figures: `${wishes.length} events wished, ${gone} of them deleted, ${waiting.size} wait for a person`,
    broken: wishes.flatMap((wish) => {
      const what = wrong(wish);
      return what === null ? [] : [`"${wish.title}" (${wish.uid}) ${what}`];
    }),
  };
}

/** What is in the workspace more than once, or that nobody wished. */
function noneTwice({ life }: Soaked): Verdict {
  const events = life.events();
  const wished = new Set(life.wishes.map(({ title }) => title));
  const counts = new Map<string, number>();
  for (const { title } of events) counts.set(title, (counts.get(title) ?? 0) + 1);
  const twice = [...counts].filter(([, count]) => count > 1);
  const strays = life.forgotten.size > 0 ? [] : events.filter(({ title }) => isStray(title));
  function isStray(title: string): boolean {
    return !title.startsWith("Work") && !wished.has(title);
  }
  return {
    promise: "nothing is there twice, and nothing that nobody wished",
    figures: `${events.length} events`,
    broken: [
      ...twice.map(([title, count]) => `"${title}" is in the workspace ${count} times`),
      ...strays.map(({ title }) => `"${title}" is in the workspace, and nobody wishes it now`),
    ],
  };
}

/** Words that others have written into events that were edited by files. */
function notesKept({ life }: Soaked): Verdict {
  const now = new Map(life.events().map(({ id, description }) => [id, description]));
  return {
    promise: "what others have changed of an event stays when it is edited",
    figures: `${life.notes.size} events`,
    broken: [...life.notes].flatMap(([id, note]) => {
      const there = now.get(id);
      return there === undefined || there === note
        ? []
        : [`event ${id} says ${there}, not ${note}`];
    }),
  };
}

/** What subscribers have, by what is in the workspace: titles and days of events and tasks. */
async function feedsShow({ life, subscriber }: Soaked): Promise<Verdict> {
  const held = () => [
    ...life.events().map(({ title, start }) => `${title} at ${start}`),
    ...life.tasks().flatMap(({ title, dueOn }) => (dueOn ? [`${title} at ${dueOn} 00:00`] : [])),
  ];
  let left: readonly string[] = [];
  await eventuallyWithin(60_000, "feeds show what the workspace holds", async () => {
    await subscriber.poll();
    left = symmetric(subscriber.bodies().flatMap(entriesOf), held());
    return left.length === 0 ? true : null;
  }).catch(() => false);
  const { fetches, notModified, unavailable } = subscriber.counts;
  return {
    promise: "subscribers have what the workspace holds, at its instants",
    figures: `${held().length} entries; ${fetches} fetches, ${notModified} of them 304, ${unavailable} of them 503`,
    broken: left.map((entry) => `feeds and workspace differ in ${entry}`),
  };
}

/** Title and start of each component of a feed, the start as the service tells it. */
function entriesOf(body: string): readonly string[] {
  const lines = body.replaceAll("\r\n ", "");
  return [...lines.matchAll(/BEGIN:VEVENT\r\n(.*?)END:VEVENT/gs)].map(([, component = ""]) => {
    const title = /^SUMMARY:(.*?)\r$/m.exec(component)?.[1] ?? "";
    const [, day = "", time = "0000"] = /^DTSTART[^:]*:(\d{8})(?:T(\d{4}))?/m.exec(component) ?? [];
    const date = `${day.slice(0, 4)}-${day.slice(4, 6)}-${day.slice(6)}`;
    return `${title} at ${date} ${time.slice(0, 2)}:${time.slice(2)}`;
  });
}

/** The folder of the calendar program, by what the project holds. */
async function programShows({ life, programs, sandbox }: Soaked): Promise<Verdict | null> {
  if (!programs) return null;
  const project = sandbox.workspace.places()[0]?.project;
  let left: readonly string[] = [];
  await eventuallyWithin(60_000, "the program shows what the workspace holds", async () => {
    if (!(await programs.sync()) || (await life.waiting()) > 0) return null;
    const held = life.events().filter((event) => event.project === project);
    left = symmetric(
      programs.titles(),
      held.map(({ title }) => title),
    );
    return left.length === 0 ? true : null;
  }).catch(() => {
    left = [...left, `the last failure: ${programs.lastFailure}`];
  });
  const { syncs, failed } = programs.counts;
  return {
    promise: "a calendar program (vdirsyncer, khal) has what the project holds",
    figures: `${syncs} syncs, ${failed} of them ended badly, ${programs.titles().length} events`,
    broken: left.map((title) => `program and workspace differ in ${title}`),
  };
}

/** Mails by the tasks that they name; the same mail again is allowed after a kill between sending and noting it. */
function remindedOnce({ life, mails, clock, samples }: Soaked): Verdict {
  // What is due on one day for one person comes in one mail.
  const ids = new Map<string, Set<string>>();
  const mailed = new Map<string, number>();
  for (const { octets } of mails.received) {
    const text = octets
      .toString("utf8")
      .replaceAll("=\r\n", "")
      .replaceAll(/\r\n[ \t]/g, " ");
    const id = /^Message-ID:\s*(\S+)/im.exec(text)?.[1] ?? "";
    const isOfTasks = !/^Subject: Dayferry/m.test(text);
    const titles = new Set(isOfTasks ? (text.match(/\bTask \d+/g) ?? []) : []);
    for (const title of titles) ids.set(title, (ids.get(title) ?? new Set()).add(id));
    mailed.set(id, (mailed.get(id) ?? 0) + 1);
  }
  const now = clock();
  const due = life.dues.filter(({ madeAt, remindAt }) => {
    const isKnownInTime = Temporal.Instant.compare(madeAt.add({ hours: 6 }), remindAt) < 0;
    return isKnownInTime && Temporal.Instant.compare(remindAt.add({ hours: 13 }), now) < 0;
  });
  const expected = due.filter(({ remindAt }) => keptUp(remindAt, samples));
  const repeated = mails.received.length - mailed.size;
  return {
    promise: "a reminder is mailed once",
    figures: `${due.length} due, ${due.length - expected.length} of them while the machine could not keep up, ${mails.received.length} mails, ${repeated} of them repeated under one Message-ID`,
    broken: [
      ...expected.flatMap(({ title, remindAt }) =>
        ids.has(title) ? [] : [`nobody was reminded of "${title}" at ${remindAt.toString()}`],
      ),
      ...[...ids].flatMap(([title, of]) =>
        of.size === 1 ? [] : [`"${title}" was mailed ${of.size} times`],
      ),
      ...(repeated > life.tally.kills + life.tally.restarts + 2
        ? [`${repeated} mails were repeated, which a kill explains once`]
        : []),
    ],
  };
}

/** Whether no hour before and after a moment was late: a daemon that is down for a few hours of the week is down for as long as the machine takes. */
function keptUp(moment: Temporal.Instant, samples: readonly Sample[]): boolean {
  const [from, until] = [moment.subtract({ hours: 6 }), moment.add({ hours: 12 })];
  const around = samples.filter(
    ({ at }) => Temporal.Instant.compare(at, from) > 0 && Temporal.Instant.compare(at, until) < 0,
  );
  return around.length >= 12 && around.every(({ lateHours }) => lateHours < 1);
}

/** What the first version had kept, and what has been forgotten of it in time. */
async function oldForgotten({ daemon, clock, life }: Soaked): Promise<Verdict> {
  const newest = await life.token();
  const [, epoch = ""] = /^(urn:dayferry:sync:[0-9a-f]{32}):/.exec(newest) ?? [];
  const answer = await life.sync(`${epoch}:1`);
  const isRefused = answer.status === 403 && answer.body.includes("valid-sync-token");
  const db = new Database(join(daemon.dataDir, "dayferry.sqlite"), { readonly: true });
  try {
    const fact = db.prepare("SELECT value FROM meta WHERE name = ?").pluck();
    const before = clock()
      .subtract({ hours: 24 * 100 })
      .toString();
    const old = Number(db.prepare("SELECT count(*) FROM changes WHERE at < ?").pluck().get(before));
    const floor = Number(fact.get("complete_from"));
    const whole = db.pragma("integrity_check", { simple: true });
    return {
      promise: "the first version's database goes on, and is compacted in time",
      figures: `${old} of 5000 old changes are left, sync-tokens hold from revision ${floor}`,
      broken: [
        ...(fact.get("installation") === firstInstallation ? [] : ["the installation has changed"]),
        // The newest of them is kept, so that numbers go on from there.
        ...(old <= 1 ? [] : [`${old} changes of long ago are still kept`]),
        ...(floor > 1 ? [] : ["the floor of sync-tokens has not moved"]),
        ...(isRefused ? [] : [`a token below the floor was answered with ${answer.status}`]),
        ...(whole === "ok" ? [] : [`the database is damaged: ${String(whole)}`]),
      ],
    };
  } finally {
    db.close();
  }
}

function symmetric(some: readonly string[], others: readonly string[]): readonly string[] {
  const count = new Map<string, number>();
  for (const one of some) count.set(one, (count.get(one) ?? 0) + 1);
  for (const one of others) count.set(one, (count.get(one) ?? 0) - 1);
  return [...count].flatMap(([title, left]) => (left === 0 ? [] : [title]));
}

const tallied = (tally: Readonly<Record<string, number>>): string =>
  Object.entries(tally)
    .map(([what, count]) => `${count} ${what}`)
    .join(", ");
