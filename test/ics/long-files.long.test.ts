import { describe, expect, it } from "vitest";
import { readCalendar } from "../../src/ics/read/calendar-object.ts";
import { longFiles } from "../support/long-inputs.ts";
import { octets, zone } from "./files.ts";

describe("readCalendar() comes to an end with", () => {
  it.each(longFiles)("$name", ({ make, most }) => {
    const bytes = octets(make(most));
    const read = readCalendar(bytes, { zone });
    expect(read.ok || read.failure.length > 0).toBe(true);
  });
});
