import { atOnce } from "@dayferry/event-loop";
import { describe, expect, it } from "vitest";
import type { FeedChoice } from "../../src/domain/feed-filter.ts";
import { labelId, listId, personId, projectId } from "../../src/domain/ids.ts";
import { anEvent, aTask, days } from "../support/items.ts";
import { feedRig } from "./rig.ts";

const plain: FeedChoice = {
  kind: "project",
  projectId: projectId(2001),
  personId: null,
  filter: null,
};
const due = (text: string) => ({ dueOn: Temporal.PlainDate.from(text) });

it.each<[string, Parameters<ReturnType<typeof feedRig>["put"]>[0], Partial<FeedChoice>]>([
  ["It is of another project.", anEvent(1, { projectId: projectId(2002) }), {}],
  ["It is private.", anEvent(1, { private: true }), {}],
  ["It is private.", aTask(1, { ...due("2026-11-25"), listId: listId(3002) }), {}],
  ["It has no date.", aTask(1, { dueOn: null }), {}],
  ["It is over: the feed begins on Sat 22 Aug 2026.", anEvent(1, { when: days("2026-01-05") }), {}],
  ["It is later: the feed ends on Mon 20 Nov 2028.", anEvent(1, { when: days("2029-01-05") }), {}],
  [
    "It was completed before Fri 6 Nov 2026.",
    aTask(1, {
      ...due("2026-11-25"),
      completed: true,
      completedAt: Temporal.Instant.from("2026-10-01T00:00:00Z"),
    }),
    {},
  ],
  [
    "It is completed.",
    aTask(1, { ...due("2026-11-25"), completed: true }),
    { filter: { completed: "none" } },
  ],
  ["The feed shows no events.", anEvent(1), { filter: { kinds: ["task"] } }],
  [
    "It is assigned to no one whom the feed covers.",
    anEvent(1),
    { filter: { assigned: [personId(11)] } },
  ],
  [
    "It has none of the feed's labels.",
    aTask(1, due("2026-11-25")),
    { filter: { labels: [labelId(51)] } },
  ],
  [
    "The feed is empty: the labels it is filtered by were deleted.",
    aTask(1, due("2026-11-25")),
    { filter: { labels: [labelId(99)] } },
  ],
])("the presence in a feed says: %s", (why, item, choice) => {
  const { put, store, feeds } = feedRig();
  const { id } = feeds.create({ ...plain, ...choice, name: "Chosen", colour: null });
  put(item);
  const key = store.mirror.find(item.kind, item.id);
  const view = key && store.view.get(key);
  const found = view && feeds.presencesOf(view).find(({ feed }) => feed.id === id);
  expect(found?.presence).toEqual({ kind: "left-out", why });
});

describe("the contents of a feed", () => {
  it("list what comes next, and what is left out with an example", () => {
    const { put, feeds } = feedRig();
    put(anEvent(1, { title: "Over", when: days("2026-11-10") }));
    put(anEvent(2, { title: "Later", when: days("2026-12-10") }));
    put(anEvent(3, { title: "Soon", when: days("2026-11-22") }));
    put(aTask(4, { title: "Some day", dueOn: null }));
    put(aTask(5, { title: "Any day", dueOn: null }));
    put(anEvent(6, { title: "Secret", private: true }));
    const { shown, next, leftOut } = atOnce(feeds.contentOfChoice(plain));
    expect(shown).toBe(3);
    expect(next.map(({ item }) => item.title)).toEqual(["Soon", "Later"]);
    expect(leftOut.map(({ why, count, example }) => [why, count, example.item.title])).toEqual([
      ["It has no date.", 2, "Some day"],
      ["It is private.", 1, "Secret"],
    ]);
  });

  it("do not name what is hidden from a feed's person", () => {
    const { put, feeds } = feedRig();
    put(anEvent(1, { title: "Secret", private: true, creatorId: personId(12) }));
    const own = { ...plain, kind: "person", projectId: null, personId: personId(11) } as const;
    const choice: FeedChoice = { ...own, filter: { assigned: "anyone" } };
    expect(atOnce(feeds.contentOfChoice(choice))).toMatchObject({ shown: 0, leftOut: [] });
  });
});
