import { describe, expect, it } from "vitest";
import {
  backOff,
  equalJitter,
  fullJitter,
  isRecent,
  later,
  slightJitter,
} from "../../src/domain/backoff.ts";

const now = Temporal.Instant.from("2026-11-22T12:00:00Z");
const seconds = (count: number) => Temporal.Duration.from({ seconds: count });
const plan = { first: seconds(5), ceiling: seconds(60) };

describe("backOff()", () => {
  it.each([
    { failures: 1, pause: 5 },
    { failures: 2, pause: 10 },
    { failures: 3, pause: 20 },
    { failures: 4, pause: 40 },
    { failures: 5, pause: 60 },
    { failures: 6, pause: 60 },
    { failures: 5000, pause: 60 },
  ])("is $pause seconds after $failures failures", ({ failures, pause }) => {
    expect(backOff(failures, plan).total("seconds")).toBe(pause);
  });

  it.each([
    { name: "full", jitter: fullJitter, least: 0.001, most: 40 },
    { name: "equal", jitter: equalJitter, least: 20, most: 40 },
    { name: "slight", jitter: slightJitter, least: 40, most: 44 },
  ])("lies between $least and $most seconds with $name jitter of 40", ({ jitter, least, most }) => {
    const pauses = [0, 1].map((random) => backOff(4, { ...plan, jitter: jitter(random) }));
    expect(pauses.map((pause) => pause.total("seconds"))).toEqual([least, most]);
  });

  it("is the ceiling when even the first pause would be longer", () => {
    expect(backOff(1, { first: seconds(90), ceiling: seconds(60) }).total("seconds")).toBe(60);
  });

  it("is a whole number of milliseconds", () => {
    const pause = backOff(1, { ...plan, jitter: fullJitter(0.123_456_7) });
    expect(pause.total("milliseconds")).toBe(617);
  });

  it("treats days as 24 hours", () => {
    const ceiling = Temporal.Duration.from({ days: 1 });
    expect(backOff(30, { first: seconds(1), ceiling }).total("hours")).toBe(24);
  });
});

it.each([
  { name: "this moment", at: "2026-11-22T12:00:00Z", recent: true },
  { name: "a moment less than the length ago", at: "2026-11-22T11:00:01Z", recent: true },
  { name: "exactly the length ago", at: "2026-11-22T11:00:00Z", recent: false },
  { name: "longer ago", at: "2026-11-22T10:59:59Z", recent: false },
  { name: "ahead, as the clock was set back", at: "2026-11-22T12:00:01Z", recent: false },
])("isRecent() is $recent for $name", ({ at, recent }) => {
  const length = Temporal.Duration.from({ hours: 1 });
  expect(isRecent(Temporal.Instant.from(at), { length, now })).toBe(recent);
});

it("later() accepts durations in days", () => {
  const day = Temporal.Duration.from({ days: 1 });
  expect(later(now, day)).toEqual(now.add({ hours: 24 }));
});
