import { describe, expect, it } from "vitest";
import { SignTrust } from "../../src/sync/hints.ts";

const sign = "task-time";

function trustAfter(outcomes: Partial<Record<"right" | "wrong", number>>): SignTrust {
  const trust = new SignTrust(null);
  for (const outcome of ["right", "wrong"] as const) {
    for (let nth = 0; nth < (outcomes[outcome] ?? 0); nth += 1) trust.note(sign, outcome);
  }
  return trust;
}

describe("trust in a sign", () => {
  it.each([
    ["nothing is known of it", {}, 0.5],
    ["it was right once", { right: 1 }, 0.67],
    ["it was wrong once", { wrong: 1 }, 0.33],
    ["it was always right", { right: 40 }, 0.98],
    ["it was right every other time", { right: 20, wrong: 20 }, 0.5],
    ["it was wrong for too long", { wrong: 10 }, 0],
    ["it was right for once in a long time", { right: 1, wrong: 19 }, 0],
  ])("%s", (_, outcomes, worth) => {
    expect(trustAfter(outcomes).worth(sign)).toBeCloseTo(worth, 2);
  });

  it("returns when a dropped sign is right again", () => {
    const trust = trustAfter({ wrong: 200 });
    expect(trust.worth(sign)).toBe(0);
    for (let nth = 0; nth < 30; nth += 1) trust.note(sign, "right");
    expect(trust.worth(sign)).toBeGreaterThan(0.35);
    for (let nth = 0; nth < 60; nth += 1) trust.note(sign, "right");
    expect(trust.worth(sign)).toBeGreaterThan(0.75);
  });
});

describe("stored trust", () => {
  it("is restored", () => {
    const trust = trustAfter({ right: 7, wrong: 2 });
    trust.note("list-counts", "wrong");
    const again = new SignTrust(trust.text());
    expect(again.worth(sign)).toBe(trust.worth(sign));
    expect(again.text()).toBe(trust.text());
  });

  it("of an older version may count silences, which are ignored", () => {
    expect(new SignTrust("task-time 7.000 2.000 1.000").text()).toBe("task-time 7.000 2.000");
  });

  it.each([
    "",
    "rubbish",
    "task-time",
    "task-time 1",
    "task-time 1 -2 0",
    "task-time a b c",
    "task-time 1 1e9 0",
    "moon-phase 1 2 3",
  ])("is ignored if it reads %j", (text) => {
    expect(new SignTrust(text).text()).toBe("");
  });
});
