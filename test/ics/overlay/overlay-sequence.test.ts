import { describe, expect, it } from "vitest";
import { octets as bytes, readOne } from "../../../packages/ical/test/files.ts";
import { overlayOctets, restampOctets } from "../../../src/ics/overlay/overlay.ts";
import { zone } from "../../support/items.ts";
import { event, eventLines, joined, stamp, times } from "./overlays.ts";

describe("an overlay's SEQUENCE", () => {
  const sequenceOf = (own: readonly string[], sequence: number) => {
    const read = readOne(
      bytes(
        overlayOctets({
          octets: joined(eventLines(...times, ...own)),
          component: "VEVENT",
          said: event({}),
          now: event({ summary: "x" }),
          stamp: { ...stamp, sequence },
          zone,
          zones: "",
        }),
      ),
    );
    expect(read.base).toBe(sequence);
    expect(read.lastModified?.toString()).toBe("2026-06-03T10:00:00Z");
    return read.sequence;
  };

  it.each<[string, readonly string[], number, number]>([
    ["none of the client's", [], 4, 4],
    ["none, and ours is new", [], 0, 1],
    ["the client's far above", ["SEQUENCE:20"], 4, 24],
    ["the client's after our third", ["SEQUENCE:20", "X-DAYFERRY-BASE:3"], 4, 21],
    ["the same, one version later", ["SEQUENCE:20", "X-DAYFERRY-BASE:3"], 5, 22],
    ["the client's started again", ["SEQUENCE:0", "X-DAYFERRY-BASE:7"], 8, 8],
    ["a count that went back", ["SEQUENCE:20", "X-DAYFERRY-BASE:9"], 4, 21],
    ["the highest", ["SEQUENCE:999999999"], 4, 999_999_999],
    ["no number", ["SEQUENCE:many"], 4, 4],
  ])("rises above %s", (_what, own, ours, expected) => {
    expect(sequenceOf(own, ours)).toBe(expected);
  });
});

it("a new version changes only the lines of the version", () => {
  const lines = eventLines("SEQUENCE:20", "X-A:1", "DTSTAMP:20200101T000000Z", ...times);
  const read = restampOctets({ octets: joined(lines), component: "VEVENT", stamp });
  const expected = lines
    .with(lines.indexOf("SEQUENCE:20"), "SEQUENCE:24")
    .with(lines.indexOf("DTSTAMP:20200101T000000Z"), "DTSTAMP:20260603T100000Z");
  expected.splice(-2, 0, "LAST-MODIFIED:20260603T100000Z", "X-DAYFERRY-BASE:4");
  expect(read).toBe(joined(expected));
});
