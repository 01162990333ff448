import { expect, it } from "vitest";
import { rows } from "../../support/effort.ts";
import { eventually } from "../../support/eventually.ts";
import { killableDaemon } from "./killable-daemon.ts";
import type { CalendarProgram } from "./program.ts";
import { newText } from "./text.ts";

// The daemon's own process dies right after it answered a program: with a creation, a change, a deletion and two moves
// that are unsent, under way, or done without anybody knowing. Everything answered is kept.

const titles = ["changed", "deleted", "moved"] as const;
const calendarType = { "content-type": "text/calendar; charset=utf-8" };

const rig = killableDaemon({
  agent: "Follower/1",
  service: { quota: { requests: 200, per: "PT0.5S" }, timeout: "PT4S" },
});

interface Cell {
  readonly name: string;
  /** Intercepts each changing request. */
  readonly fault: "hang-before" | "hang-after" | null;
  /** Whether the daemon may die now. */
  readonly isTime: (cell: string) => boolean;
}

const methods = ["POST", "PUT", "DELETE"];
const cells: readonly Cell[] = [
  { name: "answered", fault: null, isTime: () => true },
  { name: "sent", fault: "hang-before", isTime: () => writes().length >= 4 },
  { name: "carried out", fault: "hang-after", isTime: (cell) => steps(cell) >= 4 },
];

it.each(rows(cells, 2))(
  "kill -9 after a response to $name: the octets stay, the edits reach the workspace once, and old tokens report them",
  async ({ name, fault, isTime }) => {
    const ids = prepare(name);
    await rig.sweep();
    const program = rig.newProgram();
    await program.discover();
    await eventually("the items are shown", async () => {
      await syncAll(program);
      return titlesIn(program).filter((title) => title.endsWith(` ${name}`)).length === 4
        ? true
        : null;
    });
    const pasts = new Map(
      [...program.calendars].map(([slug, { pasts: known }]) => [slug, known.at(-1)]),
    );

    rig.sandbox.requests.clear();
    for (const method of fault ? methods : []) {
      if (fault) rig.sandbox.faults.add({ kind: fault, method, times: 9 });
    }
    const put = await editAll(program, name);
    await eventually("it is time to die", () => (isTime(name) ? true : null));
    await rig.kill();
    rig.sandbox.faults.clear();
    await rig.start();

    const reader = rig.newProgram();
    await reader.discover();
    await expectShown(reader, put);
    await eventually("every edit is confirmed", async () => {
      const states = await rig.states();
      return states.every((state) => state === "confirmed") ? true : null;
    });
    await expectShown(reader, put);
    expectOnce(name, ids);

    await syncAll(reader);
    for (const [slug, { copies }] of reader.calendars) {
      const past = pasts.get(slug);
      if (!past) throw new Error(`${slug} had no token`);
      const now = new Map([...copies].map(([member, { etag }]) => [member, etag]));
      expect(await reader.sinceThen(slug, past), slug).toEqual(now);
    }
  },
);

interface Kept {
  readonly slug: string;
  readonly member: string;
  readonly etag: string | undefined;
  readonly octets: string;
}

