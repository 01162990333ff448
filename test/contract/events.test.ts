import type { When } from "@dayferry/ical";
import { expect, test } from "vitest";
import { serviceId } from "../../src/domain/ids.ts";
import { edit, expectRefused, idOf, startPair, timeZone, worked } from "./pair.ts";

const zoned = (text: string) => Temporal.ZonedDateTime.from(`${text}[${timeZone}]`);
const day = (text: string) => Temporal.PlainDate.from(text);
const meeting: When = {
  kind: "times",
  start: zoned("2026-12-01T10:00"),
  end: zoned("2026-12-01T11:30"),
};
const threeDays: When = { kind: "dates", start: day("2026-12-01"), end: day("2026-12-04") };

test("events.create() sends a timed event and reads it back", async () => {
  const { upstream, sandbox, project, owner, person, last } = await startPair();
  const patch = {
    title: "Review",
    description: "Bring notes",
    when: meeting,
    reminder: Temporal.Duration.from({ minutes: 15 }),
    private: true,
    assigned: [person("member")],
  };
  const event = worked(await upstream.events.create({ projectId: project, patch }, edit));
  expect(last()).toEqual({
    method: "POST",
    path: `/projects/${project}/events`,
    query: "",
    status: 201,
    body: {
      title: "Review",
      description: "Bring notes",
      start: "2026-12-01T10:00:00+01:00",
      end: "2026-12-01T11:30:00+01:00",
      all_day: false,
      reminder: 15,
      private: true,
      assigned: [person("member")],
    },
  });
  expect(event).toMatchObject({
    kind: "event",
    projectId: project,
    title: "Review",
    description: "Bring notes",
    private: true,
    milestone: false,
    completed: false,
    assigned: [person("member")],
    creatorId: owner,
    byMe: true,
  });
  expect(JSON.stringify(event.when)).toBe(JSON.stringify(meeting));
  expect(event.reminder?.total("minutes")).toBe(15);
  const held = sandbox.workspace.events.get({ by: owner, project, event: idOf(event) });
  expect(held).toMatchObject({
    start: "2026-12-01 10:00",
    end: "2026-12-01 11:30",
    all_day: false,
    reminder: 15,
  });
});

test("events.update() sends only what changed and moves all times together", async () => {
  const { upstream, project, last } = await startPair();
  const patch = { title: "Fair", when: threeDays };
  const event = worked(await upstream.events.create({ projectId: project, patch }, edit));
  const place = { projectId: project, id: idOf(event) };
  expect(JSON.stringify(event.when)).toBe(JSON.stringify(threeDays));

  const oneDay: When = { kind: "dates", start: day("2026-12-08"), end: day("2026-12-09") };
  const moved = worked(await upstream.events.update({ ...place, patch: { when: oneDay } }, edit));
  expect(last()).toMatchObject({
    method: "PUT",
    status: 200,
    body: { start: "2026-12-08", end: "2026-12-08", all_day: true },
  });
  expect(JSON.stringify(moved.when)).toBe(JSON.stringify(oneDay));

  const pointed: When = { kind: "times", start: zoned("2026-12-09T09:00"), end: null };
  const timed = worked(await upstream.events.update({ ...place, patch: { when: pointed } }, edit));
  expect(JSON.stringify(timed.when)).toBe(JSON.stringify(pointed));

  const cleared = worked(
    await upstream.events.update({ ...place, patch: { description: null, reminder: null } }, edit),
  );
  expect(last().body).toEqual({ description: null, reminder: null });
  expect(cleared).toMatchObject({ title: "Fair", description: null, reminder: null });
});

test("events.update() turns an event of several days into a milestone of its first day", async () => {
  const { upstream, project } = await startPair();
  const patch = { title: "Launch", when: threeDays };
  const event = worked(await upstream.events.create({ projectId: project, patch }, edit));
  const milestone = worked(
    await upstream.events.update(
      { projectId: project, id: idOf(event), patch: { milestone: true, when: threeDays } },
      edit,
    ),
  );
  expect(milestone.milestone).toBe(true);
  expect(JSON.stringify(milestone.when)).toContain('"end":"2026-12-02"');
});

test("events.complete() completes and reopens a milestone, and is refused for other events", async () => {
  const { upstream, project, last } = await startPair();
  const create = (milestone: boolean) =>
    upstream.events.create(
      { projectId: project, patch: { title: "x", when: threeDays, milestone } },
      edit,
    );
  const milestone = { projectId: project, id: idOf(worked(await create(true))) };
  const done = worked(await upstream.events.complete({ ...milestone, completed: true }, edit));
  expect(done.completed).toBe(true);
  expect(last()).toMatchObject({ method: "PUT", status: 200, body: { completed: true } });
  const open = worked(await upstream.events.complete({ ...milestone, completed: false }, edit));
  expect(open.completed).toBe(false);

  const plain = { projectId: project, id: idOf(worked(await create(false))) };
  const refused = await upstream.events.complete({ ...plain, completed: true }, edit);
  expect(refused).toMatchObject({ ok: false, failure: { kind: "refused" } });
});

