import { describe, expect, it } from "vitest";
import { anEvent, aTask, days } from "../../support/items.ts";
import { vevent, withItem } from "../rig.ts";
import { review, subscriptionRig, usual } from "./subscription-rig.ts";

describe("a calendar that republishes our feed", () => {
  const fields = (title: string, sequence: number, stamp: string) => [
    `SUMMARY:${title}`,
    `SEQUENCE:${sequence}`,
    `LAST-MODIFIED:${stamp}`,
    ...usual,
  ];

  async function threeVersions() {
    const { rig, uid } = withItem(await subscriptionRig(), anEvent(1, { ...review, title: "One" }));
    await rig.shows(vevent(uid, ...fields("One", 0, "20261120T120000Z")));
    for (const title of ["Two", "Three"]) rig.put(anEvent(1, { ...review, title }));
    return { ...rig, uid };
  }

  it("makes no edit if it is hours behind, or returns to an old copy", async () => {
    const { uid, ...rig } = await threeVersions();
    await rig.shows(vevent(uid, ...fields("Two", 1, "20261120T130000Z")));
    await rig.shows(vevent(uid, ...fields("One", 0, "20261120T120000Z")));
    await rig.shows(vevent(uid, ...fields("Three", 2, "20261120T140000Z")));
    await rig.shows(vevent(uid, ...fields("Two", 1, "20261120T130000Z")));
    expect(rig.edits()).toEqual([]);
  });

  it("makes no edit out of decorations and completions", async () => {
    const rig = await subscriptionRig();
    rig.put(
      anEvent(1, { title: "Go live", milestone: true, when: days("2026-12-01"), assigned: [] }),
    );
    rig.put(aTask(7, { title: "Write" }));
    const component = (feed: string) =>
      feed.slice(feed.indexOf("BEGIN:VEVENT"), feed.lastIndexOf("END:VCALENDAR")).trim();
    const first = component(rig.feed());
    rig.put(
      anEvent(1, { title: "Go live", milestone: true, when: days("2026-12-01"), completed: true }),
    );
    rig.put(aTask(7, { title: "Write", completed: true, description: "<p>Now <b>done</b></p>" }));
    const second = component(rig.feed());
    rig.put(aTask(7, { title: "Write", description: "<p>Not yet</p>" }));
    await rig.shows(first);
    await rig.shows(second);
    expect(second).toContain("✓ Go live");
    expect(rig.edits()).toEqual([]);
  });

  it("makes an edit if a person reverts a change and its version is newer", async () => {
    const { uid, ...rig } = await threeVersions();
    await rig.shows(vevent(uid, ...fields("Three", 2, "20261120T140000Z")));
    await rig.shows(vevent(uid, ...fields("Two", 3, "20261120T150000Z")));
    expect(rig.edits()).toMatchObject([{ base: { title: "Three" }, patch: { title: "Two" } }]);
  });

  it("makes an edit if only LAST-MODIFIED says that it is newer", async () => {
    const { uid, ...rig } = await threeVersions();
    await rig.shows(vevent(uid, ...fields("Three", 0, "20261120T140000Z")));
    await rig.shows(vevent(uid, ...fields("One", 0, "20261120T150000Z")));
    expect(rig.wishes()).toEqual(["update Three"]);
  });

  it("makes an edit for a known item that appears later only if it was changed", async () => {
    const rig = await subscriptionRig();
    const [one, two] = [rig.put(anEvent(1, review)), rig.put(anEvent(2, { title: "Two" }))];
    await rig.shows(vevent("private@x", "SUMMARY:Dentist", ...usual));
    await rig.shows(
      vevent(one, "SUMMARY:Review", ...usual),
      vevent(two, "SUMMARY:Two, copied and changed", "SEQUENCE:0"),
    );
    expect(rig.wishes()).toEqual(["update Two"]);
  });
});
