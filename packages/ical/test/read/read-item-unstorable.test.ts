import { describe, expect, it } from "vitest";
import type { Unstorable } from "../../src/read/incoming.ts";
import { inEnglish } from "../../src/sentences.ts";
import { eventFile, readOne } from "../files.ts";

describe("what cannot be stored", () => {
  it("is reported with its line", () => {
    const item = readOne(
      eventFile(
        "LOCATION:Room 1",
        "GEO:1;2",
        "URL:https://example.com",
        "PRIORITY:1",
        "RESOURCES:Beamer",
        "ATTACH:https://example.com/a",
        "X-MY-NOTE:kept by a person",
        "COLOR:red",
        "BEGIN:VLOCATION",
        "END:VLOCATION",
      ),
    );
    const told = ({ line, name, reason }: Unstorable) => [line, name, inEnglish(reason) !== ""];
    expect(item.unstorable.map(told)).toEqual([
      [5, "LOCATION", true],
      [6, "GEO", true],
      [7, "URL", true],
      [8, "PRIORITY", true],
      [9, "RESOURCES", true],
      [10, "ATTACH", true],
      [11, "X-MY-NOTE", true],
      [12, "COLOR", true],
      [13, "VLOCATION", true],
    ]);
    expect(item.problems).toEqual([]);
  });

  it("does not include noise of programs or empty values", () => {
    const lines = [
      "LOCATION:",
      "PRIORITY:5",
      "TRANSP:OPAQUE",
      "ORGANIZER:mailto:a@b.c",
      "X-MICROSOFT-CDO-BUSYSTATUS:BUSY",
      "X-APPLE-TRAVEL-ADVISORY-BEHAVIOR:AUTOMATIC",
      "X-MOZ-GENERATION:1",
      "X-ALT-DESC;FMTTYPE=text/html:<p>x</p>",
    ];
    expect(readOne(eventFile(...lines)).unstorable).toEqual([]);
  });
});
