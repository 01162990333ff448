import { describe, expect, test } from "vitest";
import { rows } from "../../../../test/support/effort.ts";
import type { SandboxOptions } from "../../src/server.ts";

import { at, idOf, items, noon, type Rig, startRig } from "../rig.ts";

/** Everything the owner can see, as the service returns it, without the port. */
async function everything(rig: Rig): Promise<readonly unknown[]> {
  const get = async (path: string) => {
    const { status, text } = await rig.call(`GET ${path}`);
    if (status !== 200) throw new Error(`${path} answered ${status}`);
    return JSON.parse(text.replaceAll(rig.sandbox.baseUrl.replace("/api/v3", ""), ""));
  };
  const parts = [
    rig.sandbox.keys,
    await get("/people"),
    await get("/projects"),
    await get("/labels"),
  ];
  for (const { project, lists, folders } of rig.sandbox.workspace.places()) {
    parts.push(await get(`/projects/${project}/events?view=all`));
    for (const folder of folders)
      parts.push(await get(`/projects/${project}/folders/${folder}/files`));
    for (const list of lists) {
      const path = `/projects/${project}/todolists/${list}/tasks`;
      const tasks = await get(path);
      parts.push(tasks);
      for (const task of items(tasks)
        .filter((it) => Number(at(it, "sub_tasks")) > 0)
        .slice(0, 5))
        parts.push(await get(`${path}/${idOf(task)}/subtasks`));
    }
  }
  return parts;
}

async function eventsOf(options: Partial<SandboxOptions> = {}): Promise<readonly EventLike[]> {
  const rig = await startRig({ size: "s", ...options });
  const [owner] = rig.sandbox.keys;
  return rig.sandbox.workspace
    .places()
    .flatMap(({ project }) =>
      rig.sandbox.workspace.events.list({ by: owner?.personId ?? 0, project }, { view: "all" }),
    );
}

interface EventLike {
  readonly title: string;
  readonly start: string;
  readonly end?: string;
  readonly all_day: boolean;
  readonly milestone: boolean;
  readonly completed: boolean;
  readonly private: boolean;
  readonly reminder: number | null;
  readonly creator: { readonly id: number };
}

