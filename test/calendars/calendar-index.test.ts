import { describe, expect, it } from "vitest";
import { listId } from "../../src/domain/ids.ts";
import { anEvent, aTask } from "../support/items.ts";
import { ann, bodyOf, calendarRig, open, storedObject, textOf } from "./rig.ts";

describe("preparing a calendar", () => {
  it("gives the same members if items change meanwhile", async () => {
    const rig = calendarRig();
    const { put, store, calendars } = rig;
    const keys = Array.from({ length: 300 }, (_, nth) =>
      put(anEvent(nth + 1, { title: `Event ${nth}`, assigned: nth % 2 === 0 ? [ann] : [] })),
    );
    const [first, second] = keys;
    if (!first || !second) throw new Error("nothing was put");
    const ready = [
      calendars.prepare(ann, "events-2001"),
      calendars.prepare(ann, "assigned"),
      calendars.prepare(ann, "events-2001"),
    ];
    put(anEvent(1, { title: "Changed meanwhile", assigned: [] }));
    put(anEvent(400, { title: "New meanwhile", assigned: [ann] }));
    store.mirror.bury(second);
    for (const one of ready) await one;
    for (const slug of ["events-2001", "assigned"]) {
      expect(calendars.prepare(ann, slug)).toBeNull();
      const members = calendars.objects(open(rig, slug));
      const anew = rig.reopened();
      expect(members).toEqual(anew.objects(open({ calendars: anew }, slug)));
      expect(members.map((object) => textOf(rig, object)).join("")).toContain("New meanwhile");
    }
    expect(calendars.objects(open(rig, "assigned")).map(({ key }) => key)).not.toContain(first);
  });

  it("gives the same members if a program puts octets meanwhile", async () => {
    const rig = calendarRig();
    const { put, store, calendars } = rig;
    const keys = Array.from({ length: 300 }, (_, nth) => put(anEvent(nth + 1)));
    const [key] = keys;
    if (!key) throw new Error("nothing was put");
    const { uid } = store.mirror.identity(key);
    const ready = calendars.prepare(ann, "events-2001");
    store.together(() => calendars.keep(storedObject(key, uid, bodyOf(uid, "Item 1"))));
    await ready;
    const anew = rig.reopened();
    expect(calendars.objects(open(rig, "events-2001"))).toEqual(
      anew.objects(open({ calendars: anew }, "events-2001")),
    );
  });

  it("reads what all calendars of a person need, and no members of others", async () => {
    const rig = calendarRig();
    rig.put(aTask(1, { listId: listId(3002), assigned: [ann] }));
    await rig.calendars.prepare(ann, null);
    expect(rig.calendars.prepare(ann, null)).toBeNull();
    for (const calendar of rig.calendars.list(ann)) rig.calendars.ctag(calendar);
    const ready = rig.calendars.prepare(ann, "events-2001");
    expect(ready).toBeInstanceOf(Promise);
    await ready;
  });
});
