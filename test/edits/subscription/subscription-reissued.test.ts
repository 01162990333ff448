import { describe, expect, it } from "vitest";
import { anEvent, times } from "../../support/items.ts";
import { vevent, withItem } from "../rig.ts";
import { review, subscriptionRig } from "./subscription-rig.ts";

// Outlook's published calendars give every item another UID at every answer.

const event = (uid: string, title: string, hour = "10") =>
  vevent(
    uid,
    `SUMMARY:${title}`,
    `DTSTART;TZID=W. Europe Standard Time:20261123T${hour}0000`,
    `DTEND;TZID=W. Europe Standard Time:20261123T${hour}3000`,
  );
const half = { ...review, when: times("2026-11-23T10:00", "2026-11-23T10:30") };

const twoWay = () => subscriptionRig({ options: { new: "create", gone: "delete" } });

describe("a calendar that reissues its UIDs", () => {
  it("causes neither duplicates nor deletions, and changes are edits", async () => {
    const { rig, uid } = withItem(await twoWay(), anEvent(1, half));
    const answers = (round: number, title: string, hour?: string) =>
      rig.shows(
        event(round === 0 ? uid : `a${round}@outlook`, title, hour),
        event(`b${round}@outlook`, "Lunch", "12"),
        event(`c${round}@outlook`, "Call", "15"),
      );
    await answers(0, "Review");
    for (let round = 1; round < 4; round++) await answers(round, "Review");
    expect(rig.edits()).toEqual([]);
    expect(rig.items()).toHaveLength(3);

    await answers(4, "Review of Q4");
    await answers(5, "Review of Q4", "14");
    await answers(6, "Review of Q4", "14");
    expect(rig.wishes()).toEqual(["update Review", "update Review of Q4"]);
    expect(rig.edits().map(({ item }) => rig.store.mirror.identity(item).uid)).toEqual([uid, uid]);
    expect(rig.items().map(({ knownAs }) => knownAs)).toEqual([uid, null, null]);
  });

  it("recognizes an item that was created from it under another UID", async () => {
    const rig = await twoWay();
    await rig.shows(event("a0@outlook", "Lunch", "12"));
    await rig.shows(event("a1@outlook", "Lunch", "12"), event("b1@outlook", "Kick-off"));
    await rig.shows(event("a2@outlook", "Lunch", "12"), event("b2@outlook", "Kick-off"));
    await rig.shows(event("a3@outlook", "Lunch", "12"), event("b3@outlook", "Kick-off", "16"));
    expect(rig.wishes()).toEqual(["create Kick-off", "update Kick-off"]);
    expect(new Set(rig.edits().map(({ item }) => item)).size).toBe(1);
  });

  it("deletes one item after two snapshots, and only that one", async () => {
    const { rig, uid } = withItem(await twoWay(), anEvent(1, half));
    const kept = rig.put(anEvent(2, { ...half, title: "Kept" }));
    await rig.shows(event(uid, "Review"), event(kept, "Kept"), event("l0@x", "Lunch", "12"));
    await rig.shows(event("k1@x", "Kept"), event("l1@x", "Lunch", "12"));
    await rig.shows(event("k2@x", "Kept"), event("l2@x", "Lunch", "12"));
    expect(rig.wishes()).toEqual(["delete Review"]);
  });

  it("differs from one item going and another coming", async () => {
    const { rig, uid } = withItem(await twoWay(), anEvent(1, half));
    await rig.shows(event(uid, "Review"), event("l@x", "Lunch", "12"));
    await rig.shows(event("n@x", "Review", "17"), event("l@x", "Lunch", "12"));
    await rig.again();
    expect(rig.wishes()).toEqual(["create Review", "delete Review"]);
  });

  it("keeps several items of the same title and time apart", async () => {
    const rig = await twoWay();
    await rig.shows(event("a@x", "Standup"), event("b@x", "Standup"), event("c@x", "Lunch", "12"));
    await rig.shows(event("d@x", "Standup"), event("e@x", "Standup"), event("f@x", "Lunch", "12"));
    expect(rig.items()).toHaveLength(3);
    await rig.shows(event("g@x", "Standup"), event("h@x", "Standup"), event("i@x", "Lunch", "12"));
    expect(rig.edits()).toEqual([]);
  });

  it("makes no guess if the remaining titles are ambiguous", async () => {
    const rig = await subscriptionRig({ options: { gone: "delete" } });
    const [one, two] = [
      rig.put(anEvent(1, { ...half, title: "Standup" })),
      rig.put(
        anEvent(2, { title: "Standup", when: times("2026-11-23T11:00", "2026-11-23T11:30") }),
      ),
    ];
    await rig.shows(
      event(one, "Standup"),
      event(two, "Standup", "11"),
      event("l@x", "Lunch", "12"),
    );
    await rig.shows(
      event("a@x", "Standup", "13"),
      event("b@x", "Standup", "14"),
      event("m@x", "Lunch", "12"),
    );
    expect(rig.edits()).toEqual([]);
  });

  it("makes no edit if two thousand UIDs change at once", async () => {
    const rig = await twoWay();
    const all = (round: number) =>
      Array.from({ length: 2000 }, (_, index) => event(`${index}-${round}@x`, `Event ${index}`));
    await rig.shows(...all(0));
    await rig.shows(...all(1));
    expect(rig.edits()).toEqual([]);
    expect(rig.items()).toHaveLength(2000);
  });
});
