import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it, onTestFinished } from "vitest";
import { feedId, personId, projectId } from "../../src/domain/ids.ts";
import { anEvent, aTask } from "../support/items.ts";
import { handClock, testDirectory, testStore } from "../support/test-store.ts";
import { storeRig } from "./rig.ts";

const website = projectId(2001);

describe("together() and durably()", () => {
  it.each(["together", "durably"] as const)("%s() keeps nothing when a step throws", (how) => {
    const { store } = storeRig();
    const steps = () => {
      store.mirror.put(anEvent(1), "events:2001");
      store.directory.putProjects([], true);
      throw new Error("in the middle");
    };
    expect(() => store[how](steps)).toThrow("in the middle");
    expect(store.mirror.counts().event).toBe(0);
    expect(store.changes.latest()).toBe(0);
    expect(store[how](() => store.mirror.put(anEvent(1), "events:2001"))).toBe("added");
  });

  it("durably() makes a change visible to other connections, and restores the usual pace", () => {
    const file = join(testDirectory(), "dayferry.sqlite");
    const store = testStore(handClock("2026-11-20T12:00:00Z"), file);
    store.durably(() => store.mirror.put(anEvent(1), "events:2001"));
    const reader = new Database(file, { readonly: true });
    onTestFinished(() => void reader.close());
    expect(reader.prepare("SELECT count(*) FROM view_items").pluck().get()).toBe(1);
    expect(() =>
      store.durably(() => {
        throw new Error("no");
      }),
    ).toThrow("no");
    expect(store.together(() => store.mirror.counts().event)).toBe(1);
  });
});

it("mirror knows an item that was to be made again as another kind and is back by itself", () => {
  const { store } = storeRig();
  const subtask = aTask(602, { kind: "subtask", parentId: aTask(601).id });
  store.mirror.put(subtask, "subtasks:601");
  const key = store.mirror.find("subtask", subtask.id) ?? expect.fail("it is not known");
  store.mirror.clearServiceId(key, "task");
  store.mirror.put(subtask, "subtasks:601");
  expect(store.mirror.find("subtask", subtask.id)).toBe(key);
});

it("mirror no longer shows an item that is to be made again under another id", () => {
  const { store, put } = storeRig();
  const key = put(anEvent(1));
  store.mirror.clearServiceId(key, "event");
  expect(store.view.get(key)).toBeNull();
});

describe("gateSlots", () => {
  it("loadRest() gives the last one saved, or none", () => {
    const { store } = storeRig();
    const notedAt = Temporal.Instant.from("2026-11-20T12:00:00Z");
    const rest = {
      notedAt,
      pausedUntil: notedAt.add({ seconds: 30 }),
      share: 17,
      quietSince: notedAt,
    };
    expect(store.gateSlots.loadRest()).toBeNull();
    store.gateSlots.saveRest({ ...rest, share: 24 });
    store.gateSlots.saveRest(rest);
    expect(store.gateSlots.loadRest()).toEqual(rest);
  });

  it("save() keeps only the current slots, to the nanosecond", () => {
    const { store } = storeRig();
    const startedAt = Temporal.Instant.from("2026-11-20T12:00:00.123456789Z");
    const answered = { startedAt, answeredAt: startedAt.add({ seconds: 1 }) };
    store.gateSlots.save([answered, { startedAt, answeredAt: null }, answered]);
    store.gateSlots.save([{ startedAt, answeredAt: null }, answered]);
    expect(store.gateSlots.load()).toEqual([{ startedAt, answeredAt: null }, answered]);
    store.gateSlots.save([]);
    expect(store.gateSlots.load()).toEqual([]);
  });
});

