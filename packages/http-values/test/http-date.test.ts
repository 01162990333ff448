import fc from "fast-check";
import { expect, it } from "vitest";
import { httpDate, readHttpDate } from "../src/http-date.ts";

it("httpDate() writes what readers of HTTP dates read as the same second", () => {
  const seconds = fc.integer({ min: -30_000_000_000, max: 200_000_000_000 });
  fc.assert(
    fc.property(seconds, fc.integer({ min: 0, max: 999 }), (second, ms) => {
      const text = httpDate(Temporal.Instant.fromEpochMilliseconds(second * 1000 + ms));
      expect(text).toMatch(/^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/);
      expect(text).toBe(new Date(second * 1000).toUTCString());
    }),
  );
});

it("readHttpDate() reads what httpDate() wrote", () => {
  const seconds = fc.integer({ min: -30_000_000_000, max: 200_000_000_000 });
  fc.assert(
    fc.property(seconds, (second) => {
      const at = Temporal.Instant.fromEpochMilliseconds(second * 1000);
      expect(readHttpDate(httpDate(at))?.equals(at)).toBe(true);
    }),
  );
});

it.each([
  ["Sun, 06 Nov 1994 08:49:37 GMT", "1994-11-06T08:49:37Z"],
  ["Sunday, 06-Nov-94 08:49:37 GMT", "1994-11-06T08:49:37Z"],
  ["Friday, 20-Nov-26 12:00:00 GMT", "2026-11-20T12:00:00Z"],
  ["Sun Nov  6 08:49:37 1994", "1994-11-06T08:49:37Z"],
  ["Sun Nov 16 08:49:37 1994", "1994-11-16T08:49:37Z"],
  ["Fri, 31 Nov 2026 12:00:00 GMT", null],
  ["Fri, 20 Foo 2026 12:00:00 GMT", null],
  ["Fri, 20 Nov 2026 12:00:00 +0100", null],
  ["2026-11-20T12:00:00Z", null],
  ["yesterday", null],
  [undefined, null],
])("readHttpDate() of %s is %s", (text, expected) => {
  expect(readHttpDate(text)?.toString() ?? null).toBe(expected);
});
