import { describe, expect, it } from "vitest";
import { folderId, labelId, listId, personId, projectId, serviceId } from "../../src/domain/ids.ts";
import type { Item } from "../../src/domain/item.ts";
import type { Patch } from "../../src/domain/patch.ts";
import { writeReport } from "../../src/reports/formats/format.ts";
import { anEvent, aTask, days, times } from "../support/items.ts";
import { fill, readEverything, reportRig } from "./rig.ts";

const date = (text: string) => Temporal.PlainDate.from(text);
const at = (text: string) => Temporal.Instant.from(text);

describe("slippage", () => {
  it("counts how often, how far, from where and to where days move back and forth", () => {
    const rig = reportRig();
    const due = (day: string | null) => {
      rig.clock.advance({ hours: 1 });
      rig.put(aTask(1, { title: "Plan", dueOn: day === null ? null : date(day) }));
    };
    for (const day of ["2026-11-24", "2026-12-01", null, "2026-11-29", "2026-11-29"]) due(day);
    rig.put(anEvent(2, { title: "Still", when: days("2026-12-01"), milestone: true }));
    expect(rig.rows("slippage")).toMatchObject([
      {
        title: "Plan",
        moves: 2,
        moves_later: 1,
        days_later: 7,
        days_earlier: 2,
        days_moved: 5,
        first_on: "2026-11-24",
        latest_on: "2026-11-29",
        last_moved_at: "2026-11-21T16:00:00.000Z",
      },
    ]);
    rig.clock.advance({ hours: 24 });
    expect(rig.rows("slippage", { from: "2026-11-22" })).toEqual([]);
  });

  it("lists every step of moved milestones on lines of their own", () => {
    const rig = reportRig();
    for (const day of ["2026-12-01", "2026-12-08"]) {
      rig.put(anEvent(1, { title: "Launch", when: days(day), milestone: true }));
      rig.put(aTask(1, { dueOn: date(day) }));
      rig.clock.advance({ hours: 24 });
    }
    expect(rig.report("slippage").chart).toMatchObject({
      kind: "lines",
      from: "2026-11-20",
      to: "2026-11-23",
      lines: [
        {
          name: "Launch",
          steps: [
            { on: "2026-11-20", day: "2026-12-01" },
            { on: "2026-11-22", day: "2026-12-08" },
          ],
        },
      ],
    });
  });
});

describe("activity and files", () => {
  const place = { projectId: projectId(2001), listId: listId(3001), taskId: serviceId(1) };

  it("lists comments and history newest first, markup as text", () => {
    const rig = reportRig();
    fill(rig);
    const comment = { ...place, id: serviceId(1), byMe: false, creatorId: personId(11) };
    rig.store.comments.put({
      ...comment,
      description: "<p>Almost <b>there</b> &amp; back</p>",
      createdAt: at("2026-11-20T10:00:00Z"),
    });
    rig.store.comments.put({
      ...comment,
      id: serviceId(2),
      description: "old",
      createdAt: at("2026-01-20T10:00:00Z"),
    });
    rig.store.history.add([
      {
        ...place,
        id: serviceId(1),
        personId: personId(12),
        action: "Updated",
        activityAt: at("2026-11-21T10:00:00Z"),
        on: null,
      },
    ]);
    expect(rig.rows("activity")).toMatchObject([
      { person: "Bo", action: "Updated", title: "Late one" },
      { person: "Ana", action: "Commented", text: "Almost there & back", project: "Website" },
    ]);
    expect(rig.rows("activity", { from: "2026-01-01" })).toHaveLength(3);
    expect(rig.rows("activity", { person: "Ana" })).toHaveLength(1);
  });

  it("puts an entry without a time on its day in every zone", () => {
    const rig = reportRig();
    rig.put(aTask(1));
    const entry = { ...place, id: serviceId(1), personId: personId(12), action: "Moved" };
    rig.store.history.add([{ ...entry, activityAt: null, on: date("2026-11-19") }]);
    const on = (day: string, zone: "Europe/Berlin" | "America/New_York") =>
      rig.rows("activity", { from: day, to: day, person: zone === "Europe/Berlin" ? null : "Bo" });
    for (const zone of ["Europe/Berlin", "America/New_York"] as const) {
      expect(on("2026-11-19", zone)).toMatchObject([{ at: "2026-11-19" }]);
      expect([...on("2026-11-18", zone), ...on("2026-11-20", zone)]).toEqual([]);
    }
  });

  it("says how far the reading has come when not all is read", () => {
    const rig = reportRig();
    rig.put(aTask(1));
    readEverything(rig);
    const notes = (name: string, project: string | null = null) =>
      rig.report(name, { project }).notes?.join();
    expect(notes("activity")).toBe(
      "Tasks whose comments have been read so far: 0; whose history: 0.",
    );
    expect(notes("files")).toBe(
      "Projects whose folders have been read so far: 0; folders whose files: 0.",
    );
    expect(writeReport(rig.report("files"), "csv")).toContain("mirror_read_at\r\n");
    const { sideSources, files } = rig.store;
    sideSources.succeeded({ kind: "comments", taskId: serviceId(1) }, { seen: "1", items: 1 });
    sideSources.failed({ kind: "history", taskId: serviceId(1) }, "503");
    sideSources.succeeded(
      { kind: "folders", projectId: projectId(2001) },
      { seen: null, items: 1 },
    );
    expect(notes("activity")).toBe(
      "Tasks whose comments have been read so far: 1; whose history: 0 (1 failing).",
    );
    const folder = folderId(4001);
    const home = {
      id: folder,
      projectId: projectId(2001),
      name: "Home",
      parentId: null,
      type: null,
    };
    files.putFolders(projectId(2001), { folders: [home], complete: true });
    rig.clock.advance({ hours: 1 });
    sideSources.succeeded(
      { kind: "files", projectId: projectId(2001), folderId: folder },
      { seen: null, items: 0 },
    );
    expect(notes("files", "Website")).toContain("whose files: 1.");
    expect(notes("files", "2002")).toContain("whose files: 0.");
    expect(rig.report("files").readAt).toBe("2026-11-21T13:00:00.000Z");
    // What belongs to a task or a folder is reported with its project.
    expect(
      rig
        .rows("freshness", { project: "Website" })
        .map(({ kind }) => String(kind))
        .toSorted(),
    ).toEqual(["comments", "events", "files", "folders", "history", "tasks"]);
  });

  it("does not list a deleted file now, but in a report on the past", () => {
    const rig = reportRig();
    const { store, clock } = rig;
    readEverything(rig);
    const folder = folderId(4001);
    const file = {
      ...{ projectId: projectId(2001), folderId: folder, creatorId: personId(11), byMe: false },
      ...{ fileType: "pdf", url: null, byteSize: 1500, createdAt: clock(), updatedAt: null },
    };
    const files = [1, 2].map((id) => ({ ...file, id: serviceId(id), name: `f${id}.pdf` }));
    store.files.putFiles(folder, { files, complete: true });
    clock.advance({ hours: 2 });
    store.files.bury(serviceId(2));
    expect(rig.rows("files").map(({ name }) => name)).toEqual(["f1.pdf"]);
    expect(rig.rows("files", { asOf: "2026-11-21T13:00:00Z" })).toHaveLength(2);
  });
});

