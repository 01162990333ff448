import { atOnce } from "@dayferry/event-loop";
import { describe, expect, it } from "vitest";
import type { Calendar } from "../../src/calendars/calendar-types.ts";
import { listId, projectId } from "../../src/domain/ids.ts";
import { anEvent, aProject, aTask, aTodolist } from "../support/items.ts";
import { ann, bob, calendarRig, eve, open } from "./rig.ts";

describe("changes since a token", () => {
  it("bury a task here that moves to another list, and add it there", () => {
    const rig = calendarRig();
    const key = rig.put(aTask(1));
    const { uid } = rig.seen(key);
    const [from, to] = [open(rig, "tasks-3001"), open(rig, "tasks-3003")];
    const tokens = [from, to].map((each) => rig.calendars.token(each));
    rig.put(aTask(1, { projectId: projectId(2002), listId: listId(3003) }));
    const [left, arrived] = [from, to].map((each, at) =>
      rig.calendars.changes(each, { token: tokens[at] ?? "", limit: null }),
    );
    expect(left).toMatchObject({ put: [], buried: [`${uid}.ics`] });
    expect(arrived?.put.map((object) => object.key)).toEqual([key]);
    expect(arrived?.buried).toEqual([]);
  });

  it("report a deleted item to everyone who could see it, and to nobody else", () => {
    const rig = calendarRig();
    const calendar = open(rig, "events-2001", eve);
    rig.put(anEvent(1, { private: true, creatorId: bob }));
    const token = rig.calendars.token(calendar);
    const key = rig.put(anEvent(2));
    rig.store.mirror.bury(key);
    rig.store.mirror.bury(rig.put(anEvent(1, { private: true, creatorId: bob, title: "x" })));
    expect(rig.calendars.changes(calendar, { token, limit: null })).toMatchObject({
      put: [],
      buried: [`${rig.store.mirror.identity(key).uid}.ics`],
      truncated: false,
    });
  });

  it("bury an item for everyone who can no longer see it", () => {
    const rig = calendarRig();
    const [forAnn, forEve] = [open(rig, "events-2001"), open(rig, "events-2001", eve)];
    const { uid } = rig.seen(rig.put(anEvent(1, { assigned: [ann] })));
    const tokens = [forAnn, forEve].map((each) => rig.calendars.token(each));
    rig.put(anEvent(1, { assigned: [ann], private: true }));
    const told = [forAnn, forEve].map((each, at) =>
      rig.calendars.changes(each, { token: tokens[at] ?? "", limit: null }),
    );
    expect(told[0]).toMatchObject({ buried: [], put: [{ uid }] });
    expect(told[1]).toMatchObject({ buried: [`${uid}.ics`], put: [] });
  });

  it.each(["events-2001", "assigned"])(
    "move token and ctag of %s only for those who can see them",
    (slug) => {
      const rig = calendarRig();
      const calendars = [open(rig, slug), open(rig, slug, eve)];
      const states = () =>
        calendars.map((one) => `${rig.calendars.token(one)} ${rig.calendars.ctag(one)}`);
      const [annBefore, eveBefore] = states();
      rig.put(anEvent(1, { private: true, assigned: [ann], title: "Secret" }));
      const [annAfter, eveAfter] = states();
      expect([annAfter === annBefore, eveAfter === eveBefore]).toEqual([false, true]);
      rig.store.mirror.bury(rig.put(anEvent(1, { private: true, assigned: [ann], title: "x" })));
      expect([states()[0] === annAfter, states()[1] === eveBefore]).toEqual([false, true]);
    },
  );

  it("keep a token of assigned items valid across a restart", () => {
    const rig = calendarRig();
    rig.put(aTask(1, { assigned: [ann] }));
    const calendar = open(rig, "assigned");
    const token = rig.calendars.token(calendar);
    const reopened = rig.reopened();
    expect(reopened.token(calendar)).toBe(token);
    const key = rig.put(aTask(1, { assigned: [ann], title: "Changed" }));
    const told = reopened.changes(calendar, { token, limit: null });
    expect(told?.put.map((object) => object.key)).toEqual([key]);
  });

  it("changes() is null for a foreign token, or when what may be seen has changed", () => {
    const rig = calendarRig();
    rig.put(anEvent(1));
    const calendar = open(rig, "tasks-3001");
    const token = rig.calendars.token(calendar);
    const ask = (text: string, of = calendar) =>
      rig.calendars.changes(of, { token: text, limit: null });
    expect(ask(token)).toMatchObject({ put: [], buried: [], token });
    expect(ask("")).not.toBeNull();
    for (const bad of ["0", "x", `${token}zzzz`, token.replace(/:[^:]*$/, ":"), `${token}-1-1-1`]) {
      expect(ask(bad)).toBeNull();
    }
    expect(ask(token, open(rig, "tasks-3001", bob))).toBeNull();
    expect(ask(token, open(rig, "events-2001"))).toBeNull();
    rig.store.directory.putTodolists(
      null,
      [
        aTodolist(3001, { title: "Relaunch", private: true }),
        aTodolist(3003, { projectId: projectId(2002) }),
      ],
      true,
    );
    expect(ask(token)).toBeNull();
  });

  it("changes() voids the token when a person leaves a project with assigned items", () => {
    const rig = calendarRig();
    rig.put(aTask(1, { projectId: projectId(2002), listId: listId(3003), assigned: [bob] }));
    const calendar = open(rig, "assigned", bob);
    const token = rig.calendars.token(calendar);
    expect(rig.calendars.objects(calendar)).toHaveLength(1);
    rig.store.directory.putProjects(
      [aProject(2001, "Website"), { ...aProject(2002, "Fair"), members: [ann] }],
      true,
    );
    expect(rig.calendars.changes(calendar, { token, limit: null })).toBeNull();
    expect(rig.calendars.objects(calendar)).toEqual([]);
  });

  it("changes() refuses a token older than the shortened log, unless the calendar is unchanged", () => {
    const rig = calendarRig();
    rig.put(anEvent(1));
    rig.put(aTask(1));
    const [events, tasks] = [open(rig, "events-2001"), open(rig, "tasks-3001")];
    const [old, quiet] = [rig.calendars.token(events), rig.calendars.token(tasks)];
    rig.put(anEvent(1, { title: "b" }));
    const between = rig.calendars.token(events);
    rig.put(anEvent(1, { title: "c" }));
    rig.clock.advance({ hours: 24 * 100 });
    rig.put(anEvent(2));
    atOnce(rig.store.pastEdits.prune(rig.clock().subtract({ hours: 24 * 90 })));
    const ask = (calendar: Calendar, token: string) =>
      rig.calendars.changes(calendar, { token, limit: null });
    expect([ask(events, old), ask(events, between)]).toEqual([null, null]);
    expect(ask(tasks, quiet)).toMatchObject({ put: [], buried: [] });
    const whole = ask(events, "");
    expect(whole?.put).toHaveLength(2);
    expect(ask(events, whole?.token ?? "")).toMatchObject({ put: [], truncated: false });
    expect(ask(tasks, rig.calendars.token(tasks))).toMatchObject({ put: [] });
  });

  it("changes() buries the old name of a renamed member, and puts the new one", () => {
    const rig = calendarRig();
    const key = rig.put(anEvent(1));
    const calendar = open(rig, "events-2001");
    const before = rig.calendars.objects(calendar)[0]?.name;
    const token = rig.calendars.token(calendar);
    rig.store.together(() => rig.calendars.rename(key, "new name.ics"));
    const told = rig.calendars.changes(calendar, { token, limit: null });
    expect(told).toMatchObject({ put: [{ name: "new name.ics" }], buried: [before] });
    expect(rig.reopened().changes(calendar, { token, limit: null })).toEqual(told);
  });

  it("changes() buries a deleted member that someone else had put under another name", () => {
    const rig = calendarRig();
    const key = rig.put(anEvent(1));
    const { uid } = rig.seen(key);
    const { objectNames, changes } = rig.store;
    objectNames.put({ item: key, name: "held.ics", revision: changes.latest(), person: bob });
    rig.put(anEvent(1, { title: "Later" }));
    const calendar = open(rig, "events-2001");
    const token = rig.calendars.token(calendar);
    rig.store.mirror.bury(key);
    rig.put(anEvent(1, { projectId: projectId(2002) }));
    objectNames.put({ item: key, name: "held.ics", revision: changes.latest(), person: null });
    const told = rig.calendars.changes(calendar, { token, limit: null });
    expect(told).toMatchObject({ put: [], buried: [`${uid}.ics`] });
  });
});
