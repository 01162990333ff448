import { describe, expect, it } from "vitest";
import { calendar, vevent, vtodo } from "../rig.ts";
import { drainRig, withEvent } from "./drain-rig.ts";
import { moveRig } from "./move-rig.ts";

const created = calendar(vevent("new@example.com", "SUMMARY:New", "DTSTART;VALUE=DATE:20261205"));

const rawOf = (of: object) => ({ ...of });

describe("a creation with a wrong response", () => {
  it.each([
    ["the item that is known", (known: object) => known],
    ["an unknown item", (known: object) => ({ ...known, id: 999_999, title: "Welcome" })],
    ["a list", (known: object) => [known]],
    ["nothing of use", () => ({ status: "ok" })],
  ])("creates the item once, and leaves the other item alone: %s", async (_what, body) => {
    const { rig, uid, id } = await withEvent(drainRig(), { title: "Old" });
    const [known] = rig.workspaceEvents();
    rig.sandbox.faults.add({ kind: "replace", method: "POST", body: body(rawOf(known ?? {})) });
    rig.send(created);
    expect(await rig.drainAll()).toEqual(["confirmed"]);
    expect(
      rig
        .workspaceEvents()
        .map(({ title }) => title)
        .toSorted(),
    ).toEqual(["New", "Old"]);
    expect(rig.store.view.findUid(uid)?.item).toMatchObject({ id, title: "Old" });
    expect(rig.store.view.findUid("new@example.com")?.item).toMatchObject({ title: "New" });
    rig.send(calendar(vevent("new@example.com", "SUMMARY:Newer")));
    await rig.drainAll();
    expect(
      rig
        .workspaceEvents()
        .map(({ title }) => title)
        .toSorted(),
    ).toEqual(["Newer", "Old"]);
  });

  it("creates the item once, and leaves someone else's item alone whose ID was returned", async () => {
    const rig = await drainRig();
    const day = { start: "2026-12-08", end: "2026-12-08", all_day: true };
    const theirs = rig.sandbox.workspace.events.create(rig.by, { ...day, title: "Theirs" });
    const body = { ...theirs, title: "Another" };
    rig.sandbox.faults.add({ kind: "replace", method: "POST", body });
    rig.send(created);
    await rig.drainAll();
    const titles = rig.workspaceEvents().map(({ title }) => title);
    expect(titles.toSorted()).toEqual(["New", "Theirs"]);
    expect(rig.states()).toEqual(["confirmed"]);
    expect(rig.store.view.findUid("new@example.com")?.item).toMatchObject({ title: "New" });
  });

  it("creates both items once if the response names another edit's item", async () => {
    let meanwhile: (() => Promise<unknown>) | null = null;
    const rig = await drainRig({
      wrap: (upstream) => ({
        ...upstream,
        events: {
          ...upstream.events,
          async get(...asked) {
            const other = meanwhile;
            meanwhile = null;
            await other?.();
            return upstream.events.get(...asked);
          },
        },
      }),
    });
    const transform = (made: unknown) => {
      const { id, ...rest } = Object(made);
      return { ...rest, id: id + 1, title: "Another" };
    };
    rig.sandbox.faults.add({ kind: "transform", method: "POST", transform });
    rig.sandbox.faults.add({ kind: "status", status: 404, method: "GET", path: /events\/\d+$/ });
    rig.send(created);
    const second = ["SUMMARY:Second", "DTSTART;VALUE=DATE:20261206"];
    rig.send(calendar(vevent("second@example.com", ...second)));
    meanwhile = () => rig.step();
    await rig.step();
    rig.sandbox.faults.clear();
    await rig.drainAll();
    const titles = rig.workspaceEvents().map(({ title }) => title);
    expect(titles.toSorted()).toEqual(["New", "Second"]);
    for (const [uid, title] of [
      ["new@example.com", "New"],
      ["second@example.com", "Second"],
    ] as const) {
      const item = rig.store.view.findUid(uid)?.item;
      const event = rig.workspaceEvents().find(({ id }) => id === item?.id);
      expect([item?.title, event?.title]).toEqual([title, title]);
    }
  });
});

describe("a change with a wrong response changes the right item", () => {
  it.each(["PUT", "GET"] as const)("event: %s", async (method) => {
    const rig = await drainRig();
    const other = await rig.event({ title: "Other" });
    const { uid, id } = await rig.event({ title: "Old" });
    const body = rig.workspaceEvents().find((event) => event.id === other.id);
    rig.sandbox.faults.add({ kind: "replace", method, path: /events\/\d+$/, body });
    rig.send(calendar(vevent(uid, "SUMMARY:New")));
    expect(await rig.drainAll()).toEqual(["confirmed"]);
    expect(rig.edit().conflicts).toEqual([]);
    expect(
      rig
        .workspaceEvents()
        .map(({ title }) => title)
        .toSorted(),
    ).toEqual(["New", "Other"]);
    expect(rig.store.view.findUid(uid)?.item).toMatchObject({ id, title: "New" });
    expect(rig.store.view.findUid(other.uid)?.item).toMatchObject({ title: "Other" });
  });

  it.each(["PUT", "GET"] as const)("task: %s", async (method) => {
    const rig = await drainRig();
    const other = await rig.task({ title: "Other" });
    const { uid, id } = await rig.task({ title: "Old" });
    const body = rig.workspaceTasks().find((task) => task.id === other.id);
    rig.sandbox.faults.add({ kind: "replace", method, path: /tasks\/\d+$/, body });
    rig.send(calendar(vtodo(uid, "SUMMARY:New", "STATUS:COMPLETED")));
    expect(await rig.drainAll()).toEqual(["confirmed"]);
    expect(rig.store.view.findUid(uid)?.item).toMatchObject({ id, title: "New", completed: true });
    expect(rig.store.view.findUid(other.uid)?.item).toMatchObject({ title: "Other" });
  });
});

it.each([
  ["a task that is known", "Other", 0],
  ["an unknown task", "Welcome", 900_000],
  ["a task of that title that is known", "Old", 0],
])(
  "a move with a wrong response moves the task once, and leaves the other alone: %s",
  async (_what, title, above) => {
    const rig = await moveRig();
    const other = await rig.task({ title });
    const { uid, id } = await rig.task({ title: "Old" });
    const body = rig.workspaceTasks().find((task) => task.id === other.id);
    rig.sandbox.faults.add({
      ...{ kind: "replace", method: "PUT", path: /tasks\/\d+$/ },
      body: { ...body, id: other.id + above },
    });
    rig.toOther(uid);
    expect(await rig.drainAll()).toEqual(["confirmed"]);
    expect(rig.store.view.findUid(uid)?.item).toMatchObject({ id, listId: rig.otherList });
    expect(rig.store.view.findUid(other.uid)?.item).toMatchObject({ title, listId: rig.list });
    expect(rig.workspaceTasks()).toMatchObject([{ id: other.id, title }]);
  },
);
