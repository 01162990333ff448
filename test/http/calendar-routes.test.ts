import { describe, expect, it } from "vitest";
import { listId, personId, projectId, serviceId } from "../../src/domain/ids.ts";
import { sourceOf } from "../../src/domain/source.ts";
import { anEvent, aPerson, aProject, aTask, aTodolist, days, times } from "../support/items.ts";
import { startApp, token } from "./app-rig.ts";

/** The pages as the operator's browser sees them, over a project with an event, a milestone and a task. */
async function calendarRig() {
  const app = await startApp();
  const { store } = app;
  store.directory.putTodolists(null, [aTodolist(3001)], true);
  const items = [
    anEvent(10, { title: "Release <call>", when: times("2026-11-23T10:00", "2026-11-23T11:00") }),
    anEvent(11, { title: "Launch", milestone: true, when: days("2026-11-24") }),
    aTask(12, { title: "Write texts", dueOn: Temporal.PlainDate.from("2026-11-25") }),
  ];
  for (const item of items) store.mirror.put(item, sourceOf(item));
  const signIn = await app.call(`GET /?token=${token}`);
  const cookie = String(signIn.headers["set-cookie"]).split(";")[0] ?? "";
  const keyOf = (title: string): number => {
    const shown = store.view
      .ofProject(anEvent(1).projectId)
      .find(({ item }) => item.title === title);
    if (!shown) throw new Error(`${title} is not shown`);
    return shown.key;
  };
  const get = (path: string, headers: Readonly<Record<string, string>> = {}) =>
    app.call(`GET ${path}`, { headers: { cookie, ...headers } });
  const formToken = /name="form" value="([^"]+)"/.exec((await get("/calendar")).text)?.[1] ?? "";
  const post = (
    path: string,
    fields: Readonly<Record<string, string>>,
    headers: Readonly<Record<string, string>> = {},
  ) =>
    app.call(`POST ${path}`, {
      headers: { cookie, "content-type": "application/x-www-form-urlencoded", ...headers },
      body: new URLSearchParams({ form: formToken, ...fields }).toString(),
    });
  return { ...app, get, post, keyOf, edits: () => store.journal.list({ limit: 10 }) };
}

it("GET /calendar lists items from today on, with everything else one step away", async () => {
  const { get, keyOf } = await calendarRig();
  const { text: body } = await get("/calendar");
  expect(body).toContain("Release &lt;call&gt;");
  expect(body).toContain(`calendar/items/${keyOf("Launch")}`);
  expect(body.indexOf("Release")).toBeLessThan(body.indexOf("Launch"));
});

it("GET /calendar/items/… shows custom fields with a value, and names those without one", async () => {
  const { get, store, keyOf } = await calendarRig();
  const field = (id: number, title: string, value: string | readonly string[]) => ({
    ...{ id: serviceId(id), title, type: "text", value },
  });
  const task = aTask(14, {
    title: "With fields",
    customFields: [field(1, "Budget", "10"), field(2, "Risk", ""), field(3, "Channels", [])],
  });
  store.mirror.put(task, sourceOf(task));
  const { text } = await get(`/calendar/items/${keyOf("With fields")}`);
  expect(text).toContain("<dt>Budget</dt><dd>10</dd>");
  expect(text).toContain("<dt>Left empty</dt><dd>Risk, Channels</dd>");
  expect(text).not.toContain("<dt>Risk</dt>");
});

describe("the filters of the calendar", () => {
  it("select an assignee, and keep the selection", async () => {
    const { get, store } = await calendarRig();
    store.directory.putPeople([aPerson(11, "Ana"), aPerson(12, "Bo <b>")], true);
    const mine = anEvent(13, {
      title: "Of Bo",
      when: days("2026-11-24"),
      assigned: [personId(12)],
    });
    store.mirror.put(mine, sourceOf(mine));
    const { text } = await get("/calendar?person=12");
    expect(text).toContain("Of Bo");
    expect(text).not.toContain("Launch");
    expect(text).toContain('<option value="12" selected>Bo &lt;b&gt;</option>');
    const { text: body } = await get(
      "/calendar/events.json?from=2026-11-23&to=2026-11-30&person=12",
    );
    expect(JSON.parse(body).events).toHaveLength(1);
    expect((await get("/calendar?person=nobody")).text).toContain("Launch");
  });

  it("show each project's color, its own or one of the palette", async () => {
    const { get, store } = await calendarRig();
    store.directory.putProjects(
      [
        { ...aProject(2001, "Website"), color: "#428BCA" },
        { ...aProject(2002, "Fair"), color: null },
      ],
      true,
    );
    const { text } = await get("/calendar");
    expect(text).toMatch(/fill="#428bca"\/><\/svg> <bdi>Website<\/bdi>/);
    expect(text).toMatch(/class="tint-2"\/><\/svg> <bdi>Fair<\/bdi>/);
    expect((await get("/calendar?project=2001")).text).not.toContain('class="legend"');
  });
});

