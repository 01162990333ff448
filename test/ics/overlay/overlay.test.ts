import { StrayOctetsError, writeEvent } from "@dayferry/ical";
import { describe, expect, it } from "vitest";
import { card, timed } from "../../../packages/ical/test/cards.ts";
import { octets as bytes, readOne } from "../../../packages/ical/test/files.ts";
import { day, instant } from "../../../packages/ical/test/todos.ts";
import { canonicalText, overlayOctets, saysAsOctets } from "../../../src/ics/overlay/overlay.ts";
import { zone } from "../../support/items.ts";
import { longOctets } from "../../support/long-inputs.ts";
import { event, eventLines, joined, laid, stamp, task, times, todoLines } from "./overlays.ts";

it("canonical text is unfolded, without the lines of the version", () => {
  const summary = "x".repeat(100);
  expect(canonicalText(writeEvent(card({ summary }))).split("\n")).toEqual([
    "BEGIN:VEVENT",
    "UID:event-1@dayferry",
    "DTSTART;TZID=Europe/Berlin:20260701T100000",
    "DTEND;TZID=Europe/Berlin:20260701T110000",
    `SUMMARY:${summary}`,
    "TRANSP:OPAQUE",
    "END:VEVENT",
  ]);
  expect(event({ sequence: 9, stampAt: stamp.modifiedAt, createdAt: null })).toBe(event({}));
  expect(task({ sequence: 9, stampAt: stamp.modifiedAt, createdAt: null })).toBe(task({}));
});

