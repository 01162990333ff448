import type { When } from "@dayferry/ical";
import { describe, expect, it } from "vitest";
import { noteAnswer } from "../../src/troubles/zone-answers.ts";
import { anEvent } from "../support/items.ts";
import { handClock, testStore } from "../support/test-store.ts";

const zone = "Europe/Berlin";

const times = (start: string, length: string | null = "PT1H"): When => {
  const from = Temporal.ZonedDateTime.from(`${start}[${zone}]`);
  return { kind: "times", start: from, end: length === null ? null : from.add(length) };
};

/** Sees answers to edits; returns the mismatch reported afterwards. */
function watching() {
  const { troubles } = testStore(handClock("2026-11-24T08:00:00Z"));
  const conflict = { field: "when", base: null, ours: null, theirs: null, taken: "ours" } as const;
  return {
    troubles,
    see: (sent: When, answered: When, isOthers = false) => {
      const answer = { ...anEvent(1), when: answered };
      const conflicts = isOthers ? [conflict] : [];
      noteAnswer({ patch: { when: sent }, answer, conflicts }, troubles, zone);
      return troubles
        .reported()
        .map((one) => (one.kind === "zone-mismatch" ? `${one.sent} ${one.answered}` : one.kind));
    },
  };
}

const winter = times("2027-01-15T09:00");
const summer = times("2027-07-15T09:00");

describe("noteAnswer()", () => {
  it.each([
    ["by an hour", times("2027-01-15T08:00"), true],
    ["by half an hour and five", times("2027-01-15T14:30"), true],
    ["to another day", times("2027-01-16T03:00"), true],
    ["not at all", winter, false],
    ["by what no zone explains", times("2027-01-15T09:10"), false],
    ["to another week", times("2027-01-22T09:00"), false],
    ["with another length", times("2027-01-15T08:00", "PT2H"), false],
  ])("reports times that came back moved %s", (_, answered, isTold) => {
    expect(watching().see(winter, answered)).toHaveLength(isTold ? 1 : 0);
  });

  it("is over after a right answer in the same half of the year, not in the other", () => {
    const { see } = watching();
    const told = see(summer, times("2027-07-15T08:00"));
    expect(told).toEqual([
      "2027-07-15T09:00:00+02:00[Europe/Berlin] 2027-07-15T08:00:00+02:00[Europe/Berlin]",
    ]);
    expect(see(winter, winter)).toEqual(told);
    expect(see(summer, summer)).toEqual([]);
  });

  it("says nothing of times that someone else set, and does not replace a probe", () => {
    const { see, troubles } = watching();
    expect(see(winter, times("2027-01-15T08:00"), true)).toEqual([]);
    const [sent, answered] = ["a", "b"];
    troubles.report({ kind: "zone-mismatch", zone, sent, answered, offsets: ["+05:30"] });
    expect(see(winter, winter)).toEqual(["a b"]);
  });
});