describe("GET /calendar/events.json", () => {
  it("returns events as instants, milestones and tasks as days", async () => {
    const { get } = await calendarRig();
    const { text: body } = await get("/calendar/events.json?from=2026-11-23&to=2026-11-30");
    const { events }: { events: readonly Record<string, unknown>[] } = JSON.parse(body);
    const told = events.map(({ title, start, end, allDay }) => [title, start, end, allDay]);
    expect(told).toEqual([
      ["Review <b>", "2026-11-23T09:00:00Z", "2026-11-23T10:00:00Z", false],
      ["Release <call>", "2026-11-23T09:00:00Z", "2026-11-23T10:00:00Z", false],
      ["Launch", "2026-11-24", "2026-11-25", true],
      ["Write texts", "2026-11-25", null, true],
    ]);
  });

  it.each([
    ["", /from: a day/],
    ["?from=2026-11-23", /to: a day/],
    ["?from=2026-11-23&to=2026-11-23", /after from/],
    ["?from=2020-01-01&to=2026-01-01", /at most 400 days/],
    ["?from=2026-02-30&to=2026-03-01", /from: a day/],
  ])("refuses %s with the reason", async (query, reason) => {
    const { get } = await calendarRig();
    const { status, text: body } = await get(`/calendar/events.json${query}`);
    expect(status).toBe(400);
    expect(body).toMatch(reason);
  });

  it("respects kinds and completion", async () => {
    const { get } = await calendarRig();
    const span = "from=2026-11-23&to=2026-11-30";
    const { text: body } = await get(`/calendar/events.json?${span}&kind=task&kind=milestone`);
    expect(body).toContain("Launch");
    expect(body).not.toContain("Release");
  });
});

it("GET /calendar/items/:key shows everything mirrored: subtasks, comments and history", async () => {
  const { get, keyOf, store } = await calendarRig();
  const task = { projectId: projectId(2001), listId: listId(3001), taskId: serviceId(12) };
  const at = Temporal.Instant.from("2026-11-20T08:30:00Z");
  const sub = aTask(13, { kind: "subtask", title: "Headlines", parentId: serviceId(12) });
  store.mirror.put(sub, sourceOf(sub));
  const said = { id: serviceId(1), creatorId: null, byMe: false, createdAt: at };
  store.comments.put({ ...task, ...said, description: "<p>Shorter, <b>please</b></p>" });
  const happened = { id: serviceId(1), personId: null, action: "moved here", activityAt: at };
  store.history.add([{ ...task, ...happened, on: null }]);
  const { text } = await get(`/calendar/items/${keyOf("Write texts")}`);
  expect(text).toContain("Headlines");
  expect(text).toContain("Shorter, please");
  expect(text).toContain("moved here");
  expect(text).toContain("Fri 20 Nov 2026, 09:30");
});