describe("an overlay with a known past", () => {
  it("returns the same octets if nothing changed", () => {
    const octets = `\ufeff${joined(eventLines(...times, "X:\n 1"), "\n")}\n\n`;
    const now = event({});
    const same = { component: "VEVENT", said: now, now, stamp, zone, zones: "" } as const;
    expect(overlayOctets({ ...same, octets })).toBe(octets);
    expect(overlayOctets({ ...same, octets: bytes(octets) })).toBe(octets);
  });

  it("changes one property and keeps every other line", () => {
    const octets = [
      ...["BEGIN:VCALENDAR", "X-WR-CALNAME:mine", "VERSION:2.0", "begin:vevent"],
      "uid:event-1@dayferry",
      "DTSTAMP:20200101T000000Z",
      "x-lower:Case",
      "LOCATION:Room 5; ",
      "\t second floor",
      "Summary;LANGUAGE=de:Kickoff",
      "ORGANIZER:mailto:a@b.example",
      'ATTENDEE;CN="A, B":mailto:c@d.example',
      ...times,
      "TRANSP:TRANSPARENT",
      "SEQUENCE:7",
      ...["BEGIN:VALARM", "ACTION:EMAIL", "TRIGGER:-PT1H", "SUMMARY:Kickoff", "END:VALARM"],
      ...["end:vevent", "END:VCALENDAR"],
    ];
    const text = overlayOctets({
      octets: joined(octets),
      component: "VEVENT",
      said: event({}),
      now: event({ summary: "Start" }),
      stamp,
      zone,
      zones: "",
    });
    const expected = octets
      .map((line) => (line.startsWith("Summary") ? "SUMMARY:Start" : line))
      .map((line) => (line.startsWith("DTSTAMP") ? "DTSTAMP:20260603T100000Z" : line))
      .map((line) => (line.startsWith("SEQUENCE") ? "SEQUENCE:11" : line));
    const alarm = expected.indexOf("BEGIN:VALARM");
    expected.splice(alarm, 0, "LAST-MODIFIED:20260603T100000Z", "X-DAYFERRY-BASE:4");
    expect(text).toBe(joined(expected));
  });

  it("changes a task's completion as a whole", () => {
    const turn = {
      octets: todoLines(
        "SUMMARY:Write offer",
        "STATUS:NEEDS-ACTION",
        "PERCENT-COMPLETE:50",
        "PRIORITY:1",
      ),
      said: task({}),
      now: task({ status: "COMPLETED", completedAt: instant("2026-06-02T09:00:00Z") }),
      component: "VTODO",
    } as const;
    expect(laid(turn).slice(4, -2)).toEqual([
      "SUMMARY:Write offer",
      "STATUS:COMPLETED",
      "PERCENT-COMPLETE:100",
      "PRIORITY:1",
      "COMPLETED:20260602T090000Z",
    ]);
    expect(
      laid({ ...turn, octets: laid(turn), said: turn.now, now: turn.said }).slice(4, -2),
    ).toEqual(["SUMMARY:Write offer", "STATUS:NEEDS-ACTION", "PERCENT-COMPLETE:0", "PRIORITY:1"]);
  });

  it("changes only the parent among a task's relations", () => {
    const turn = {
      octets: todoLines(
        "RELATED-TO;RELTYPE=CHILD:c",
        "RELATED-TO:old",
        "RELATED-TO;RELTYPE=SIBLING:s",
      ),
      said: task({ relatedTo: "old" }),
      now: task({ relatedTo: "new" }),
      component: "VTODO",
    } as const;
    expect(laid(turn).slice(4, 7)).toEqual([
      "RELATED-TO;RELTYPE=CHILD:c",
      "RELATED-TO;RELTYPE=PARENT:new",
      "RELATED-TO;RELTYPE=SIBLING:s",
    ]);
  });

  it("keeps a start that we do not write", () => {
    const octets = todoLines("DTSTART;VALUE=DATE:20260703", "DUE;VALUE=DATE:20260703");
    const fields = { startOn: day("2026-07-03"), dueOn: day("2026-07-03") };
    const said = task(fields);
    const renamed = laid({
      octets,
      said,
      now: task({ ...fields, summary: "x" }),
      component: "VTODO",
    });
    expect(renamed.slice(4, 6)).toEqual(["DTSTART;VALUE=DATE:20260703", "DUE;VALUE=DATE:20260703"]);
    const moved = laid({
      octets,
      said,
      now: task({ dueOn: day("2026-07-01") }),
      component: "VTODO",
    });
    expect(moved.filter((line) => /^D(?:UE|TSTART)/.test(line))).toEqual([
      "DUE;VALUE=DATE:20260701",
    ]);
  });

  it("keeps LF if the client uses LF", () => {
    const octets = joined(eventLines(...times, "SUMMARY:Kickoff"), "\n");
    const now = event({ summary: "x".repeat(100) });
    const text = overlayOctets({
      octets,
      component: "VEVENT",
      said: event({}),
      now,
      stamp,
      zone,
      zones: "",
    });
    expect(text).not.toContain("\r");
    expect(readOne(bytes(text)).summary).toBe("x".repeat(100));
  });

  it("reads octets folded inside a character", () => {
    const [before, after] = joined(eventLines(...times, "LOCATION:Caf\u00e9", "SUMMARY:x")).split(
      "é",
    );
    const octets = Buffer.concat([
      Buffer.from(before ?? ""),
      Buffer.from([0xc3, 13, 10, 32, 0xa9]),
      Buffer.from(after ?? ""),
    ]);
    const now = event({ summary: "y" });
    const turn = { component: "VEVENT", said: event({}), now, stamp, zone, zones: "" } as const;
    const read = readOne(bytes(overlayOctets({ octets, ...turn })));
    expect(read.raw).toContain("LOCATION:Café");
    expect(read.summary).toBe("y");
  });

  it.each(longOctets)("accepts $name", ({ make, most }) => {
    const text = overlayOctets({
      octets: make(most),
      component: "VEVENT",
      said: event({ summary: "x" }),
      now: event({ summary: "y", reminder: Temporal.Duration.from("PT5M") }),
      stamp,
      zone,
      zones: "",
    });
    expect(readOne(bytes(text)).summary).toBe("y");
  });

  it("adds the time zone of a new line, once", () => {
    const said = event({});
    const now = event({ when: timed("2026-07-01T12:00", "2026-07-01T13:00") });
    const first = laid({ octets: eventLines(...times, "SUMMARY:Kickoff"), said, now });
    expect(first.filter((line) => line === "TZID:Europe/Berlin")).toHaveLength(1);
    expect(first.indexOf("BEGIN:VTIMEZONE")).toBeLessThan(first.indexOf("BEGIN:VEVENT"));
    const second = laid({ octets: first, said: now, now: said });
    expect(second.filter((line) => line === "TZID:Europe/Berlin")).toHaveLength(1);
    const renamed = laid({ octets: eventLines(...times), said, now: event({ summary: "x" }) });
    expect(renamed).not.toContain("BEGIN:VTIMEZONE");
  });

  it("throws for octets of another component", () => {
    const turn = { octets: todoLines("SUMMARY:x"), said: event({}), now: event({ summary: "y" }) };
    expect(() => laid(turn)).toThrow(StrayOctetsError);
  });
});

describe("a comparison with octets", () => {
  const octets = joined(todoLines("SUMMARY: Wide ", "RELATED-TO:above", "CATEGORIES:New"));
  const says = (then: Parameters<typeof task>[0], now: Parameters<typeof task>[0]) =>
    saysAsOctets({ octets, component: "VTODO", said: task(then), now: task(now), zone });

  it.each<[string, boolean, Parameters<typeof task>[0], Parameters<typeof task>[0]]>([
    ["the parent that the octets name", true, {}, { relatedTo: "above" }],
    ["another parent", false, {}, { relatedTo: "other" }],
    ["the label that the octets name", true, {}, { categories: ["New"] }],
    ["a label more", false, {}, { categories: ["New", "Newer"] }],
    ["progress of what is open", true, { percent: 99, status: "IN-PROCESS" }, { percent: 0 }],
    ["a completion", false, {}, { status: "COMPLETED" }],
    ["another title", false, {}, { summary: "Narrow" }],
    ["what no reader looks at", false, {}, { url: "https://example.com/" }],
  ])("finds whether %s has changed", (_name, expected, then, now) => {
    expect(says({ summary: "Wide", ...then }, { summary: "Wide", ...now })).toBe(expected);
  });
});
