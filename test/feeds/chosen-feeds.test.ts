import { atOnce } from "@dayferry/event-loop";
import { describe, expect, it } from "vitest";
import type { FeedFilter } from "../../src/domain/feed-filter.ts";
import { type FeedId, labelId, listId, personId, projectId } from "../../src/domain/ids.ts";
import { readFeedChange, readFeedWish } from "../../src/feeds/feed-request.ts";
import {
  aLabel,
  anEvent,
  aPerson,
  aProject,
  aTask,
  aTodolist,
  days,
  zone,
} from "../support/items.ts";
import { byTitle, feedRig, secretIn } from "./rig.ts";

const admin = { kind: "admin", zone } as const;
const ana = { kind: "person", person: personId(11), name: "Ana", zone } as const;
const soon = { dueOn: Temporal.PlainDate.from("2026-11-25") } as const;

/** Two projects with something for every filter. */
function rig() {
  const made = feedRig();
  const { put, store, feeds, clock } = made;
  const fair = { projectId: projectId(2002), listId: listId(3003) } as const;
  store.directory.putTodolists(
    fair.projectId,
    [{ ...aTodolist(3003), projectId: fair.projectId }],
    true,
  );
  put(anEvent(1, { title: "Open event", reminder: Temporal.Duration.from("PT15M") }));
  put(anEvent(2, { title: "Mine", assigned: [personId(11)] }));
  put(anEvent(3, { title: "Milestone", milestone: true, when: days("2026-11-30") }));
  put(anEvent(4, { title: "My secret", private: true, creatorId: personId(11) }));
  put(anEvent(5, { title: "Secret of Björn", private: true, creatorId: personId(12) }));
  put(aTask(6, { ...soon, title: "Design it", labels: [labelId(51)], assigned: [personId(12)] }));
  put(aTask(7, { ...soon, title: "Part", kind: "subtask", assigned: [personId(11)] }));
  put(aTask(8, { ...soon, title: "Done", completed: true, completedAt: clock() }));
  put(aTask(9, { ...soon, ...fair, title: "At the fair", assigned: [personId(11), personId(12)] }));
  put(aTask(10, { ...soon, title: "Hidden", listId: listId(3002), assigned: [personId(12)] }));

  const create = (body: object) => {
    const wish = readFeedWish(body, { directory: store.directory, viewer: admin });
    if (!wish.ok) throw new Error(JSON.stringify(wish.failure));
    return feeds.create(wish.value);
  };
  const open = (id: FeedId) => {
    const opened = feeds.open(secretIn(feeds.get(id)?.path ?? ""));
    if (!opened) throw new Error("the feed does not open");
    return opened;
  };
  const titles = (id: FeedId) =>
    [...byTitle(open(id).body().toString()).keys()]
      .map((title) => title.replace(/^[◆✓] /, ""))
      .toSorted();
  return { ...made, create, open, titles, shown: (body: object) => titles(create(body).id) };
}

const website = ["Design it", "Done", "Milestone", "Mine", "Open event", "Part"];

