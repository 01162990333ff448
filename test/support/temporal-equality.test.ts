import { expect, it } from "vitest";

it.each([
  [Temporal.PlainDate.from("2026-01-01"), Temporal.PlainDate.from("2026-01-02")],
  [Temporal.PlainTime.from("10:00"), Temporal.PlainTime.from("10:01")],
  [Temporal.Instant.from("2026-01-01T00:00Z"), Temporal.Instant.from("2026-01-01T00:01Z")],
  [Temporal.Duration.from("PT1H"), Temporal.Duration.from("PT2H")],
  [
    Temporal.ZonedDateTime.from("2026-01-01T01:00[Europe/Berlin]"),
    Temporal.ZonedDateTime.from("2026-01-01T00:00[UTC]"),
  ],
])("toMatchObject() tells %s and %s apart", (one, other) => {
  expect({ at: { one } }).toMatchObject({ at: { one } });
  expect({ at: { one } }).not.toMatchObject({ at: { one: other } });
  expect([one]).not.toMatchObject([other]);
});