describe("POST /calendar/items/:key", () => {
  const moved = { startOn: "2026-11-23", startAt: "14:00", endOn: "2026-11-23", endAt: "15:00" };

  it("previews a change, and applies it once confirmed", async () => {
    const { post, keyOf, edits, store } = await calendarRig();
    const path = `/calendar/items/${keyOf("Release <call>")}`;
    const preview = await post(path, { sequence: "0", ...moved });
    expect(preview.status).toBe(200);
    expect(preview.text).toContain("14:00–15:00");
    expect(edits()).toEqual([]);
    const done = await post(path, { sequence: "0", ...moved, step: "apply" });
    expect(done).toMatchObject({ status: 303 });
    expect(edits()).toMatchObject([{ channel: "dashboard", state: "pending", actor: null }]);
    const key = edits()[0]?.item;
    expect(key && store.view.get(key)?.item).toMatchObject({
      when: times("2026-11-23T14:00", "2026-11-23T15:00"),
    });
  });

  it("answers a script in JSON", async () => {
    const { post, keyOf } = await calendarRig();
    const path = `/calendar/items/${keyOf("Write texts")}`;
    const { text: body } = await post(
      path,
      { dueOn: "2026-12-01" },
      { accept: "application/json" },
    );
    expect(JSON.parse(body)).toMatchObject({
      kind: "planned",
      edit: null,
      changes: [{ name: "Due", to: "Tue 1 Dec 2026" }],
    });
  });

  it("names the field that cannot be read, and keeps the input", async () => {
    const { post, keyOf, edits } = await calendarRig();
    const path = `/calendar/items/${keyOf("Release <call>")}`;
    const { status, text: body } = await post(path, {
      title: "New name",
      startAt: "25:00",
      step: "apply",
    });
    expect(status).toBe(422);
    expect(body).toContain("25:00");
    expect(body).toContain("New name");
    expect(edits()).toEqual([]);
  });

  it("does not overwrite what someone else has changed since", async () => {
    const { post, keyOf, edits, store } = await calendarRig();
    const key = keyOf("Write texts");
    const theirs = aTask(12, {
      title: "Write words",
      dueOn: Temporal.PlainDate.from("2026-11-25"),
    });
    store.mirror.put(theirs, sourceOf(theirs));
    const given = { sequence: "0", title: "Write letters", step: "apply" };
    const { status, text: body } = await post(`/calendar/items/${key}`, given);
    expect(status).toBe(409);
    expect(body).toContain("Write words");
    expect(body).toContain("Write letters");
    expect(edits()).toEqual([]);
  });

  it("refuses a form without a session, or of another one", async () => {
    const { post, keyOf, edits } = await calendarRig();
    const path = `/calendar/items/${keyOf("Launch")}`;
    expect(await post(path, { form: "made up", step: "apply" })).toMatchObject({ status: 403 });
    expect(edits()).toEqual([]);
  });

  it("answers 404 for an unknown item", async () => {
    const { post, get } = await calendarRig();
    expect(await get("/calendar/items/999")).toMatchObject({ status: 404 });
    expect(await post("/calendar/items/none", {})).toMatchObject({ status: 404 });
  });

  it("deletes once confirmed", async () => {
    const { post, keyOf, edits } = await calendarRig();
    const path = `/calendar/items/${keyOf("Launch")}/delete`;
    expect((await post(path, {})).text).toContain("for everyone");
    expect(edits()).toEqual([]);
    expect(await post(path, { step: "apply" })).toMatchObject({ status: 303 });
    expect(edits()).toMatchObject([{ action: "delete" }]);
  });
});

