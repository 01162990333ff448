import { atOnce } from "@dayferry/event-loop";
import { describe, expect, it } from "vitest";
import { type AgendaFilter, createAgenda } from "../../src/calendars/agenda.ts";
import { listId, personId, projectId } from "../../src/domain/ids.ts";
import { acceptRig } from "../edits/rig.ts";
import { anEvent, aTask, days, times } from "../support/items.ts";

const [ana, ben] = [personId(11), personId(12)];
const all: AgendaFilter = {
  projects: new Set(),
  kinds: new Set(),
  assigned: null,
  completed: true,
};
const day = (text: string) => Temporal.PlainDate.from(text);
const week = { from: day("2026-11-23"), to: day("2026-11-30"), zone: "Europe/Berlin" };

function rig() {
  const accepting = acceptRig();
  const { store } = accepting;
  const put = (item: Parameters<typeof accepting.put>[0]) => accepting.put(item);
  const agenda = createAgenda(store);
  const titles = (filter: Partial<AgendaFilter> = {}, onlooker: typeof ana | null = null) =>
    atOnce(agenda.days(week, { onlooker, filter: { ...all, ...filter } }))
      .items.map(({ item }) => item.title)
      .toSorted();
  return { store, put, agenda, titles };
}

describe("days of the agenda", () => {
  it("contain what takes place on them in the reader's time zone, and nothing else", () => {
    const { put, titles } = rig();
    const events: readonly (readonly [string, ReturnType<typeof times>])[] = [
      ["last minute before", times("2026-11-22T22:00", "2026-11-23T00:00")],
      ["into the first day", times("2026-11-22T23:30", "2026-11-23T00:30")],
      ["without an end", times("2026-11-23T00:00")],
      ["last minute", times("2026-11-29T23:59")],
      ["after", times("2026-11-30T00:00")],
      ["days before", days("2026-11-20", "2026-11-22")],
      ["days into", days("2026-11-20", "2026-11-23")],
      ["days over all", days("2026-11-01", "2026-12-24")],
      ["day after", days("2026-11-30")],
    ];
    for (const [index, [title, when]] of events.entries()) put(anEvent(index + 1, { title, when }));
    for (const [id, due] of [
      [1, "2026-11-22"],
      [2, "2026-11-23"],
      [3, "2026-11-29"],
      [4, "2026-11-30"],
    ] as const) {
      put(aTask(id, { title: `due ${due}`, dueOn: day(due) }));
    }
    put(aTask(5, { title: "due never", dueOn: null }));
    expect(titles()).toEqual([
      "days into",
      "days over all",
      "due 2026-11-23",
      "due 2026-11-29",
      "into the first day",
      "last minute",
      "without an end",
    ]);
  });

  it("are complete, and listed until there is enough", () => {
    const { put, agenda } = rig();
    put(anEvent(1, { title: "fair", when: days("2026-11-20", "2026-11-25") }));
    put(anEvent(2, { title: "night", when: times("2026-11-25T00:30") }));
    put(anEvent(3, { title: "call", when: times("2026-11-24T10:00"), assigned: [ben] }));
    put(aTask(4, { title: "due", dueOn: day("2026-11-24") }));
    const list = (enough: number, filter: Partial<AgendaFilter> = {}) => {
      const about = { onlooker: null, filter: { ...all, ...filter }, enough };
      const { days: told, next } = atOnce(agenda.listing(week, about));
      const lines = told.map(
        ({ day: on, items }) => `${on.day} ${items.map(({ item }) => item.title).join(", ")}`,
      );
      return [...lines, next?.toString() ?? "all"];
    };
    expect(list(9)).toEqual(["23 fair", "24 call, due", "25 night", "all"]);
    expect(list(2)).toEqual(["23 fair", "24 call, due", "2026-11-25"]);
    expect(list(1, { assigned: ben })).toEqual(["24 call", "2026-11-25"]);
  });

  it("are read item by item, so that others run in between", () => {
    const { put, agenda } = rig();
    for (let id = 1; id <= 20; id++) put(aTask(id, { title: `Task ${id}`, dueOn: week.from }));
    const about = { onlooker: null, filter: all };
    expect([...agenda.days(week, about)]).toHaveLength(20);
    expect([...agenda.listing(week, { ...about, enough: 5 })]).toHaveLength(20);
  });

  it("respect the filter", () => {
    const { put, titles } = rig();
    put(anEvent(1, { title: "call", assigned: [ben] }));
    put(anEvent(2, { title: "fair", projectId: projectId(2002) }));
    put(anEvent(3, { title: "launch", milestone: true, when: days("2026-11-24") }));
    put(aTask(4, { title: "write", completed: true, assigned: [ana] }));
    expect(titles({ projects: new Set([projectId(2002)]) })).toEqual(["fair"]);
    expect(titles({ kinds: new Set(["milestone", "task"]) })).toEqual(["launch", "write"]);
    expect(titles({ assigned: ben })).toEqual(["call"]);
    expect(titles({ completed: false })).toEqual(["call", "fair", "launch"]);
  });

  it("hide what is private to others, including lists and projects", () => {
    const { put, store, titles } = rig();
    put(anEvent(1, { title: "open" }));
    put(anEvent(2, { title: "private of Ben", private: true, creatorId: ben }));
    put(anEvent(3, { title: "private with Ana", private: true, assigned: [ana] }));
    put(aTask(4, { title: "in a private list", listId: listId(3002) }));
    put(anEvent(5, { title: "of others", projectId: projectId(2002) }));
    const fair = store.directory.project(projectId(2002));
    if (!fair) throw new Error("the project is not known");
    store.directory.putProjects([{ ...fair, members: [ben] }], false);
    expect(titles({}, ana)).toEqual(["open", "private with Ana"]);
    expect(titles({}, ben)).toEqual(["of others", "open", "private of Ben"]);
    expect(titles()).toHaveLength(5);
  });
});

