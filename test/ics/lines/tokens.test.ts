import { describe, expect, it } from "vitest";
import type { ContentLine } from "../../../src/ics/lines/content-line.ts";
import { readTokens } from "../../../src/ics/lines/tokens.ts";
import { calendar, eventFile, file, octets, refusalOf } from "../files.ts";

/** The lines of the first component of a good file. */
function innerLines(bytes: Uint8Array): readonly ContentLine[] {
  const read = readTokens(bytes);
  return read.ok ? (read.value.components[0]?.lines ?? []) : [];
}

const whole = ["BEGIN:VCALENDAR", "BEGIN:VEVENT", "UID:u1", "END:VEVENT", "END:VCALENDAR"];

describe("readTokens() refuses", () => {
  const cases: readonly [string, Uint8Array, number | null, string][] = [
    ["more than 5 MB", new Uint8Array(5_000_001).fill(65), null, "too-large"],
    ["no bytes", octets(""), null, "empty"],
    ["white space only", octets("\r\n \r\n"), null, "empty"],
    ["octets that are not UTF-8", Uint8Array.of(0x42, 0xff, 0x0a), null, "not-utf-8"],
    ["UTF-16", Uint8Array.of(0xff, 0xfe, 0x42, 0), 1, "control-character"],
    ["a web page", octets("<!DOCTYPE html>\n<p>404"), 1, "html"],
    ["NUL", octets(["BEGIN:VCALENDAR", "X:a\u0000b"].join("\n")), 2, "control-character"],
    ["vertical tab", calendar("X:a\u000bb"), 3, "control-character"],
    ["DEL", calendar("", "X:a\u007fb"), 4, "control-character"],
    ["bare CR", octets(whole.join("\r")), 1, "bare-cr"],
    ["other text", octets("hello"), 1, "no-calendar"],
    ["an event without a calendar", file("BEGIN:VEVENT", "END:VEVENT"), 1, "no-calendar"],
    ["text before the calendar", file("hello", ...whole), 1, "text-outside"],
    ["text after the calendar", file(...whole, "hello"), 6, "text-outside"],
    ["a property after the calendar", file(...whole, "X-A:1"), 6, "text-outside"],
    ["two calendars", file(...whole, ...whole), 6, "two-calendars"],
    ["a calendar in a calendar", file("BEGIN:VCALENDAR", ...whole), 2, "two-calendars"],
    ["no end", file(...whole.slice(0, 4)), 1, "truncated"],
    ["an end in the middle", file(...whole.slice(0, 3)), 2, "truncated"],
    ["a crossed end", file("BEGIN:VCALENDAR", "BEGIN:VEVENT", "END:VTODO"), 3, "mismatched-end"],
    ["an early end", file("BEGIN:VCALENDAR", "BEGIN:VEVENT", "END:VCALENDAR"), 3, "mismatched-end"],
    ["a line without colon", eventFile("SUMMARY"), 5, "bad-line"],
    ["a line without name", eventFile(":x"), 5, "bad-line"],
    ["a name with a space", eventFile("SUM MARY:x"), 5, "bad-line"],
    ["a parameter without value", eventFile("SUMMARY;ENCODING:x"), 5, "bad-line"],
    ["a parameter without name", eventFile("SUMMARY;=a:x"), 5, "bad-line"],
    ["an open quotation mark", eventFile('SUMMARY;A="x:y'), 5, "bad-line"],
    ["a quotation mark inside", eventFile('SUMMARY;A=x"y":z'), 5, "bad-line"],
    ["text behind a quotation", eventFile('SUMMARY;A="x"y:z'), 5, "bad-line"],
    ["deep nesting", calendar(..."ABCDEF".split("").map((name) => `BEGIN:${name}`)), 8, "too-deep"],
  ];
  it.each(cases)("%s", (_what, bytes, line, code) => {
    expect(refusalOf(bytes)).toMatchObject([{ line, code }]);
  });

  it("more than 20,000 components, 64 time zones or 400,000 lines", () => {
    const event = ["BEGIN:VEVENT", "END:VEVENT"];
    const events = Array.from({ length: 20_000 }, () => event).flat();
    expect(refusalOf(calendar(...events))).toMatchObject([{ code: "too-many-components" }]);
    const zone = ["BEGIN:VTIMEZONE", "END:VTIMEZONE"];
    const zones = Array.from({ length: 65 }, () => zone).flat();
    expect(refusalOf(calendar(...zones))).toMatchObject([{ line: 131, code: "too-many-zones" }]);
    const lines = octets(`BEGIN:VCALENDAR\n${"A:1\n".repeat(400_001)}END:VCALENDAR\n`);
    expect(refusalOf(lines)).toMatchObject([{ code: "too-many-lines" }]);
  });
});

