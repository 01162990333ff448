import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Calendar } from "../../src/calendars/calendar.ts";
import type { Calendars } from "../../src/calendars/calendars.ts";
import { type ItemKey, listId, projectId } from "../../src/domain/ids.ts";
import { anEvent, aProject, aTask, aTodolist } from "../support/items.ts";
import { ann, bob, calendarRig, eve, open } from "./rig.ts";

/** A program that does nothing but follow sync tokens. */
function follower(calendar: Calendar, limit: number | null) {
  const known = new Map<string, string>();
  let token = "";
  return {
    known,
    /** One request; whether there is more. Starts anew when the token is refused. */
    step(calendars: Calendars): boolean {
      const answer = calendars.changes(calendar, { token, limit });
      if (!answer) {
        known.clear();
        token = "";
        return true;
      }
      if (limit !== null) expect(answer.put.length).toBeLessThanOrEqual(limit);
      for (const name of answer.buried) known.delete(name);
      for (const { name, etag } of answer.put) known.set(name, etag);
      token = answer.token;
      return answer.truncated;
    },
  };
}

const membersOf = (calendars: Calendars, calendar: Calendar) =>
  new Map(calendars.objects(calendar).map(({ name, etag }) => [name, etag]));

describe("changes()", () => {
  it("changes() result when a program follows any sequence of changes, page by page: it ends with the members", () => {
    const step = fc.record({
      act: fc.constantFrom(
        "put",
        "hide",
        "move",
        "bury",
        "rename",
        "assign",
        "undone",
        "restart",
        "page",
      ),
      id: fc.integer({ min: 1, max: 6 }),
      number: fc.nat(9),
    });
    const slugs = ["events-2001", "tasks-3001", "tasks-3003", "milestones-2001", "assigned"];
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 60 }),
        fc.integer({ min: 1, max: 4 }),
        (steps, limit) => {
          const rig = calendarRig();
          let { calendars } = rig;
          const programs = [ann, eve].flatMap((person) =>
            slugs.flatMap((slug) => {
              const calendar = calendars.find(person, slug);
              return calendar
                ? [limit, null].map((most) => ({ calendar, ...follower(calendar, most) }))
                : [];
            }),
          );
          const act = ({ act, id, number }: (typeof steps)[number]) => {
            const common = { title: `Title ${number}`, assigned: number % 2 === 0 ? [ann] : [] };
            const key = (kind: "event" | "task"): ItemKey | null =>
              rig.store.mirror.find(kind, anEvent(id).id);
            const [event, task] = [key("event"), key("task")];
            if (act === "put") rig.put(anEvent(id, { ...common, milestone: number % 3 === 0 }));
            if (act === "hide") rig.put(anEvent(id, { ...common, private: true }));
            if (act === "assign") rig.put(aTask(id, common));
            if (act === "move") {
              const place =
                number % 2 === 0 ? {} : { projectId: projectId(2002), listId: listId(3003) };
              rig.put(aTask(id, { ...common, ...place }));
            }
            if (act === "bury" && event && rig.store.mirror.get(event))
              rig.store.mirror.bury(event);
            if (act === "rename" && task && rig.store.view.get(task)) {
              rig.store.together(() => calendars.rename(task, `name-${number}.ics`));
            }
            if (act === "undone") {
              expect(() =>
                rig.store.together(() => {
                  rig.put(anEvent(id, { title: "never" }));
                  for (const { calendar } of programs) calendars.objects(calendar);
                  throw new Error("undone");
                }),
              ).toThrow("undone");
            }
            if (act === "restart") calendars = rig.reopened();
            if (act === "page") for (const program of programs) program.step(calendars);
          };
          for (const each of steps) act(each);
          for (const program of programs) {
            for (let pages = 0; program.step(calendars); pages++) expect(pages).toBeLessThan(50);
            expect(program.known).toEqual(membersOf(calendars, program.calendar));
          }
        },
      ),
      { numRuns: 60 },
    );
  }, 30_000);

  it("changes() result when an item comes after the first page and goes before the end: buried in the end", () => {
    const rig = calendarRig();
    for (const id of [1, 2, 3]) rig.put(anEvent(id));
    const calendar = open(rig, "events-2001");
    const program = follower(calendar, 2);
    expect(program.step(rig.calendars)).toBe(true);
    const late = rig.put(anEvent(4));
    expect(program.step(rig.calendars)).toBe(true);
    expect(program.known.size).toBe(4);
    rig.store.mirror.bury(late);
    expect(program.step(rig.calendars)).toBe(false);
    expect(program.known).toEqual(membersOf(rig.calendars, calendar));
  });

  it("changes() result when an item leaves between the pages of an answer, and changes elsewhere: buried", () => {
    const rig = calendarRig();
    const elsewhere = { projectId: projectId(2002), listId: listId(3003) };
    for (const id of [1, 2, 3]) rig.put(aTask(id));
    const calendar = open(rig, "tasks-3001");
    const program = follower(calendar, 1);
    while (program.step(rig.calendars));
    program.step(rig.calendars);
    rig.put(aTask(4));
    rig.put(aTask(2, { title: "second" }));
    expect(program.step(rig.calendars)).toBe(true);
    rig.put(aTask(4, elsewhere));
    rig.put(aTask(4, { ...elsewhere, title: "there" }));
    while (program.step(rig.calendars));
    expect(program.known).toEqual(membersOf(rig.calendars, calendar));
  });

  it("changes() result when an item left before a page that does not tell of it: a later page does", () => {
    const rig = calendarRig();
    for (const id of [1, 2]) rig.put(aTask(id, { assigned: [ann] }));
    const calendar = open(rig, "assigned");
    const paged = follower(calendar, 1);
    while (paged.step(rig.calendars));
    rig.put(aTask(1));
    rig.put(aTask(2, { assigned: [ann], title: "second" }));
    rig.put(aTask(1, { title: "no longer hers" }));
    expect(paged.step(rig.calendars)).toBe(true);
    while (paged.step(rig.calendars));
    expect(paged.known).toEqual(membersOf(rig.calendars, calendar));
  });

  it("changes() result when a task moves to another list: buried here, put there", () => {
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

  it("changes() result when an item comes and goes: told as gone to all who could see it, and to nobody else", () => {
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

  it("changes() result when an item becomes private: buried for those who may not see it any more", () => {
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

  it("changes() result when a token is none of ours, or what may be seen has changed: null", () => {
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

  it("changes() result when what is assigned lies in a project that one leaves: the token is void", () => {
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

  it("changes() result when the log was shortened: too old is refused, an unchanged calendar is not", () => {
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
    rig.store.pastEdits.prune(rig.clock().subtract({ hours: 24 * 90 }));
    const ask = (calendar: Calendar, token: string) =>
      rig.calendars.changes(calendar, { token, limit: null });
    expect([ask(events, old), ask(events, between)]).toEqual([null, null]);
    expect(ask(tasks, quiet)).toMatchObject({ put: [], buried: [] });
    const whole = ask(events, "");
    expect(whole?.put).toHaveLength(2);
    expect(ask(events, whole?.token ?? "")).toMatchObject({ put: [], truncated: false });
    expect(ask(tasks, rig.calendars.token(tasks))).toMatchObject({ put: [] });
  });

  it("changes() result when a member is renamed: the old name is buried, the new one put", () => {
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
});

describe("formerly()", () => {
  it("formerly() result when an item was there: gone, moved or renamed; null for what never was, or is hidden", () => {
    const rig = calendarRig();
    const [events, tasks] = [open(rig, "events-2001"), open(rig, "tasks-3001")];
    const gone = rig.put(anEvent(1));
    const moved = rig.put(aTask(2));
    const secret = rig.put(anEvent(3, { private: true, creatorId: bob }));
    const nameOf = (key: ItemKey) => `${rig.store.mirror.identity(key).uid}.ics`;
    const [goneName, movedName, secretName] = [gone, moved, secret].map(nameOf);
    expect(rig.calendars.formerly(events, goneName ?? "")).toBeNull();
    rig.store.mirror.bury(gone);
    rig.store.mirror.bury(secret);
    rig.put(aTask(2, { projectId: projectId(2002), listId: listId(3003) }));
    expect(rig.calendars.formerly(events, goneName ?? "")).toMatchObject({
      key: gone,
      isGone: true,
    });
    expect(rig.calendars.formerly(tasks, movedName ?? "")).toMatchObject({
      key: moved,
      isGone: false,
    });
    expect(rig.calendars.formerly(open(rig, "tasks-3001", eve), movedName ?? "")).toBeNull();
    expect(rig.calendars.formerly(tasks, goneName ?? "")).toBeNull();
    expect(rig.calendars.formerly(events, secretName ?? "")).toBeNull();
    expect(rig.calendars.formerly(events, "never.ics")).toBeNull();
  });

  it("formerly() result when the UID cannot stand in an address: found by the hash of it", () => {
    const rig = calendarRig();
    const { key, edit } = rig.conceive(anEvent(1), "odd/uid with spaces");
    const calendar = open(rig, "events-2001");
    const name = rig.calendars.objects(calendar)[0]?.name ?? "";
    expect(name).toMatch(/^x-[0-9a-f]{32}\.ics$/);
    expect(rig.calendars.object(calendar, name)?.key).toBe(key);
    rig.store.journal.discard(edit);
    expect(rig.calendars.formerly(calendar, name)).toMatchObject({ key, isGone: true });
  });
});