describe("search in the agenda", () => {
  function searchRig() {
    const made = rig();
    const find = (text: string, onlooker: typeof ana | null = null, limit = 50) => {
      const about = { onlooker, limit, today: day("2026-11-24") };
      return atOnce(made.agenda.search(text, about)).items.map(({ item }) => item.title);
    };
    return { ...made, find };
  }

  it("finds words and their beginnings in titles, descriptions and tickets", () => {
    const { put, find } = searchRig();
    put(anEvent(1, { title: 'Übergabe – Messe "Malmö"' }));
    put(aTask(2, { title: "Write", description: "<p>The <b>brochure</b> &amp; flyer</p>" }));
    put(aTask(3, { title: "Print", ticket: "DF-42" }));
    const found: readonly (readonly [string, readonly string[]])[] = [
      ["ubergabe", ['Übergabe – Messe "Malmö"']],
      ["MES malm", ['Übergabe – Messe "Malmö"']],
      ["malmö messe", ['Übergabe – Messe "Malmö"']],
      ['"Malmö"', ['Übergabe – Messe "Malmö"']],
      ["broch", ["Write"]],
      ["DF-42", ["Print"]],
      // A part of a word, if nothing begins with it.
      ["essE", ['Übergabe – Messe "Malmö"']],
      ["strong", []],
      ["messe nowhere", []],
      ["*", []],
      ["%", []],
      [" ", []],
      ['" OR NEAR(', []],
    ];
    expect(found.map(([text]) => [text, find(text)])).toEqual(found);
  });

  it("finds an item in its present state", () => {
    const { put, find, store } = searchRig();
    const uid = put(anEvent(1, { title: "Kickoff", description: "agenda" }));
    put(anEvent(1, { title: "Launch", description: "agenda" }));
    expect([find("kickoff"), find("launch")]).toEqual([[], ["Launch"]]);
    put(anEvent(1, { title: "Launch", description: "minutes" }));
    expect([find("agenda"), find("minutes")]).toEqual([[], ["Launch"]]);
    const key = store.view.findUid(uid)?.key;
    if (key) store.mirror.bury(key);
    expect(find("launch")).toEqual([]);
  });

  it("ranks titles before texts, open before completed, and near dates before distant ones", () => {
    const { put, find } = searchRig();
    const on = (text: string) => ({ dueOn: day(text) });
    put(aTask(1, { title: "text", description: "release", ...on("2026-11-24") }));
    put(aTask(2, { title: "release, done", completed: true, ...on("2026-11-24") }));
    put(aTask(3, { title: "release, far", ...on("2027-11-24") }));
    put(aTask(4, { title: "release, near", ...on("2026-11-20") }));
    put(aTask(5, { title: "release, some day", dueOn: null }));
    const best = ["release, near", "release, far", "release, some day", "release, done", "text"];
    expect(find("release")).toEqual(best);
    expect(find("release", null, 2)).toEqual(best.slice(0, 2));
  });

  it("finds nothing that the person cannot see", () => {
    const { put, find, store } = searchRig();
    put(anEvent(1, { title: "plan one", private: true, creatorId: ben }));
    put(aTask(2, { title: "plan two", listId: listId(3002) }));
    put(anEvent(3, { title: "plan three", projectId: projectId(2002) }));
    const fair = store.directory.project(projectId(2002));
    if (fair) store.directory.putProjects([{ ...fair, members: [ben] }], false);
    expect([find("plan", ana), find("lan", ana)]).toEqual([[], []]);
    expect(find("plan", ben).toSorted()).toEqual(["plan one", "plan three"]);
    expect(find("plan")).toHaveLength(3);
  });
});

it("an item of the agenda is hidden from those who cannot see it, and names project and list otherwise", () => {
  const { put, store, agenda } = rig();
  const key = store.view.findUid(put(aTask(4, { listId: listId(3002), assigned: [ben] })))?.key;
  if (!key) throw new Error("the task is not shown");
  expect(agenda.item(key, ana)).toBeNull();
  expect(agenda.item(key, ben)).toMatchObject({
    private: true,
    canComplete: true,
    project: { title: "Website" },
    list: { title: "List 3002" },
  });
  expect(agenda.item(key, null)).toMatchObject({ item: { kind: "task" } });
});
