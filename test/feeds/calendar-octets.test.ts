import { atOnce } from "@dayferry/event-loop";
import { describe, expect, it } from "vitest";
import { createCalendarOctets } from "../../src/feeds/calendar-octets.ts";
import { calendarBody } from "../../src/feeds/fragments.ts";

const component = (name: string): string =>
  `BEGIN:VEVENT\r\nSUMMARY:${name} ü€😀\r\nEND:VEVENT\r\n`;
const named = (names: string): readonly string[] => names.split("").map(component);

describe("the octets of a calendar", () => {
  it.each([
    ["abcd", "abcd"],
    ["abcd", ""],
    ["", "abcd"],
    ["abcd", "abXd"],
    ["abcd", "Xbcd"],
    ["abcd", "abcX"],
    ["abcd", "bcd"],
    ["abcd", "abc"],
    ["abcd", "abXYcd"],
    ["abcd", "abcdabcd"],
    ["aaaa", "aaa"],
    ["aaa", "aaaa"],
    ["abab", "ab"],
    ["abcd", "dcba"],
    ["abcd", "XYZ"],
  ])("are right for %j, then %j", (first, then) => {
    const octets = createCalendarOctets();
    for (const [head, names] of [
      ["head\r\n", first],
      ["another head ü\r\n", then],
      ["h", `${then}!`],
      ["h", then],
    ] as const) {
      const texts = named(names);
      expect(octets.write(head, texts).toString()).toBe(calendarBody(head, texts).toString());
    }
  });

  it("are right if what was prepared has changed", () => {
    const octets = createCalendarOctets();
    const names = Array.from({ length: 450 }, (_, at) => component(`Event ${at}`));
    let steps = 0;
    for (const _ of octets.prepare(names)) steps += 1;
    expect(steps).toBe(4);
    const now = names.with(200, component("Changed")).slice(3);
    expect(octets.write("h", now).toString()).toBe(calendarBody("h", now).toString());
  });

  it("are a new buffer each time, since the last one may still be in use", () => {
    const octets = createCalendarOctets();
    atOnce(octets.prepare(named("ab")));
    const first = octets.write("h", named("ab"));
    const text = first.toString();
    octets.write("h", named("xb"));
    expect(first.toString()).toBe(text);
  });
});
