import { expect, it } from "vitest";
import { inFlightAfterCrash, inFlightUntil } from "../../src/domain/edit.ts";

const now = Temporal.Instant.from("2026-11-20T12:00:00Z");

it.each([
  ["no answer came", "PT0S", false, "2026-11-20T12:03:00Z"],
  ["no answer came", "PT30S", false, "2026-11-20T12:02:30Z"],
  ["no answer came", "PT5M", false, "2026-11-20T12:00:00Z"],
  ["the service said that it failed", "PT0.2S", true, "2026-11-20T12:00:19.8Z"],
  ["the service said that it failed", "PT30S", true, "2026-11-20T12:00:00Z"],
])("a request may still be carried out: %s after %s", (_what, waited, hasFailed, expected) => {
  const how = { waited: Temporal.Duration.from(waited), hasFailed };
  expect(inFlightUntil(now, how).toString()).toBe(expected);
});

it("a request may be carried out for three minutes after a crash", () => {
  expect(inFlightAfterCrash(now).toString()).toBe("2026-11-20T12:03:00Z");
});
