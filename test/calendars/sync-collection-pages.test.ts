import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Calendar, Calendars } from "../../src/calendars/calendar-types.ts";

import { type ItemKey, listId, projectId } from "../../src/domain/ids.ts";
import { runs } from "../support/effort.ts";
import { anEvent, aTask } from "../support/items.ts";
import { ann, calendarRig, eve, open } from "./rig.ts";

/** A program that only follows sync tokens. */
function follower(calendar: Calendar, limit: number | null) {
  const known = new Map<string, string>();
  let token = "";
  return {
    known,
    /** Makes one request; true if there is more. Starts again when the token is refused. */
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

describe("changes in pages", () => {
  it("end with the exact members, after any sequence of changes", () => {
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
      { numRuns: runs(60) },
    );
  });

  it("bury an item that comes after the first page and leaves before the end", () => {
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

  it("bury an item that leaves between the pages and changes elsewhere", () => {
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

  it("report an item that left before a page on a later one", () => {
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
});