it("changes lists changes by our edits and by the workspace, and their authors if known", () => {
  const rig = reportRig();
  rig.put(aTask(1, { title: "Plan" }));
  const key = rig.store.mirror.find("task", serviceId(1));
  const base = key && rig.store.view.get(key)?.item;
  if (!key || !base) throw new Error("the task is not there");
  const first = rig.store.changes.latest();
  rig.clock.advance({ hours: 1 });
  rig.store.journal.append({
    ...{ channel: "upload", actor: personId(11), item: key, action: "update", base },
    patch: { title: "Better plan" },
    newLabels: [],
    state: "pending",
  });
  rig.clock.advance({ hours: 1 });
  rig.put(aTask(1, { title: "Plan", percent: 50 }));
  const rows = rig.rows("changes", { since: String(first) });
  expect(rows).toMatchObject([
    { fields: "Title: Plan → Better plan", who: "Ana, by an upload", pending: 1 },
    { fields: "Progress: 0 % → 50 %", who: null, edit_id: null, pending: 0 },
  ]);
  expect(rows.map(({ act }) => act)).toEqual(["changed", "changed"]);
  expect(rig.rows("changes", { person: "Ana" })).toHaveLength(1);
  expect(rig.rows("changes")).toHaveLength(3);
  rig.clock.advance({ hours: 24 * 30 });
  expect(rig.rows("changes")).toEqual([]);
  expect(rig.rows("changes", { from: "2026-11-21" })).toHaveLength(3);
});

