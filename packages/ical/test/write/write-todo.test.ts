import { readCalendarObject, type TodoCard, writeObject, writeTodo } from "@dayferry/ical";
import ICAL from "ical.js";
import { describe, expect, it } from "vitest";
import { inEnglish } from "../../src/sentences.ts";
import { UnwritableTodoError } from "../../src/write/write-todo.ts";
import { octets, zone } from "../files.ts";
import { day, instant, todo } from "../todos.ts";

const linesOf = (fields: Partial<TodoCard>): readonly string[] =>
  writeTodo(todo(fields)).replaceAll("\r\n ", "").split("\r\n");

const named = (fields: Partial<TodoCard>, ...names: readonly string[]): readonly string[] =>
  linesOf(fields).filter((line) => names.includes(line.split(/[;:]/)[0] ?? ""));

const readBack = (fields: Partial<TodoCard>) => {
  const read = readCalendarObject(octets(writeObject(writeTodo(todo(fields)), "")), { zone });
  if (!read.ok) throw new Error(inEnglish(read.failure.message));
  return read.value;
};

describe("writeTodo()", () => {
  it("writes all of a card", () => {
    const written = linesOf({
      uid: "a,b;c\\d",
      summary: "A, B",
      description: "one\ntwo",
      startOn: day("2026-07-01"),
      dueOn: day("2026-07-03"),
      percent: 40,
      status: "IN-PROCESS",
      categories: ["x, y", " ", "Idea"],
      relatedTo: "task-7@dayferry",
      classification: "PRIVATE",
      url: "https://a.b/?c=1,2",
    });
    expect(written).toEqual([
      "BEGIN:VTODO",
      "UID:a\\,b\\;c\\\\d",
      "SEQUENCE:3",
      "DTSTAMP:20260601T080000Z",
      "DTSTART;VALUE=DATE:20260701",
      "DUE;VALUE=DATE:20260703",
      "SUMMARY:A\\, B",
      "DESCRIPTION:one\\ntwo",
      "CATEGORIES:x\\, y,Idea",
      "URL;VALUE=URI:https://a.b/?c=1%2C2",
      "STATUS:IN-PROCESS",
      "PERCENT-COMPLETE:40",
      "RELATED-TO;RELTYPE=PARENT:task-7@dayferry",
      "CREATED:20260501T080000Z",
      "LAST-MODIFIED:20260601T080000Z",
      "CLASS:PRIVATE",
      "X-DAYFERRY-BASE:3",
      "END:VTODO",
      "",
    ]);
  });

  it("omits what a card does not have", () => {
    const names = linesOf({ createdAt: null, completedAt: instant("2026-06-02T09:00:00Z") }).map(
      (line) => line.split(/[;:]/)[0],
    );
    expect(names).toEqual([
      "BEGIN",
      "UID",
      "SEQUENCE",
      "DTSTAMP",
      "SUMMARY",
      "STATUS",
      "PERCENT-COMPLETE",
      "LAST-MODIFIED",
      "X-DAYFERRY-BASE",
      "END",
      "",
    ]);
  });

  it.each<[string, string | null, string | null, readonly string[]]>([
    ["a start alone", "2026-07-01", null, ["DTSTART;VALUE=DATE:20260701"]],
    ["a due date alone", null, "2026-07-01", ["DUE;VALUE=DATE:20260701"]],
    ["a start on the due date", "2026-07-01", "2026-07-01", ["DUE;VALUE=DATE:20260701"]],
    ["a start after the due date", "2026-07-02", "2026-07-01", ["DUE;VALUE=DATE:20260701"]],
  ])("writes %s so that DUE is later than DTSTART", (_what, start, due, lines) => {
    const fields = {
      startOn: start === null ? null : day(start),
      dueOn: due === null ? null : day(due),
    };
    expect(named(fields, "DTSTART", "DUE")).toEqual(lines);
  });

  it.each<[string, Partial<TodoCard>, readonly string[]]>([
    [
      "completed",
      { status: "COMPLETED", percent: 30, completedAt: instant("2026-06-02T09:00:00.5Z") },
      ["STATUS:COMPLETED", "PERCENT-COMPLETE:100", "COMPLETED:20260602T090000Z"],
    ],
    [
      "completed, who knows when",
      { status: "COMPLETED" },
      ["STATUS:COMPLETED", "PERCENT-COMPLETE:100"],
    ],
    ["open with 100 percent", { percent: 100 }, ["STATUS:NEEDS-ACTION", "PERCENT-COMPLETE:99"]],
    ["open below nothing", { percent: -3 }, ["STATUS:NEEDS-ACTION", "PERCENT-COMPLETE:0"]],
    ["open in between", { percent: 33.4 }, ["STATUS:NEEDS-ACTION", "PERCENT-COMPLETE:33"]],
  ])("writes what is %s so that every program reads the same", (_what, fields, lines) => {
    expect(named(fields, "STATUS", "PERCENT-COMPLETE", "COMPLETED")).toEqual(lines);
  });

  it("folds after 75 octets", () => {
    const written = writeTodo(todo({ summary: "ä".repeat(200), description: "€".repeat(200) }));
    for (const line of written.split("\r\n"))
      expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75);
    expect(readBack({ summary: "ä".repeat(200) })?.summary).toBe("ä".repeat(200));
  });

  it("lets no text begin a line", () => {
    const written = linesOf({
      uid: "u\r\nX:1",
      summary: "a\r\nX:1",
      description: "b\rX:1",
      categories: ["c\nX:1"],
      relatedTo: "p\nX:1",
      url: "https://a\r\nX:1",
    });
    expect(written.some((line) => line.startsWith("X:"))).toBe(false);
  });

  it("is read back by this reader and by ical.js", () => {
    const fields = {
      startOn: day("2026-07-01"),
      dueOn: day("2026-07-03"),
      description: "a; b, c\\n\nd",
      categories: ["A, B", "C"],
      relatedTo: "p;1",
      status: "COMPLETED",
      completedAt: instant("2026-06-02T09:00:00Z"),
    } as const;
    expect(readBack(fields)).toMatchObject({
      uid: "task-1@dayferry",
      base: 3,
      sequence: 3,
      description: "a; b, c\\n\nd",
      categories: ["A, B", "C"],
      relatedTo: "p;1",
      status: "COMPLETED",
      percent: 100,
      problems: [],
      unstorable: [],
    });
    expect(readBack(fields)?.completedAt?.toString()).toBe("2026-06-02T09:00:00Z");

    const text = writeObject(writeTodo(todo(fields)), "");
    const read = new ICAL.Component(ICAL.parse(text)).getFirstSubcomponent("vtodo");
    expect(read?.getFirstPropertyValue("due")?.toString()).toBe("2026-07-03");
    expect(read?.getFirstProperty("categories")?.getValues()).toEqual(["A, B", "C"]);
    expect(read?.getFirstPropertyValue("percent-complete")).toBe(100);
  });

  it("refuses a card without a UID", () => {
    expect(() => writeTodo(todo({ uid: "\r\n" }))).toThrow(UnwritableTodoError);
  });
});
