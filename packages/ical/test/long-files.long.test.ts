import { readCalendar } from "@dayferry/ical";
import { expect, it } from "vitest";
import { longFiles } from "../../../test/support/long-inputs.ts";
import { octets, zone } from "./files.ts";

it.each(longFiles)("readCalendar() finishes $name", ({ make, most }) => {
  const bytes = octets(make(most));
  const read = readCalendar(bytes, { zone });
  expect(read.ok || read.failure.length > 0).toBe(true);
});
