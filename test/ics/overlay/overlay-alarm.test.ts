import { describe, expect, it } from "vitest";
import { event, eventLines, laid, times } from "./overlays.ts";

describe("an overlay of alarms", () => {
  const lead = (text: string) => event({ reminder: Temporal.Duration.from(text) });
  const email = ["BEGIN:VALARM", "ACTION:EMAIL", "TRIGGER:-PT2H", "END:VALARM"];
  const display = (trigger: string, ...own: readonly string[]) => [
    ...["BEGIN:VALARM", "UID:a1", "ACTION:DISPLAY", ...own, trigger, "X-A:1", "END:VALARM"],
  ];
  const alarmsIn = (lines: readonly string[]) =>
    lines.slice(lines.indexOf("BEGIN:VALARM"), lines.indexOf("END:VEVENT"));
  const start = [...times, "SUMMARY:Kickoff", "TRANSP:OPAQUE"];

  it("changes only the trigger of the reminder", () => {
    const octets = eventLines(
      ...start,
      ...email,
      ...display("TRIGGER;RELATED=START:-PT15M"),
      ...display("TRIGGER:-PT5M"),
    );
    const lines = laid({ octets, said: lead("PT15M"), now: lead("PT30M") });
    expect(alarmsIn(lines)).toEqual([
      ...email,
      ...display("TRIGGER:-PT30M"),
      ...display("TRIGGER:-PT5M"),
    ]);
  });

  it("keeps a trigger that is already right", () => {
    const octets = eventLines(...start, ...display("TRIGGER;VALUE=DURATION:-P0DT0H30M0S"));
    const lines = laid({ octets, said: lead("PT15M"), now: lead("PT30M") });
    expect(alarmsIn(lines)).toEqual(display("TRIGGER;VALUE=DURATION:-P0DT0H30M0S"));
  });

  it("adds an alarm at the end if there is no reminder", () => {
    const late = display("TRIGGER:PT15M");
    const lines = laid({
      octets: eventLines(...start, ...late),
      said: event({}),
      now: lead("PT30M"),
    });
    const own = [
      "BEGIN:VALARM",
      "ACTION:DISPLAY",
      "TRIGGER:-PT30M",
      "DESCRIPTION:Kickoff",
      "END:VALARM",
    ];
    expect(alarmsIn(lines)).toEqual([...late, ...own]);
  });

  it("removes every alarm that would count as the reminder", () => {
    const silent = ["BEGIN:VALARM", "ACTION:NONE", "TRIGGER:-PT1M", "END:VALARM"];
    const octets = eventLines(
      ...start,
      ...display("TRIGGER:-PT15M"),
      ...email,
      ...silent,
      ...display("TRIGGER:-PT5M"),
    );
    const lines = laid({ octets, said: lead("PT15M"), now: event({}) });
    expect(alarmsIn(lines)).toEqual([...email, ...silent]);
  });

  it("keeps alarms if something else changes", () => {
    const alarms = [...display("TRIGGER:-PT15M"), ...display("TRIGGER:-PT5M")];
    const now = event({ summary: "x", reminder: Temporal.Duration.from("PT15M") });
    const lines = laid({ octets: eventLines(...start, ...alarms), said: lead("PT15M"), now });
    expect(alarmsIn(lines)).toEqual(alarms);
  });

  it("restores a reminder that the client left out", () => {
    const now = event({ summary: "x", reminder: Temporal.Duration.from("PT15M") });
    const lines = laid({ octets: eventLines(...start), said: lead("PT15M"), now });
    expect(alarmsIn(lines)).toContain("TRIGGER:-PT15M");
  });
});
