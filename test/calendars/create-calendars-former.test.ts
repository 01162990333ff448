import { describe, expect, it } from "vitest";
import { type ItemKey, listId, projectId } from "../../src/domain/ids.ts";
import { anEvent, aTask } from "../support/items.ts";
import { bob, calendarRig, eve, open } from "./rig.ts";

describe("a former member", () => {
  it("is reported as gone, moved or renamed, but null if it never existed or is hidden", () => {
    const rig = calendarRig();
    const [events, tasks] = [open(rig, "events-2001"), open(rig, "tasks-3001")];
    const gone = rig.put(anEvent(1));
    const moved = rig.put(aTask(2));
    const secret = rig.put(anEvent(3, { private: true, creatorId: bob }));
    const nameOf = (key: ItemKey) => `${rig.store.mirror.identity(key).uid}.ics`;
    const [goneName, movedName, secretName] = [gone, moved, secret].map(nameOf);
    expect(rig.calendars.formerMember(events, goneName ?? "")).toBeNull();
    rig.store.mirror.bury(gone);
    rig.store.mirror.bury(secret);
    rig.put(aTask(2, { projectId: projectId(2002), listId: listId(3003) }));
    expect(rig.calendars.formerMember(events, goneName ?? "")).toMatchObject({
      key: gone,
      isGone: true,
    });
    expect(rig.calendars.formerMember(tasks, movedName ?? "")).toMatchObject({
      key: moved,
      isGone: false,
    });
    expect(rig.calendars.formerMember(open(rig, "tasks-3001", eve), movedName ?? "")).toBeNull();
    expect(rig.calendars.formerMember(tasks, goneName ?? "")).toBeNull();
    expect(rig.calendars.formerMember(events, secretName ?? "")).toBeNull();
    expect(rig.calendars.formerMember(events, "never.ics")).toBeNull();
  });

  it("is found by a hash if its UID cannot be part of an address", () => {
    const rig = calendarRig();
    const { key, edit } = rig.appendCreation(anEvent(1), "odd/uid with spaces");
    const calendar = open(rig, "events-2001");
    const name = rig.calendars.objects(calendar)[0]?.name ?? "";
    expect(name).toMatch(/^x-[0-9a-f]{32}\.ics$/);
    expect(rig.calendars.object(calendar, name)?.key).toBe(key);
    rig.store.journal.discard(edit);
    expect(rig.calendars.formerMember(calendar, name)).toMatchObject({ key, isGone: true });
  });
});