describe("readTokens()", () => {
  it("tells all bad lines with the UID of their item, also when it follows", () => {
    const bytes = calendar("BEGIN:VEVENT", "bad", "UID:u7", ";", "END:VEVENT", "worse");
    const found = refusalOf(bytes).map(({ line, uid, code }) => [line, uid, code]);
    expect(found).toEqual([
      [4, "u7", "bad-line"],
      [6, "u7", "bad-line"],
      [8, null, "bad-line"],
    ]);
  });

  it("stops after 20 bad lines", () => {
    expect(refusalOf(calendar(...Array.from({ length: 50 }, () => "bad")))).toHaveLength(20);
  });

  it("quotes only the start of a long bad line", () => {
    const [problem] = refusalOf(calendar("x".repeat(10_000)));
    expect(problem?.message.length).toBeLessThan(120);
  });

  it("tolerates LF ends, lower case, a byte order mark, blank lines and no final line end", () => {
    const text = "\ufeff\nbegin:vcalendar\n\nbegin:vevent\nuid:u1\nend:vevent\nend:vcalendar";
    const read = readTokens(octets(text));
    expect(read).toMatchObject({
      ok: true,
      value: {
        name: "VCALENDAR",
        components: [{ name: "VEVENT", line: 4, lines: [{ name: "UID" }] }],
      },
    });
  });

  it("unfolds lines and keeps the number of the line where each starts", () => {
    const lines = innerLines(eventFile("SUMMARY:a", " b", "\tc", "X-Y:z"));
    expect(lines.map(({ line, raw }) => [line, raw])).toEqual([
      [4, "UID:u1"],
      [5, "SUMMARY:abc"],
      [8, "X-Y:z"],
    ]);
  });

  it.each([["\r\n "], ["\n\t"]])("joins a character that %j cuts in two", (fold) => {
    const [before, after] = ["BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:u1\nSUMMARY:x", "y\nBAD"];
    const bytes = Uint8Array.of(...octets(before), 0xc3, ...octets(fold), 0xa4, ...octets(after));
    expect(refusalOf(bytes)).toMatchObject([{ line: 6, code: "bad-line" }, { code: "truncated" }]);
    const fine = Uint8Array.of(...bytes.slice(0, -3), ...octets("END:VEVENT\nEND:VCALENDAR\n"));
    expect(innerLines(fine)[1]?.value).toBe("xäy");
  });

  it("reads parameters: quotes, lists, RFC 6868 escapes, repeats, lower case", () => {
    const line = `ATTENDEE;cn="Doe; J: x";X-P="a;b:c",d;X-E=a^nb^^c^'d^x;x-p=e:mailto:a@b.c`;
    const found = innerLines(eventFile(line))[1];
    expect(found?.value).toBe("mailto:a@b.c");
    expect(found?.raw).toBe(line);
    expect([...(found?.params ?? [])]).toEqual([
      ["CN", ["Doe; J: x"]],
      ["X-P", ["a;b:c", "d", "e"]],
      ["X-E", [`a\nb^c"d^x`]],
    ]);
  });
});