test("events.list() filters by view and days, events.get() and delete() address one", async () => {
  const { upstream, project, last } = await startPair();
  const create = (title: string, milestone: boolean) =>
    upstream.events.create(
      { projectId: project, patch: { title, when: meeting, milestone } },
      edit,
    );
  const event = worked(await create("Meeting", false));
  const milestone = worked(await create("Launch", true));
  const titles = async (view: "all" | "events" | "milestones") => {
    const snapshot = worked(await upstream.events.list({ projectId: project, view }, edit));
    expect(snapshot).toMatchObject({ problems: [], received: snapshot.items.length });
    return snapshot.items.map((item) => item.title).toSorted();
  };
  expect(await titles("all")).toEqual(["Launch", "Meeting"]);
  expect(await titles("events")).toEqual(["Meeting"]);
  expect(await titles("milestones")).toEqual(["Launch"]);
  expect(last()).toMatchObject({ query: "view=milestones", status: 200 });

  const query = {
    projectId: project,
    view: "all",
    startOn: day("2027-01-01"),
    endOn: day("2027-02-01"),
  } as const;
  expect(worked(await upstream.events.list(query, edit)).items).toEqual([]);
  expect(last().query).toBe("view=all&startDate=2027-01-01&endDate=2027-02-01");

  const place = { projectId: project, id: idOf(event) };
  expect(worked(await upstream.events.get(place, edit))).toEqual(event);
  expect(await upstream.events.delete(place, edit)).toEqual({ ok: true, value: null });
  expect(last()).toMatchObject({ method: "DELETE", status: 204 });
  expectRefused(await upstream.events.get(place, edit), 404);
  expectRefused(await upstream.events.delete(place, edit), 404);
  expect(worked(await upstream.events.get({ ...place, id: idOf(milestone) }, edit)).id).toBe(
    milestone.id,
  );
});

test("a time in a repeated hour is sent with its offset and returns as the first", async () => {
  const { upstream, project, last } = await startPair();
  const when: When = {
    kind: "times",
    start: Temporal.ZonedDateTime.from("2027-10-31T02:30:00+01:00[Europe/Berlin]"),
    end: null,
  };
  const event = worked(
    await upstream.events.create({ projectId: project, patch: { title: "Night", when } }, edit),
  );
  expect(last().body).toMatchObject({ start: "2027-10-31T02:30:00+01:00" });
  expect(JSON.stringify(event.when)).toContain("2027-10-31T02:30:00+02:00");
});

test("a private event is hidden from other people's lists and refused with 403", async () => {
  const { upstream, project, owner, person } = await startPair();
  const asMember = { ...edit, person: person("member") };
  const patch = { title: "Secret", when: meeting, private: true };
  const event = worked(await upstream.events.create({ projectId: project, patch }, edit));
  expect(event.creatorId).toBe(owner);
  const query = { projectId: project, view: "all" } as const;
  expect(worked(await upstream.events.list(query, asMember)).items).toEqual([]);
  expect(worked(await upstream.events.list(query, edit)).items).toHaveLength(1);
  expectRefused(await upstream.events.get({ projectId: project, id: idOf(event) }, asMember), 403);
});

test("an edit uses its person's key, and is refused with 403 outside their projects", async () => {
  const { upstream, project, person } = await startPair();
  const [member, outsider] = [person("member"), person("member", 1)];
  const wish = { projectId: project, patch: { title: "Mine", when: meeting } };
  const event = worked(await upstream.events.create(wish, { ...edit, person: member }));
  expect(event.creatorId).toBe(member);
  expectRefused(await upstream.events.create(wish, { ...edit, person: outsider }), 403);
});

test("a complete seeded workspace is read without a problem", async () => {
  const { upstream, sandbox } = await startPair({ sandbox: { size: "s" } });
  const projects = worked(await upstream.workspace.projects(edit));
  expect(projects.items.length).toBe(sandbox.workspace.places().length);
  const snapshots = await Promise.all(
    projects.items.map(({ id }) => upstream.events.list({ projectId: id, view: "all" }, edit)),
  );
  const read = snapshots.map(worked);
  expect(read.flatMap((snapshot) => snapshot.problems)).toEqual([]);
  expect(read.flatMap((snapshot) => snapshot.items).length).toBeGreaterThan(30);
  const kinds = new Set(read.flatMap((snapshot) => snapshot.items.map((item) => item.when.kind)));
  expect(kinds).toEqual(new Set(["dates", "times"]));
});

test("a list element that cannot be read is left out and named", async () => {
  const { upstream, sandbox, project } = await startPair();
  for (const title of ["A", "B"]) {
    await upstream.events.create({ projectId: project, patch: { title, when: meeting } }, edit);
  }
  sandbox.faults.add({
    kind: "transform",
    transform: (json) =>
      Array.isArray(json)
        ? json.map((it, index) => (index === 0 ? { ...it, start: "soon" } : it))
        : json,
  });
  const snapshot = worked(await upstream.events.list({ projectId: project, view: "all" }, edit));
  expect(snapshot.received).toBe(2);
  expect(snapshot.items).toHaveLength(1);
  expect(snapshot.problems).toHaveLength(1);
  expect(snapshot.problems[0]).toContain(`project ${project}, event `);
});

test("events.get() of an unknown ID is refused with 404", async () => {
  const { upstream, project } = await startPair();
  expectRefused(
    await upstream.events.get({ projectId: project, id: serviceId(987_654) }, edit),
    404,
  );
});
