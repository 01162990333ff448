import { expect, it } from "vitest";
import { feedId, listId, projectId } from "../../../src/domain/ids.ts";
import type { LinkAction } from "../../../src/domain/signed-links.ts";
import { linkRig, milestone, type Stored, task } from "./links-rig.ts";

it("a link shows title, project and both days, and changes nothing", () => {
  const { links, link, store, edits } = linkRig();
  const before = store.changes.latest();
  const state = links.look(link("week"));
  expect(state).toMatchObject({
    kind: "offer",
    action: "week",
    subject: { title: "Write <b>", kind: "task", project: "Website", completed: false },
  });
  expect(state.kind === "offer" && [state.subject.day?.toString(), state.day?.toString()]).toEqual([
    "2026-11-12",
    "2026-11-19",
  ]);
  expect(edits()).toEqual([]);
  expect(store.changes.latest()).toBe(before);
});

it.each<[string, LinkAction, Stored]>([
  ["done of a completed task", "done", { ...task, completed: true }],
  ["+1 day of a completed task", "day", { ...task, completed: true }],
  ["open again of an open task", "reopen", task],
  ["+1 day of a task without dates", "day", { ...task, dueOn: null }],
  ["done of a former milestone", "done", { ...milestone, milestone: false }],
])("a link offers nothing for %s", (_what, action, item) => {
  const { links, link, edits } = linkRig({ item });
  expect(links.look(link(action))).toMatchObject({ kind: "idle", action });
  expect(links.follow(link(action), "2026-11-12")).toMatchObject({ kind: "idle" });
  expect(edits()).toEqual([]);
});

it.each<[string, string, (rig: ReturnType<typeof linkRig>) => string]>([
  ["was never signed", "unknown", () => "A".repeat(46)],
  ["is nothing", "unknown", () => ""],
  ["names a feed that never was", "revoked", (rig) => rig.link("done", { feed: feedId(99) })],
  [
    "belongs to an earlier address",
    "revoked",
    (rig) => {
      rig.store.feeds.rotate(rig.feed.id);
      return rig.link("done");
    },
  ],
  [
    "belongs to a revoked feed",
    "revoked",
    (rig) => {
      rig.store.feeds.revoke(rig.feed.id);
      return rig.link("done");
    },
  ],
  [
    "is a day too old",
    "expired",
    (rig) => {
      rig.clock.set("2027-03-31T22:00:00Z");
      return rig.link("done");
    },
  ],
  [
    "names a deleted item",
    "gone",
    (rig) => {
      rig.store.mirror.bury(rig.key);
      rig.store.changes.publish(rig.key);
      return rig.link("done");
    },
  ],
  [
    "names an item that went to another project",
    "gone",
    (rig) => {
      rig.put({ ...task, projectId: projectId(2002) });
      rig.store.changes.publish(rig.key);
      return rig.link("done");
    },
  ],
  [
    "names a task of a list that became private",
    "gone",
    (rig) => {
      rig.put({ ...task, listId: listId(3002) });
      rig.store.changes.publish(rig.key);
      return rig.link("done");
    },
  ],
])("a link is void if it %s (%s)", (_what, fault, make) => {
  const rig = linkRig();
  const earlier = rig.links.follow(rig.link("week"), "2026-11-12");
  const edit = earlier.kind === "stored" ? earlier.edit : 0;
  expect(rig.links.result(rig.link("week"), edit).ok).toBe(true);
  const text = make(rig);
  expect(rig.links.look(text)).toEqual({ kind: "void", fault });
  expect(rig.links.follow(text, "2026-11-12")).toEqual({ kind: "void", fault });
  expect(rig.links.result(text, edit)).toEqual({ ok: false, failure: fault });
  expect(rig.edits()).toHaveLength(1);
});

it("a link works until midnight of its last day in the account's zone", () => {
  const { links, link, clock } = linkRig();
  clock.set("2027-03-31T21:59:59Z");
  expect(links.look(link("done")).kind).toBe("offer");
});

it("a link shows private items if feeds show them", () => {
  const { links, link } = linkRig({ private: "show", item: { ...task, listId: listId(3002) } });
  expect(links.look(link("done")).kind).toBe("offer");
});