describe("POST /calendar/new", () => {
  const event = {
    kind: "event",
    project: "2001",
    title: "Kick-off",
    has: "allDay private",
    startOn: "2026-11-26",
    startAt: "09:00",
    endOn: "2026-11-26",
    endAt: "10:30",
  };

  it("creates an event once confirmed, and shows it", async () => {
    const { post, edits, get } = await calendarRig();
    expect((await post("/calendar/new", event)).text).toContain("09:00–10:30");
    expect(edits()).toEqual([]);
    const { status, headers } = await post("/calendar/new", { ...event, step: "apply" });
    expect(status).toBe(303);
    expect(edits()).toMatchObject([{ action: "create", base: { title: "Kick-off" } }]);
    const shown = await get(String(headers["location"]).replace(/^\.\.\//, "/"));
    expect(shown.text).toContain(">pending<");
  });

  it("creates it once, however often its preview is confirmed", async () => {
    const { post, edits, get } = await calendarRig();
    const { text } = await post("/calendar/new", event);
    const [, once = ""] = /name="once" value="([0-9a-f]{32})"/.exec(text) ?? [];
    const agreed = { ...event, once, step: "apply" };
    const [first, second] = [
      await post("/calendar/new", agreed),
      await post("/calendar/new", agreed),
    ];
    expect([first.status, second.status]).toEqual([303, 303]);
    expect(edits()).toHaveLength(1);
    const place = (answer: typeof first) => String(answer.headers["location"]).replace(/\?.*/, "");
    expect(place(second)).toBe(place(first));
    expect((await get(place(second).replace(/^\.\.\//, "/"))).text).toContain("Kick-off");
    // Another preview of the same input makes another item, and so does one whose number was lost.
    const other = /name="once" value="([0-9a-f]{32})"/.exec(
      (await post("/calendar/new", event)).text,
    );
    expect(other?.[1]).not.toBe(once);
    await post("/calendar/new", { ...agreed, once: other?.[1] ?? "" });
    await post("/calendar/new", { ...agreed, once: "odd" });
    expect(edits()).toHaveLength(3);
  });

  it("creates a repeating event after a preview of each, and undoes all together", async () => {
    const { post, edits, get } = await calendarRig();
    const weekly = { ...event, repeats: "weekly", times: "3", allDay: "", private: "yes" };
    const { text } = await post("/calendar/new", weekly);
    for (const day of ["26 Nov", "3 Dec", "10 Dec"]) {
      expect(text).toMatch(new RegExp(`<li>[^<]*${day} 2026, 09:00–10:30[^<]*</li>`));
    }
    expect(edits()).toEqual([]);
    const { headers } = await post("/calendar/new", { ...weekly, step: "apply" });
    const made = edits();
    expect(made.map(({ base }) => base)).toMatchObject(Array(3).fill({ private: true }));
    const page = await get(String(headers["location"]).replace(/^\.\.\//, "/"));
    expect(page.text).toContain("Undo all 3");
    const first = String(headers["location"]).split("/").at(-1);
    expect((await post(`/edits/${first}/undo-series`, {})).status).toBe(303);
    expect(edits().map(({ state }) => state)).toEqual(Array(3).fill("discarded"));
  });

  it("keeps time of day and duration of a repeating event, and a task's days together", async () => {
    const { post, edits } = await calendarRig();
    const times = { startOn: "2027-03-25", endOn: "2027-03-25" };
    await post("/calendar/new", {
      ...event,
      ...times,
      repeats: "weekly",
      times: "2",
      step: "apply",
    });
    const task = { kind: "task", project: "2001", list: "3001", title: "Print", has: "" };
    const days = { startOn: "2026-11-26", dueOn: "2026-11-27" };
    await post("/calendar/new", {
      ...task,
      ...days,
      repeats: "workdays",
      times: "2",
      step: "apply",
    });
    const spans = edits().map(({ base }) =>
      base.kind === "event"
        ? base.when.kind === "times" && base.when.start.toInstant().toString()
        : [base.startOn, base.dueOn].join(" "),
    );
    expect(spans.toReversed()).toEqual([
      "2027-03-25T08:00:00Z",
      "2027-04-01T07:00:00Z",
      "2026-11-26 2026-11-27",
      "2026-11-29 2026-11-30",
    ]);
  });

  it("creates a milestone of one day, and a task of a list", async () => {
    const { post, edits } = await calendarRig();
    const step = "apply";
    await post("/calendar/new", { ...event, kind: "milestone", startAt: "", endAt: "", step });
    const task = {
      kind: "task",
      project: "2001",
      list: "3001",
      title: "Print",
      dueOn: "2026-11-27",
    };
    await post("/calendar/new", { ...task, step });
    expect(edits().map(({ base }) => base)).toMatchObject([
      { kind: "task", title: "Print", listId: 3001 },
      { kind: "event", milestone: true, when: days("2026-11-26") },
    ]);
  });

  it.each([
    ["no title", { ...event, title: " " }, "Give it a title."],
    ["no project", { ...event, project: "" }, "Choose a project."],
    ["an invalid project", { ...event, project: "77" }, "Choose a project."],
    ["no kind", { ...event, kind: "party" }, "Choose event"],
    ["a task without a list", { ...event, kind: "task" }, "Choose a list"],
    ["an invalid time of day", { ...event, startAt: "9" }, "not a time of day"],
    ["too many times", { ...event, repeats: "daily", times: "51" }, "from 2 to 50"],
    ["times that are no number", { ...event, repeats: "daily", times: "" }, "from 2 to 50"],
    [
      "a task without a day that repeats",
      { kind: "task", project: "2001", list: "3001", title: "Print", repeats: "daily", times: "2" },
      "Enter a day",
    ],
  ])("says what is missing for %s", async (_what, fields, message) => {
    const { post, edits } = await calendarRig();
    const { status, text: body } = await post("/calendar/new", { ...fields, step: "apply" });
    expect(status).toBe(422);
    expect(body).toContain(message);
    expect(edits()).toEqual([]);
  });

  it("starts with the time chosen in the calendar", async () => {
    const { get } = await calendarRig();
    const { text: body } = await get("/calendar/new?on=2026-12-02&at=13:00&until=14:00");
    expect(body).toContain('value="2026-12-02"');
    expect(body).toContain('value="13:00"');
  });
});