describe("feeds", () => {
  it("ensure() makes a feed for a project with none or only a revoked one", () => {
    const { store, clock } = storeRig();
    const { feeds } = store;
    const made = feeds.ensure(website, "Website");
    if (!made) throw new Error("no feed was made");
    expect(made).toMatchObject({
      kind: "project",
      projectId: 2001,
      name: "Website",
      version: 1,
      createdAt: clock(),
      revokedAt: null,
    });
    expect(feeds.ensure(website, "Web site")).toEqual({ ...made, name: "Web site" });
    expect(feeds.get(made.id)?.name).toBe("Web site");
    expect(feeds.create(website, "ignored").id).toBe(made.id);
    expect(feeds.revoke(made.id)).toBe(true);
    expect(feeds.ensure(website, "Website")).toBeNull();
    const again = feeds.create(website, "Website");
    expect(again.id).not.toBe(made.id);
    expect(feeds.ensure(website, "Website")?.id).toBe(again.id);
    expect(feeds.all().map(({ id }) => id)).toEqual([made.id, again.id]);
  });

  it("rotate() and revoke() change an open feed, and no revoked or unknown one", () => {
    const { store, clock } = storeRig();
    const { feeds } = store;
    const { id } = feeds.create(website, "Website");
    expect(feeds.rotate(id)).toBe(true);
    expect(feeds.get(id)?.version).toBe(2);
    clock.advance({ hours: 1 });
    expect(feeds.revoke(id)).toBe(true);
    expect(feeds.get(id)?.revokedAt).toEqual(clock());
    expect([
      feeds.rotate(id),
      feeds.revoke(id),
      feeds.rotate(feedId(99)),
      feeds.get(feedId(99)),
    ]).toEqual([false, false, false, null]);
  });

  it("state() and fragments() give what was last written", () => {
    const { store, put, clock } = storeRig();
    const { feeds } = store;
    const { id } = feeds.create(website, "Website");
    expect([feeds.state(id), feeds.fragments(id)]).toEqual([null, []]);
    const state = { inputs: "1", etag: '"a"', modifiedAt: clock(), items: 1, bytes: 20 };
    feeds.setState(id, { ...state, etag: '"b"' });
    feeds.setState(id, state);
    expect(feeds.state(id)).toMatchObject(state);
    const [a, b] = [put(anEvent(1)), put(anEvent(2))];
    feeds.putFragment(id, { key: a, field: 0, inputs: "i", sequence: 0, body: "old" });
    feeds.putFragment(id, { key: a, field: 0, inputs: "j", sequence: 1, body: "new" });
    feeds.putFragment(id, { key: b, field: 0, inputs: "i", sequence: 0, body: "b" });
    const [kept] = feeds.fragments(id);
    expect(kept).toEqual({ key: a, field: 0, inputs: "j", sequence: 1, body: "new" });
    feeds.putFragment(id, { key: a, field: 7, inputs: "i", sequence: 0, body: "of a field" });
    feeds.dropFragments(id, [a]);
    expect(feeds.fragments(id).map(({ key }) => key)).toEqual([b]);
    feeds.revoke(id);
    expect(feeds.fragments(feeds.create(website, "Website").id)).toEqual([
      { key: b, field: 0, inputs: "i", sequence: 0, body: "b" },
    ]);
  });
});

it("view.remindable() gives open, assigned items with a reminder or a day", () => {
  const { store, put } = storeRig();
  const assigned = [personId(11)];
  const reminder = Temporal.Duration.from("PT30M");
  put(anEvent(1, { assigned }));
  const event = put(anEvent(2, { assigned, reminder }));
  put(anEvent(3, { reminder }));
  const milestone = put(anEvent(4, { assigned, milestone: true }));
  put(anEvent(5, { assigned, milestone: true, completed: true }));
  const task = put(aTask(6, { assigned }));
  put(aTask(7, { assigned, dueOn: null }));
  const remindable = [...store.view.remindable()].flat();
  expect(remindable.map((view) => view.key)).toEqual([event, milestone, task]);
  expect(store.view.findUid(store.mirror.identity(event).uid)?.key).toBe(event);
});