describe("seedWorkspace()", () => {
  test("gives the same workspace for the same seed and clock, and another for another seed", async () => {
    const first = await everything(await startRig({ size: "s", seed: 7 }));
    const again = await everything(await startRig({ size: "s", seed: 7 }));
    const other = await everything(await startRig({ size: "s", seed: 8 }));
    expect(again).toEqual(first);
    expect(other).not.toEqual(first);
    expect(other[0]).not.toEqual(first[0]);
  });

  test("differs later on the same day only in the reminder to come", async () => {
    const early = await eventsOf();
    const late = await eventsOf({ clock: () => noon.add({ hours: 5 }) });
    const differing = early.filter(
      (it, index) => JSON.stringify(it) !== JSON.stringify(late[index]),
    );
    expect(differing.map((it) => it.title)).toEqual(["Release call"]);
  });

  test("has a reminder one to two minutes after the start", async () => {
    const call = (await eventsOf()).find((it) => it.title === "Release call");
    const start = Temporal.PlainDateTime.from(call?.start ?? "").toZonedDateTime("Europe/Berlin");
    const due = start.toInstant().subtract({ minutes: call?.reminder ?? 0 });
    const wait = noon.until(due).total("seconds");
    expect(wait).toBeGreaterThan(60);
    expect(wait).toBeLessThanOrEqual(120);
  });

  test("has events of every kind the service knows", async () => {
    const events = await eventsOf();
    const today = "2026-03-10";
    const kinds: Readonly<Record<string, (it: EventLike) => boolean>> = {
      timed: (it) => !it.all_day && it.end !== undefined && it.end > it.start,
      "one whole day": (it) =>
        it.all_day && !it.milestone && it.end?.slice(0, 10) === it.start.slice(0, 10),
      "several whole days": (it) =>
        it.all_day && (it.end ?? "").slice(0, 10) > it.start.slice(0, 10),
      overnight: (it) => !it.all_day && (it.end ?? "").slice(0, 10) > it.start.slice(0, 10),
      "timed from 00:00 to 23:59": (it) =>
        !it.all_day && it.start.endsWith("00:00") && it.end?.endsWith("23:59") === true,
      "missing end": (it) => !("end" in it),
      "empty end": (it) => it.end === "",
      "end equal to start": (it) => it.end === it.start,
      "open milestone": (it) => it.milestone && !it.completed && it.start > today,
      "completed milestone": (it) => it.completed,
      "overdue milestone": (it) => it.milestone && !it.completed && it.start < today,
      "without reminder": (it) => it.reminder === null,
      "reminder at the start": (it) => it.reminder === 0,
      "right-to-left": (it) => /\p{Script=Arabic}/u.test(it.title),
      emoji: (it) => /\p{Extended_Pictographic}/u.test(it.title),
      "very long title": (it) => it.title.length > 200,
      "today or later": (it) => it.start >= today,
      past: (it) => it.start < today,
    };
    for (const [kind, is] of Object.entries(kinds))
      expect(`${kind}: ${events.some(is)}`).toBe(`${kind}: true`);
    const owners = new Set(events.filter((it) => it.private).map((it) => it.creator.id));
    expect(owners.size).toBeGreaterThanOrEqual(3);
  });

  test("has events on both sides of the next two clock changes, and inside them", async () => {
    const starts = (await eventsOf()).map((it) => it.start);
    for (const start of ["2026-03-28 09:00", "2026-03-29 01:30", "2026-03-30 09:00"])
      expect(starts).toContain(start);
    for (const start of ["2026-10-24 09:00", "2026-10-25 02:30", "2026-10-26 09:00"])
      expect(starts).toContain(start);
  });

  test("works in a zone without clock changes", async () => {
    expect((await eventsOf({ timeZone: "UTC" })).length).toBeGreaterThan(20);
  });

  test("has tasks of every kind", async () => {
    const rig = await startRig({ size: "s" });
    const text = JSON.stringify(await everything(rig));
    const page = (await rig.call("GET /alltodo?completed=true&limit=1")).json;
    expect(at(page, "total_count")).toBe(300);
    for (const type of [
      "Currency",
      "Date",
      "Percentage",
      "Text",
      "Textarea",
      "Numbers",
      "Tags",
      "Dropdown",
    ])
      expect(text).toMatch(new RegExp(`"type":"${type}","value":[^,]*[\\w]`));
    expect(text).toMatch(/"rrule":"FREQ=WEEKLY/);
    expect(text).toMatch(/\p{Script=Hebrew}/u);
    for (const part of ["\u2028", "<strong>", '\\"this\\"', "C:\\\\temp", "; a, b; ", "\\n", "👜"])
      expect(text).toContain(part);
  });

  test.each([
    ["s", 3, 10, 300],
    ["m", 20, 100, 5000],
  ] as const)(
    "size %s has %i projects, %i todolists, %i tasks",
    async (size, projects, lists, tasks) => {
      const rig = await startRig({ size });
      const places = rig.sandbox.workspace.places();
      expect(places).toHaveLength(projects);
      expect(places.flatMap((it) => it.lists)).toHaveLength(lists);
      const page = (await rig.call("GET /alltodo?completed=true&limit=1")).json;
      expect(at(page, "total_count")).toBe(tasks);
    },
  );

  test("replaces single counts of a size", async () => {
    const counts = { tasks: 320, eventsOfFirst: 150, parents: 0 };
    const [rig, usual] = [await startRig({ size: "s", counts }), await startRig({ size: "s" })];
    const eventsIn = ({ sandbox: { keys, workspace } }: Rig) =>
      workspace.places().map(({ project }) => {
        const by = keys[0]?.personId ?? 0;
        return workspace.events.list({ by, project }, { view: "all" }).length;
      });
    const [first = 0, ...others] = eventsIn(usual);
    expect(eventsIn(rig)).toEqual([first + 150, ...others]);
    const page = (await rig.call("GET /alltodo?completed=true&limit=1")).json;
    expect(at(page, "total_count")).toBe(320);
  });

  const sizes = [
    ["m", 20],
    ["l", 200],
  ] as const;
  test.each(rows(sizes, 2))("size %s starts with %i projects and lists", async (size, projects) => {
    const rig = await startRig({ size });
    expect(rig.sandbox.workspace.places()).toHaveLength(projects);
    const tasks = await rig.call("GET /projects/2001/todolists/3001/tasks");
    expect(items(tasks.json).length).toBeGreaterThan(40);
  });

  test("has people and places and nothing in them when it is empty", async () => {
    const rig = await startRig({ size: "empty" });
    expect(rig.sandbox.keys.map((it) => it.role)).toEqual([
      "owner",
      "member",
      "member",
      "member",
      "member",
      "client",
    ]);
    const [, , , labels, ...rest] = await everything(rig);
    expect([labels, ...rest].every((it) => items(it).length === 0)).toBe(true);
  });
});
