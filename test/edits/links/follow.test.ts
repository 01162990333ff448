import { describe, expect, it } from "vitest";
import type { LinkAction } from "../../../src/domain/signed-links.ts";
import { aTask } from "../../support/items.ts";
import { linkRig, milestone, type Stored, task } from "./links-rig.ts";

describe("following a link", () => {
  it("stores one edit based on what everybody sees, and wakes the drain", () => {
    const { links, link, edits, shown, woken, key } = linkRig();
    const outcome = links.follow(link("day"), "2026-11-12");
    expect(outcome).toMatchObject({ kind: "stored" });
    expect(edits()).toHaveLength(1);
    expect(edits()[0]).toMatchObject({
      channel: "link",
      actor: null,
      item: key,
      action: "update",
      state: "pending",
      newLabels: [],
    });
    const [edit] = edits();
    expect(edit?.base).toMatchObject({ title: "Write <b>" });
    expect(edit?.patch.dueOn?.toString()).toBe("2026-11-13");
    expect(shown()).toMatchObject({
      kind: "task",
      dueOn: Temporal.PlainDate.from("2026-11-13"),
    });
    expect(woken()).toBe(1);
  });

  it.each<[LinkAction, string, Stored]>([
    ["done", "complete", task],
    ["reopen", "reopen", { ...task, completed: true }],
    ["done", "complete", milestone],
    ["week", "update", milestone],
  ])("with action %s stores the action %s", (action, stored, item) => {
    const { links, link, edits } = linkRig({ item });
    const state = links.look(link(action));
    const day = state.kind === "offer" ? (state.subject.day?.toString() ?? "") : "";
    links.follow(link(action), day);
    expect(edits()).toMatchObject([{ action: stored, channel: "link" }]);
  });

  it.each<LinkAction>(["day", "week", "done"])("twice with %s stores one edit", (action) => {
    const { links, link, edits } = linkRig();
    const first = links.follow(link(action), "2026-11-12");
    expect(links.follow(link(action), "2026-11-12")).toEqual(first);
    expect(edits()).toHaveLength(1);
  });

  it("moves on if the page has shown the new date", () => {
    const { links, link, edits } = linkRig();
    links.follow(link("day"), "2026-11-12");
    links.follow(link("day"), "2026-11-13");
    expect(edits().map(({ patch }) => patch.dueOn?.toString())).toEqual([
      "2026-11-13",
      "2026-11-14",
    ]);
  });

  it.each(["", "2026-11-11", "2026-11-13", "tomorrow"])(
    "asks again and changes nothing if the page showed %j instead of the current day",
    (shown) => {
      const { links, link, edits } = linkRig();
      const outcome = links.follow(link("day"), shown);
      expect(outcome).toMatchObject({ kind: "moved", offer: { action: "day" } });
      expect(outcome.kind === "moved" && outcome.offer.day?.toString()).toBe("2026-11-13");
      expect(edits()).toEqual([]);
    },
  );

  it("asks again if someone else has already moved the item to that day", () => {
    const { links, link, put, edits } = linkRig();
    put({ ...task, dueOn: Temporal.PlainDate.from("2026-11-13") });
    expect(links.follow(link("day"), "2026-11-12")).toMatchObject({ kind: "moved" });
    expect(edits()).toEqual([]);
  });

  it("acts again after the first edit was undone", () => {
    const { links, link, edits, store } = linkRig();
    const first = links.follow(link("day"), "2026-11-12");
    if (first.kind === "stored") store.journal.discard(first.edit);
    const second = links.follow(link("day"), "2026-11-12");
    expect(second).toMatchObject({ kind: "stored" });
    expect(second).not.toEqual(first);
    expect(edits().map(({ state }) => state)).toEqual(["discarded", "pending"]);
  });

  it("waits once for a person in review mode, and does not wake the drain", () => {
    const { links, link, edits, woken, shown } = linkRig({ mode: "review" });
    const first = links.follow(link("done"), "2026-11-12");
    expect(links.follow(link("done"), "2026-11-12")).toEqual(first);
    expect(edits()).toMatchObject([{ state: "held", action: "complete" }]);
    expect(shown()?.completed).toBe(false);
    expect(woken()).toBe(0);
  });
});

it("the result of a link includes edits by links of the same item only", () => {
  const { links, link, store, put } = linkRig();
  const outcome = links.follow(link("day"), "2026-11-12");
  const edit = outcome.kind === "stored" ? outcome.edit : 0;
  expect(links.result(link("done"), edit)).toMatchObject({
    ok: true,
    value: { id: edit, channel: "link" },
  });
  const unknown = { ok: false, failure: "unknown" };
  expect(links.result(link("done"), edit + 1)).toEqual(unknown);
  expect(links.result(link("done"), Number.NaN)).toEqual(unknown);
  expect(links.result("A".repeat(46), edit)).toEqual(unknown);
  const other = put(aTask(10));
  expect(links.result(link("done", { item: other }), edit)).toEqual(unknown);
  const uploaded = store.journal.append({
    channel: "upload",
    actor: null,
    item: other,
    action: "complete",
    base: aTask(10),
    patch: { completed: true },
    newLabels: [],
    state: "pending",
  });
  expect(links.result(link("done", { item: other }), uploaded)).toEqual(unknown);
});
