import { expect, test } from "vitest";
import { localTimes } from "../../../src/reports/formats/cell-text.ts";

// Newfoundland changed its clocks a minute after midnight until 2011.
const clockChanges = ["Europe/Berlin", "America/St_Johns", "Australia/Lord_Howe", "Asia/Gaza"];

test.each(clockChanges)(
  "localTimes() agrees with the zone around each clock change in %s",
  (zone) => {
    const local = localTimes(zone);
    let change = Temporal.Instant.from("1990-01-01T00:00:00Z").toZonedDateTimeISO(zone);
    let said = 0;
    for (;;) {
      const next = change.getTimeZoneTransition("next");
      if (next === null || next.year > 2030) break;
      change = next;
      for (const milliseconds of [0, -1, 1, -60_000, 60_000]) {
        const at = change.add({ milliseconds });
        const expected = at
          .toPlainDateTime()
          .toString({ smallestUnit: "minute" })
          .replace("T", " ");
        expect(local(at.toInstant().toString())).toBe(expected);
        said += 1;
      }
    }
    expect(said).toBeGreaterThan(100);
  },
);
