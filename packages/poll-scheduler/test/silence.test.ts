import { describe, expect, it } from "vitest";
import { Silence } from "../src/silence.ts";

const hour = 3600;
const options = {
  pace: 2,
  quietAfter: 3 * hour,
  quietSurprise: 8,
  price: 1 / 10_000,
  quietPart: 0.25,
};

/** A silence with a last change at 0, with this surprise per poll and this expectation afterwards. */
function silence({ surprise, expected }: { surprise: number; expected: number }) {
  const made = new Silence(options, null);
  made.expect(expected);
  made.note({ from: 0, at: 0, changes: 1, surprise: 0 });
  for (let at = hour; at <= 4 * hour; at += hour) {
    made.note({ from: at - hour, at, changes: 0, surprise });
  }
  return made;
}

describe("spacing()", () => {
  it.each([
    ["many changes were expected", 2.1, 1, true],
    ["few changes were expected and some are", 0.1, 1, false],
    ["hardly anything is expected any more", 0.1, 1 / 10_000, true],
  ])("decides by %s whether to poll less", (_what, surprise, expected, isQuiet) => {
    const spacing = silence({ surprise, expected }).spacing(4 * hour);
    if (isQuiet) expect(spacing).toBeCloseTo(2, 1);
    else expect(spacing).toBe(0);
  });

  it("keeps the pace before hours have passed, and at once after a change", () => {
    const made = silence({ surprise: 9, expected: 1 });
    expect(made.spacing(2 * hour)).toBe(0);
    expect(made.spacing(4 * hour)).toBeGreaterThan(0);
    made.note({ from: 3 * hour, at: 4 * hour, changes: 1, surprise: 0 });
    expect(made.spacing(4 * hour)).toBe(0);
    expect(made.spacing(8 * hour)).toBe(0);
  });

  it("counts for a source that was left alone only the silence since the last change anywhere", () => {
    const made = new Silence(options, null);
    made.expect(1);
    made.note({ from: 90 * hour, at: 100 * hour, changes: 1, surprise: 0 });
    made.note({ from: 4 * hour, at: 104 * hour, changes: 0, surprise: 100 });
    expect(made.spacing(104 * hour)).toBe(0);
    made.note({ from: 100 * hour, at: 104 * hour, changes: 0, surprise: 4 });
    expect(made.spacing(104 * hour)).toBeGreaterThan(0);
  });
});