describe("a filtered feed", () => {
  it.each<[string, object, readonly string[]]>([
    ["a project, by default", { projectId: 2001 }, website],
    [
      "a project, through the eyes of a person",
      { projectId: 2001, personId: 11 },
      [...website, "My secret"],
    ],
    ["everything, by default", { kind: "all" }, [...website, "At the fair"]],
    [
      "a person, by default: what is assigned to them",
      { kind: "person", personId: 11 },
      ["At the fair", "Mine", "Part"],
    ],
    [
      "a person: assigned to anyone",
      { kind: "person", personId: 11, filter: { assigned: "anyone" } },
      [...website, "At the fair", "My secret"],
    ],
    [
      "a person: assigned to another",
      { kind: "person", personId: 11, filter: { assigned: [12] } },
      ["At the fair", "Design it"],
    ],
    [
      "a person sees the own of a private list",
      { kind: "person", personId: 12 },
      ["At the fair", "Design it", "Hidden"],
    ],
    [
      "a person without the own private items",
      { kind: "person", personId: 12, filter: { private: "omit" } },
      ["At the fair", "Design it"],
    ],
    ["kinds: events", { kind: "all", filter: { kinds: ["event"] } }, ["Mine", "Open event"]],
    ["kinds: milestones", { kind: "all", filter: { kinds: ["milestone"] } }, ["Milestone"]],
    [
      "kinds: tasks and subtasks",
      { kind: "all", filter: { kinds: ["task", "subtask"] } },
      ["At the fair", "Design it", "Done", "Part"],
    ],
    ["labels by id", { kind: "all", filter: { labels: [51] } }, ["Design it"]],
    ["labels by name", { kind: "all", filter: { labels: ["design"] } }, ["Design it"]],
    ["projects", { kind: "all", filter: { projects: [2002] } }, ["At the fair"]],
    [
      "completed: none",
      { projectId: 2001, filter: { completed: "none" } },
      website.filter((title) => title !== "Done"),
    ],
    [
      "private: show",
      { projectId: 2001, filter: { private: "show" } },
      [...website, "My secret", "Secret of Björn", "Hidden"],
    ],
    ["private: busy", { projectId: 2001, filter: { private: "busy" } }, [...website, "Busy"]],
    [
      "assigned: me, of a project",
      { projectId: 2001, personId: 11, filter: { assigned: "me" } },
      ["Mine", "Part"],
    ],
  ])("shows %s, and each item says so", (_what, body, expected) => {
    const { create, titles, store, feeds } = rig();
    const { id } = create(body);
    expect(titles(id)).toEqual(expected.toSorted());
    const items = [...store.view.keysWhere({ projects: null, assigned: null })].flat();
    const said = items.flatMap((key) => {
      const view = store.view.get(key);
      const one = view && feeds.presencesOf(view).find(({ feed }) => feed.id === id);
      const title = view?.item.title ?? "";
      if (!one || one.presence.kind === "left-out") return [];
      return [one.presence.kind === "busy" ? "Busy" : title];
    });
    expect([...new Set(said)].toSorted()).toEqual(expected.toSorted());
    const content = feeds.contentOf(id);
    expect(content && atOnce(content).shown).toBe(said.length);
  });

  it("shows completed items for the configured time", () => {
    const { create, titles, clock } = rig();
    const { id } = create({ projectId: 2001, filter: { completed: "P2D" } });
    expect(titles(id)).toContain("Done");
    clock.advance({ hours: 72 });
    expect(titles(id)).not.toContain("Done");
  });

  it("has alarms unless reminders are off", () => {
    const { create, open } = rig();
    const text = (filter: FeedFilter | null) =>
      open(create({ projectId: 2001, filter }).id)
        .body()
        .toString();
    expect(text(null)).toContain("BEGIN:VALARM");
    expect(text({ reminders: false })).not.toContain("BEGIN:VALARM");
  });

  it("is named after its owner until somebody renames it", () => {
    const { create, store, feeds } = rig();
    const ids = [
      { projectId: 2001, personId: 11 },
      { kind: "person", personId: 11 },
      { kind: "person", personId: 12, filter: { assigned: "anyone" } },
      { kind: "all" },
      { projectId: 2001, filter: { kinds: ["milestone"] } },
      { kind: "person", personId: 11, filter: { kinds: ["task", "subtask"] } },
      { kind: "all", filter: { kinds: ["milestone"] } },
    ].map((body) => create(body).id);
    const names = () => ids.map((id) => feeds.get(id)?.name);
    expect(names()).toEqual([
      "Website (Ana)",
      "Assigned to Ana",
      "Projects of Björn",
      "All projects",
      "Website: milestones",
      "Tasks and subtasks assigned to Ana",
      "Milestones of all projects",
    ]);
    store.directory.putPeople([aPerson(11, "Anna"), aPerson(12, "Björn")], true);
    const [first] = ids;
    if (first) feeds.change(first, { name: "For the tablet" });
    feeds.ensure();
    expect(names()).toEqual([
      "For the tablet",
      "Assigned to Anna",
      "Projects of Björn",
      "All projects",
      "Website: milestones",
      "Tasks and subtasks assigned to Anna",
      "Milestones of all projects",
    ]);
  });

  it("has its exact color and the nearest color name", () => {
    const { create, open, store, feeds } = rig();
    store.directory.putProjects([{ ...aProject(2001, "Website"), color: "#428bca" }], false);
    const { id } = create({ projectId: 2001 });
    const text = () => open(id).body().toString();
    expect(text()).toContain("\r\nCOLOR:steelblue\r\nX-APPLE-CALENDAR-COLOR:#428BCA\r\n");
    const before = open(id).head().etag;
    feeds.change(id, { colour: "#FF0000" });
    expect(text()).toContain("\r\nCOLOR:red\r\nX-APPLE-CALENDAR-COLOR:#FF0000\r\n");
    expect(open(id).head().etag).not.toBe(before);
    feeds.change(id, { colour: null });
    expect(text()).not.toContain("COLOR");
  });

  it("follows an item that enters and leaves it", () => {
    const { create, titles, put } = rig();
    const { id } = create({ kind: "all", filter: { labels: ["Design"] } });
    expect(titles(id)).toEqual(["Design it"]);
    put(
      aTask(9, {
        ...soon,
        title: "At the fair",
        projectId: projectId(2002),
        listId: listId(3003),
        labels: [labelId(51)],
      }),
    );
    expect(titles(id)).toEqual(["At the fair", "Design it"]);
    put(aTask(6, { ...soon, title: "Design it" }));
    expect(titles(id)).toEqual(["At the fair"]);
  });

  it("is neither rendered nor changed if something else changes", () => {
    const { create, open, put, feeds } = rig();
    const mine = create({ kind: "person", personId: 11 }).id;
    const [before, body] = [open(mine).head(), open(mine).body()];
    for (let id = 100; id < 180; id++) put(anEvent(id, { title: `Other ${id}` }));
    expect(open(mine).current()).toEqual(before);
    expect(open(mine).body()).toBe(body);
    put(anEvent(200, { title: "New of mine", assigned: [personId(11)] }));
    expect(open(mine).current()).toBeNull();
    expect(open(mine).head().etag).not.toBe(before.etag);
    expect(feeds.get(mine)?.items).toBe(4);
  });

  it("is the same without cached components, after any changes", () => {
    const { create, open, put, store } = rig();
    const ids = [
      { kind: "person", personId: 11, filter: { assigned: "anyone" } },
      { kind: "all" },
    ].map((body) => create(body).id);
    const texts = () => ids.map((id) => open(id).body().toString());
    texts();
    put(anEvent(2, { title: "Mine, later", assigned: [personId(11)] }));
    store.directory.putProjects([{ ...aProject(2002, "Trade fair"), archived: true }], false);
    const followed = texts();
    expect(followed.join()).not.toContain("At the fair");
    store.directory.putProjects([aProject(2002, "Trade fair")], false);
    expect(texts().every((text) => text.includes("At the fair"))).toBe(true);
  });

  it("explains why it is empty: 410 after a person has left, 503 if its labels are gone", () => {
    const { create, open, store, feeds } = rig();
    const mine = create({ kind: "person", personId: 11 }).id;
    const labelled = create({ kind: "all", filter: { labels: [51] } }).id;
    const ofFair = create({ kind: "person", personId: 12, filter: { projects: [2002] } }).id;
    expect([mine, labelled, ofFair].map((id) => open(id).fault())).toEqual([null, null, null]);
    store.directory.putLabels([aLabel(51, "Art"), aLabel(52, "Print, web")], true);
    expect(open(labelled).fault()).toBeNull();
    store.directory.putLabels([aLabel(52, "Print, web")], true);
    store.directory.putPeople([aPerson(12, "Björn")], true);
    store.directory.putProjects(
      [{ ...aProject(2002, "Trade fair"), members: [personId(11)] }],
      false,
    );
    expect([mine, labelled, ofFair].map((id) => open(id).fault()?.kind)).toEqual([
      "closed",
      "emptied",
      "closed",
    ]);
    expect(feeds.get(mine)?.problem).toBe("the person whose feed this is has left the workspace");
    store.directory.putPeople([aPerson(11, "Ana"), aPerson(12, "Björn")], true);
    expect(open(mine).fault()).toBeNull();
  });

  it("belongs to its person: others neither see nor change it", () => {
    const { create, feeds } = rig();
    const own = create({ kind: "person", personId: 11 });
    const other = create({ kind: "person", personId: 12 });
    expect(feeds.list(ana).map(({ id }) => id)).toEqual([own.id]);
    expect(feeds.get(other.id, ana)).toBeNull();
    expect(feeds.rotate(other.id, ana)).toBeNull();
    expect(feeds.change(other.id, { name: "Taken" }, ana)).toBeNull();
    expect(feeds.revoke(other.id, ana)).toBe(false);
    expect(feeds.revoke(own.id, ana)).toBe(true);
  });
});

