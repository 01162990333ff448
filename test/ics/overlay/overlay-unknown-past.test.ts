import type { EventCard, TodoCard } from "@dayferry/ical";
import { describe, expect, it } from "vitest";
import { timed } from "../../../packages/ical/test/cards.ts";
import { day } from "../../../packages/ical/test/todos.ts";
import { event, eventLines, laid, task, times, todoLines } from "./overlays.ts";

describe("an overlay without a known past", () => {
  it("returns octets with the same meaning", () => {
    const octets = eventLines(
      "DTSTART;TZID=America/New_York:20260701T040000",
      "DURATION:PT1H",
      "SUMMARY:Kickoff ",
      "DESCRIPTION:text\\n",
      "CATEGORIES:Work",
      "CLASS:PUBLIC",
      "LOCATION:Room 5",
      "RELATED-TO:other",
      "",
    ).filter((line) => line !== "");
    const now = event({ description: "text" });
    expect(laid({ octets, said: null, now })).toEqual(octets);

    const both = todoLines(
      "DTSTART;VALUE=DATE:20260703",
      "DUE;VALUE=DATE:20260703",
      "PERCENT-COMPLETE:30",
    );
    const todoNow = task({ summary: "", startOn: day("2026-07-03"), dueOn: day("2026-07-03") });
    expect(laid({ octets: both, said: null, now: todoNow, component: "VTODO" })).toEqual(both);
  });

  it("removes what a feed had added", () => {
    const octets = eventLines(
      ...times,
      "SUMMARY:◆ Kickoff",
      "DESCRIPTION:text\\n\\n— Dayferry —\\n— Open: x",
      "X-A:1",
    );
    const now = event({ description: "text", categories: ["Milestone"] });
    expect(laid({ octets, said: null, now }).slice(5, -2)).toEqual([
      ...times,
      "SUMMARY:Kickoff",
      "DESCRIPTION:text",
      "X-A:1",
      "TRANSP:OPAQUE",
      "CATEGORIES:Milestone",
    ]);
  });

  it.each<[string, Partial<EventCard>, string]>([
    [
      "another time",
      { when: timed("2026-07-01T10:00", "2026-07-01T12:00") },
      "DTEND;TZID=Europe/Berlin:20260701T120000",
    ],
    ["another privacy", { classification: "PRIVATE" }, "CLASS:PRIVATE"],
    ["another title", { summary: "x" }, "SUMMARY:x"],
    ["a reminder", { reminder: Temporal.Duration.from("PT5M") }, "TRIGGER:-PT5M"],
  ])("changes %s of an event", (_what, fields, line) => {
    const octets = eventLines(...times, "SUMMARY:Kickoff");
    expect(laid({ octets, said: null, now: event(fields) })).toContain(line);
  });

  it.each<[string, readonly string[], Partial<TodoCard>, readonly string[]]>([
    [
      "a completion",
      ["STATUS:NEEDS-ACTION"],
      { status: "COMPLETED" },
      ["STATUS:COMPLETED", "PERCENT-COMPLETE:100"],
    ],
    ["a date that is gone", ["DUE;VALUE=DATE:20260701"], {}, []],
    ["a parent that is gone", ["RELATED-TO:p"], {}, []],
    ["labels", ["CATEGORIES:a,b"], { categories: ["b", "c"] }, ["CATEGORIES:b,c"]],
    ["labels that are gone", ["CATEGORIES:a"], {}, []],
  ])("changes %s of a task", (_what, own, fields, lines) => {
    const octets = todoLines("SUMMARY:Write offer", ...own);
    const result = laid({ octets, said: null, now: task(fields), component: "VTODO" });
    const shown = result.filter((line) => /^(?:STATUS|PERCENT|DUE|RELATED|CATEG)/.test(line));
    const open = ["STATUS:NEEDS-ACTION", "PERCENT-COMPLETE:0"];
    const expected = fields.status ? lines : [...lines, ...open];
    expect(shown.toSorted()).toEqual(expected.toSorted());
  });
});
