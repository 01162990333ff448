import { describe, expect, it } from "vitest";
import { createTestLimit } from "../../src/http/test-limit.ts";
import { handClock } from "../support/test-store.ts";

describe("test messages", () => {
  it("are limited to five in ten minutes for each receiver", () => {
    const clock = handClock("2026-11-24T08:00:00Z");
    const limit = createTestLimit({ clock });
    const ask = (receiver: string) => limit.ask(receiver);
    const asked = Array.from({ length: 6 }, () => {
      clock.advance({ minutes: 1 });
      return ask("operator");
    });
    expect(asked).toEqual([null, null, null, null, null, 300]);
    expect(ask("person 11")).toBe(null);
    clock.advance({ minutes: 5 });
    expect([ask("operator"), ask("operator")]).toEqual([null, 60]);
  });

  it("are not delayed longer if the clock was set back", () => {
    const clock = handClock("2026-11-24T08:00:00Z");
    const limit = createTestLimit({ clock });
    for (let nth = 0; nth < 5; nth += 1) limit.ask("operator");
    clock.advance({ hours: -1 });
    expect(limit.ask("operator")).toBe(null);
  });
});
