import { describe, expect, it } from "vitest";
import { inFlightAfterCrash, inFlightUntil } from "../../src/domain/edit.ts";

const now = Temporal.Instant.from("2026-11-20T12:00:00Z");

describe("inFlightUntil()", () => {
  it.each([
    ["ten seconds after it left at least", "PT0S", "2026-11-20T12:00:10Z"],
    ["ten seconds after it left at least", "PT0.2S", "2026-11-20T12:00:09.8Z"],
    ["four times what was waited after it left", "PT3S", "2026-11-20T12:00:09Z"],
    ["four times what was waited after it left", "PT30S", "2026-11-20T12:01:30Z"],
    ["three minutes after it left at most", "PT1M", "2026-11-20T12:02:00Z"],
    ["no more when more was waited already", "PT5M", "2026-11-20T12:00:00Z"],
  ])("is %s when no answer came for %s", (_what, waited, expected) => {
    expect(inFlightUntil(now, Temporal.Duration.from(waited)).toString()).toBe(expected);
  });
});

it("inFlightAfterCrash() result: ten seconds later", () => {
  expect(inFlightAfterCrash(now).toString()).toBe("2026-11-20T12:00:10Z");
});
