import { describe, expect, it } from "vitest";
import { calendarPresence } from "../../src/calendars/calendar-presence.ts";
import { personId } from "../../src/domain/ids.ts";
import type { PlacedItem } from "../../src/domain/visibility.ts";
import { anEvent, aPerson, aProject, aTask, aTodolist } from "../support/items.ts";

const project = aProject(2001, "Website");
const list = aTodolist(3001);
const event: PlacedItem = { item: anEvent(1), project, list: null };
const ana = personId(11);

describe("the calendars of an item", () => {
  it.each<[string, PlacedItem, readonly string[]]>([
    ["an event", event, ["Website"]],
    [
      "an assigned event",
      { ...event, item: anEvent(1, { assigned: [ana] }) },
      ["Website", "Assigned to me"],
    ],
    ["a task", { item: aTask(1), project, list }, [`Website: ${list.title}`]],
    [
      "the person's private event",
      { ...event, item: anEvent(1, { private: true, creatorId: ana }) },
      ["Website"],
    ],
  ])("are those of %s", (_what, placed, calendars) => {
    expect(calendarPresence(aPerson(11, "Ana"), placed)).toEqual({ kind: "shown", calendars });
  });

  it.each<[string, PlacedItem]>([
    ["Its project is archived.", { ...event, project: { ...project, archived: true } }],
    [
      "The person has no access to its project.",
      { ...event, project: { ...project, members: [personId(12)] } },
    ],
    ["Its list is archived.", { item: aTask(1), project, list: { ...list, archived: true } }],
    [
      "It is private: the person neither made it nor is assigned.",
      { ...event, item: anEvent(1, { private: true, creatorId: personId(12) }) },
    ],
  ])("are described as: %s", (why, placed) => {
    expect(calendarPresence(aPerson(11, "Ana"), placed)).toEqual({ kind: "left-out", why });
  });
});