/** A creation, a change, a deletion, a move of a task and one of an event, all of them answered. */
async function editAll(program: CalendarProgram, cell: string): Promise<readonly Kept[]> {
  const [near, far] = places();
  const tasks = `tasks-${near.list}`;
  const fresh = newText({
    component: "VTODO",
    uid: `new-${cell.replace(" ", "-")}@example.com`,
    title: `new ${cell}`,
    day: "2027-03-01",
  });
  const created = { slug: tasks, member: `new ${cell}.ics`, octets: fresh };
  const { member, copy } = find(program, { slug: tasks, title: `changed ${cell}` });
  const octets = copy.octets.replace(/SUMMARY:.*/, `SUMMARY:done ${cell}\r`).replace("\r\r", "\r");
  const updated = { slug: tasks, member, octets: `${octets}` };
  const kept: Kept[] = [];
  for (const one of [created, updated]) {
    const answer = await program.call(`PUT ${program.address(one.slug, one.member)}`, {
      headers: calendarType,
      body: one.octets,
    });
    expect([201, 204]).toContain(answer.status);
    kept.push({ ...one, etag: answer.headers.etag });
    expect(answer.headers.etag).toMatch(/^"/);
  }
  const gone = find(program, { slug: tasks, title: `deleted ${cell}` });
  const headers = { "if-match": gone.copy.etag };
  const deleted = await program.call(`DELETE ${program.address(tasks, gone.member)}`, { headers });
  expect(deleted.status).toBe(204);
  for (const [from, to, title] of [
    [tasks, `tasks-${far.list}`, `moved ${cell}`],
    [`events-${near.project}`, `events-${far.project}`, `event ${cell}`],
  ] as const) {
    const { member: name } = find(program, { slug: from, title });
    const target = program.address(to, name);
    const answer = await program.call(`MOVE ${program.address(from, name)}`, {
      headers: { destination: target },
    });
    expect(answer.status).toBe(201);
    const shown = await program.call(`GET ${target}`);
    kept.push({ slug: to, member: name, etag: shown.headers.etag, octets: shown.text });
  }
  return kept;
}

async function expectShown(reader: CalendarProgram, kept: readonly Kept[]): Promise<void> {
  for (const { slug, member, etag, octets } of kept) {
    const now = await reader.call(`GET ${reader.address(slug, member)}`);
    expect([now.status, now.headers.etag, now.text], member).toEqual([200, etag, octets]);
  }
}

/** The workspace has the wishes of the cell once, and nothing else. */
function expectOnce(cell: string, ids: Readonly<Record<string, number>>): void {
  const [near, far] = places();
  const own = (title: string) => title.endsWith(` ${cell}`);
  const inList = ({ project, list }: ReturnType<typeof places>[number]) =>
    rig.sandbox.workspace.tasks
      .list({ by: rig.owner(), project, list })
      .filter(({ title }) => own(title))
      .map(({ title }) => title)
      .toSorted();
  expect(inList(near)).toEqual([`done ${cell}`, `new ${cell}`]);
  expect(inList(far)).toEqual([`moved ${cell}`]);
  const events = (project: number) =>
    rig.sandbox.workspace.events
      .list({ by: rig.owner(), project }, { view: "all" })
      .filter(({ title }) => own(title));
  expect(events(near.project)).toEqual([]);
  expect(events(far.project).map(({ title }) => title)).toEqual([`event ${cell}`]);
  const task = rig.sandbox.workspace.tasks.get({
    by: rig.owner(),
    ...near,
    task: ids["changed"] ?? 0,
  });
  expect(task.title).toBe(`done ${cell}`);
}

/** The items that a cell's edits need, by the first word of their titles. */
function prepare(cell: string): Readonly<Record<string, number>> {
  const [near] = places();
  const where = { by: rig.owner(), ...near };
  const { tasks, events } = rig.sandbox.workspace;
  const made = titles.map((title) => {
    const body = { title: `${title} ${cell}`, due_date: "2027-02-01" };
    return [title, tasks.create(where, body).id] as const;
  });
  const body = { title: `event ${cell}`, start: "2027-02-01", all_day: true };
  return { ...Object.fromEntries(made), event: events.create(where, body).id };
}

/** How many of the cell's edits the workspace has. */
function steps(cell: string): number {
  const [near, far] = places();
  const list = (at: typeof near) =>
    rig.sandbox.workspace.tasks.list({ by: rig.owner(), ...at }).map(({ title }) => title);
  const here = list(near);
  const events = rig.sandbox.workspace.events.list(
    { by: rig.owner(), project: far.project },
    { view: "all" },
  );
  return [
    here.includes(`new ${cell}`),
    !here.includes(`changed ${cell}`),
    !here.includes(`deleted ${cell}`),
    list(far).includes(`moved ${cell}`),
    events.some(({ title }) => title === `event ${cell}`),
  ].filter(Boolean).length;
}

const writes = () =>
  rig.sandbox.requests.entries().filter(({ method }) => methods.includes(method));

/** A list of each of two projects. */
function places() {
  const all = rig.sandbox.workspace
    .places()
    .map(({ project, lists: [list = 0] }) => ({ project, list }));
  const [near, far] = all;
  if (!near || !far) throw new Error("there are two projects");
  return [near, far] as const;
}

async function syncAll(program: CalendarProgram): Promise<void> {
  for (const slug of program.calendars.keys()) await program.sync(slug, {});
}

const titleOf = (octets: string): string => /\r?\nSUMMARY:(.*?)\r?\n/.exec(octets)?.[1] ?? "";

const titlesIn = (program: CalendarProgram): readonly string[] => [
  ...new Set(
    [...program.calendars.values()].flatMap(({ copies }) =>
      [...copies.values()].map(({ octets }) => titleOf(octets)),
    ),
  ),
];

function find(
  program: CalendarProgram,
  { slug, title }: { readonly slug: string; readonly title: string },
) {
  const copies = [...program.calendar(slug).copies];
  const found = copies.find(([, { octets }]) => titleOf(octets) === title);
  if (!found) throw new Error(`${slug} has no "${title}"`);
  const [member, copy] = found;
  return { member, copy };
}
