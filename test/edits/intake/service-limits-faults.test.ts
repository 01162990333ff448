import { longestLead } from "@dayferry/ical";
import { expect, it } from "vitest";
import type { Patch } from "../../../src/domain/patch.ts";
import { limitFaults } from "../../../src/edits/intake/service-limits.ts";
import { dates, times, zone } from "../../support/items.ts";

const text = (length: number) => "a".repeat(length);
const day = (text: string) => Temporal.PlainDate.from(text);

it.each<[string, Patch, readonly string[]]>([
  ["nothing", {}, []],
  ["usual values", { when: times("2026-11-24T10:00", null), title: "A" }, []],
  ["values that are taken away", { dueOn: null, startOn: null, reminder: null }, []],
  ["a moment in the repeated hour", { when: second() }, ["repeated-hour"]],
  ["a year of five digits", { when: dates("9999-12-31", "+010000-01-01") }, ["years"]],
  ["a due date of long ago", { dueOn: day("0026-11-24") }, ["years"]],
  ["two of them", { startOn: day("0001-01-01"), dueOn: day("9999-12-31") }, ["years", "years"]],
  ["the longest reminder", { reminder: longestLead }, []],
  ["a longer one", { reminder: longestLead.add({ minutes: 1 }) }, ["reminder"]],
  ["the longest texts", { title: text(500_000), description: text(500_000) }, []],
  ["longer ones", { title: text(500_001), description: text(500_001) }, ["length", "length"]],
])("finds what the service cannot store of %s", (_name, patch, kinds) => {
  expect(limitFaults(patch, zone).map(({ kind }) => kind)).toEqual(kinds);
});

it("names the value that the service cannot store", () => {
  expect(limitFaults({ dueOn: day("0026-11-24") }, zone)[0]?.message).toMatch(/^0026-11-24 /);
});

function second() {
  const start = Temporal.Instant.from("2026-10-25T01:30Z").toZonedDateTimeISO(zone);
  return { kind: "times", start, end: null } as const;
}