describe("wishes of edits", () => {
  /** A task "Plan" with two waiting edits by Ana: another title, then another day. */
  function started() {
    const rig = reportRig();
    const { store, clock } = rig;
    rig.put(aTask(1, { title: "Plan" }));
    const key = store.mirror.find("task", serviceId(1));
    const base = key && store.view.get(key)?.item;
    if (!key || base?.kind !== "task") throw new Error("the task is not there");
    const first = String(store.changes.latest());
    const send = (action: "update" | "delete", patch: Patch) => {
      clock.advance({ minutes: 1 });
      store.journal.append({
        ...{ channel: "upload", actor: personId(11), item: key, action, base, patch },
        ...{ newLabels: [], state: "pending" },
      } as const);
    };
    /** Claims the oldest and lets it end. */
    const end = (how: "confirmed" | "refused", answer: Item | null) => {
      clock.advance({ minutes: 1 });
      const edit = store.journal.claimNext();
      if (!edit) throw new Error("no edit waits");
      if (how === "confirmed") store.journal.confirm(edit, answer);
      else store.journal.settle(edit, { kind: "park", reason: "refused", problem: "No." });
      clock.advance({ minutes: 1 });
    };
    const told = (more = {}) =>
      rig
        .rows("changes", { since: first, ...more })
        .map(({ act, fields, pending }) => [act, fields, pending === 1]);
    const later = Temporal.PlainDate.from("2026-12-24");
    return { ...rig, base, send, end, told, later };
  }
  const title = "Title: Plan → Better plan";

  it("are listed as pending, and as done once the workspace has each", () => {
    const { base, send, end, told, later } = started();
    send("update", { title: "Better plan" });
    expect(told()).toEqual([["changed", title, true]]);
    send("update", { dueOn: later });
    end("confirmed", { ...base, title: "Better plan" });
    const due = expect.stringMatching(/^Due: .+ → Thu 24 Dec 2026$/);
    expect(told()).toEqual([
      ["changed", due, true],
      ["changed", title, false],
    ]);
    end("confirmed", { ...base, title: "Better plan", dueOn: later });
    expect(told()).toEqual([
      ["changed", due, false],
      ["changed", title, false],
    ]);
  });

  it("are not listed once refused, nor in reports on the time before", () => {
    const { send, end, told, clock, rows, store } = started();
    for (const _ of ["once", "again"]) readEverything({ store });
    send("update", { title: "Better plan" });
    clock.advance({ minutes: 1 });
    const asOf = clock().toString();
    end("refused", null);
    expect(told()).toEqual([]);
    expect(told({ asOf })).toEqual([]);
    expect(rows("items", { asOf }).map(({ title: shown }) => shown)).toEqual(["Plan"]);
  });

  it("do not count as slips of an item when refused", () => {
    const { send, end, later, rows } = started();
    send("update", { dueOn: later });
    end("refused", null);
    expect(rows("slippage")).toEqual([]);
  });

  it.each([
    ["refused", []],
    ["confirmed", [["removed", null, false]]],
  ] as const)("list a deletion that was %s as such", (how, expected) => {
    const { send, end, told } = started();
    send("delete", {});
    expect(told()).toEqual([["removed", null, true]]);
    end(how, null);
    expect(told()).toEqual(expected);
  });
});

it("changes lists every changed field with names, local times and no JSON", () => {
  const rig = reportRig();
  const { put, clock } = rig;
  const custom = (id: number, title: string, value: string | readonly string[]) => ({
    ...{ id: serviceId(id), title, type: "text", value },
  });
  put(anEvent(1, { when: times("2026-11-24T14:00", "2026-11-24T14:45") }));
  put(aTask(2, { customFields: [custom(1, "Budget", "10"), custom(2, "Modules", ["A", "B"])] }));
  const since = String(rig.store.changes.latest());
  clock.advance({ hours: 1 });
  put(
    anEvent(1, {
      when: times("2026-11-24T11:00", "2026-11-24T11:45"),
      reminder: Temporal.Duration.from({ minutes: 90 }),
    }),
  );
  put(
    aTask(2, {
      assigned: [personId(12)],
      labels: [labelId(5)],
      dueOn: Temporal.PlainDate.from("2026-11-29"),
      completed: true,
      percent: 100,
      completedAt: clock(),
      completedBy: personId(11),
      commentCount: 2,
      logged: Temporal.Duration.from({ minutes: 90 }),
      customFields: [custom(1, "Budget", "12"), custom(2, "Modules", ["A", "B"])],
    }),
  );
  const fieldsOf = (kind: string) =>
    rig
      .rows("changes", { since })
      .filter((row) => row["kind"] === kind)
      .map(({ fields }) => fields);
  expect(fieldsOf("event")).toEqual([
    "When: Tue 24 Nov 2026, 14:00–14:45 (Europe/Berlin) → Tue 24 Nov 2026, 11:00–11:45 (Europe/Berlin); Reminder: none → 1 hour 30 minutes before",
  ]);
  expect(String(fieldsOf("task")[0]).split("; ").toSorted()).toEqual([
    "Assigned: none → Bo",
    "Budget: 10 → 12",
    "Comments: 0 → 2",
    "Completed by: none → Ana",
    "Completed: none → Sat 21 Nov 2026, 14:00 (Europe/Berlin)",
    "Due: Tue 24 Nov 2026 → Sun 29 Nov 2026",
    "Labels: none → Urgent",
    "Logged time: none → 1:30",
    "Progress: 0 % → 100 %",
    "State: open → done",
  ]);
});

it("freshness gives age and reason when a source fails", () => {
  const rig = reportRig();
  readEverything(rig);
  rig.clock.advance({ minutes: 20 });
  const tasks = { kind: "tasks", projectId: projectId(2001), listId: listId(3001) } as const;
  rig.store.sources.attempted(tasks, rig.clock());
  rig.store.sources.failed(tasks, "503");
  expect(rig.rows("freshness")).toMatchObject([
    { kind: "events", oldest_seconds: 1200, failing: 0 },
    { kind: "tasks", list: "List 3001", oldest_seconds: 1200, failing: 1, failure: "503" },
  ]);
  expect(rig.report("agenda").freshness).toMatchObject({
    failing: 1,
    neverRead: 0,
    oldestSeconds: 1200,
  });
});

it("changes since a moment are given in the reader's time", () => {
  const asked = reportRig().ask("changes", { since: "2026-11-20" });
  expect(asked).toMatchObject({ value: { filters: ["since 2026-11-20 00:00:00"] } });
});