describe("a requested feed", () => {
  it.each<[string, object, readonly string[]]>([
    ["the kind is missing", {}, ["kind"]],
    [
      "keys are unknown",
      { kind: "all", colour: null, color: "red", filter: { kind: "task" } },
      ["color", "filter.kind"],
    ],
    [
      "things are not there",
      { projectId: 9, filter: { labels: ["Nope", 51] } },
      ["projectId", "filter.labels"],
    ],
    [
      "lists are empty",
      { kind: "all", filter: { kinds: [], labels: [], projects: [], assigned: [] } },
      ["filter.kinds", "filter.labels", "filter.assigned", "filter.projects"],
    ],
    [
      "values are of another kind",
      {
        kind: "all",
        name: 5,
        colour: "no colour",
        filter: { completed: 14, private: "maybe", reminders: "no", assigned: "you" },
      },
      [
        "filter.assigned",
        "filter.completed",
        "filter.private",
        "filter.reminders",
        "name",
        "colour",
      ],
    ],
    ["nobody is me", { kind: "all", filter: { assigned: "me" } }, ["filter.assigned"]],
    ["a person's feed has no person", { kind: "person" }, ["personId"]],
    [
      "everything is asked for through somebody's eyes",
      { kind: "all", personId: 11 },
      ["personId"],
    ],
    [
      "labels meet kinds that have none",
      { kind: "all", filter: { labels: [51], kinds: ["event"] } },
      ["filter.labels"],
    ],
    [
      "projects narrow a project",
      { projectId: 2001, filter: { projects: [2001] } },
      ["filter.projects"],
    ],
  ])("has wrong fields named if %s", (_what, body, fields) => {
    const { store } = rig();
    const read = readFeedWish(body, { directory: store.directory, viewer: admin });
    expect(read.ok ? [] : read.failure.map(({ field }) => field)).toEqual(fields);
  });

  it("of a person is limited to what they see", () => {
    const { store } = rig();
    const ask = (body: object) => readFeedWish(body, { directory: store.directory, viewer: ana });
    expect(ask({})).toMatchObject({ ok: true, value: { kind: "person", personId: 11 } });
    expect(ask({ projectId: 2001 })).toMatchObject({
      ok: true,
      value: { kind: "project", personId: 11 },
    });
    expect(ask({ kind: "all" })).toMatchObject({ ok: false, failure: [{ field: "kind" }] });
    expect(ask({ personId: 12 })).toMatchObject({ ok: false, failure: [{ field: "personId" }] });
    store.directory.putProjects(
      [{ ...aProject(2002, "Trade fair"), members: [personId(12)] }],
      false,
    );
    expect(ask({ projectId: 2002 })).toMatchObject({
      ok: false,
      failure: [{ field: "projectId" }],
    });
  });

  it("cannot filter a project's automatic feed", () => {
    const { store, feeds } = rig();
    const [feed] = feeds.list();
    if (!feed) throw new Error("there is no feed");
    const read = readFeedChange({ filter: { kinds: ["task"] } }, feed, store.directory);
    expect(read).toMatchObject({ ok: false, failure: [{ field: "filter" }] });
  });
});
