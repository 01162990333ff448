import { type ContentLine, type IcsProblem, mendOctets } from "@dayferry/ical";
import { describe, expect, it } from "vitest";
import { readLenientTokens, readTokens } from "../../src/lines/tokens.ts";
import { inEnglish } from "../../src/sentences.ts";
import { calendar, eventFile, file, octets } from "../files.ts";

/** The lines of the first component of a good file. */
function innerLines(bytes: Uint8Array): readonly ContentLine[] {
  const read = readTokens(bytes);
  return read.ok ? (read.value.components[0]?.lines ?? []) : [];
}

function faultsOf(bytes: Uint8Array): readonly IcsProblem[] {
  const read = readTokens(bytes);
  return read.ok ? [] : read.failure;
}

const whole = ["BEGIN:VCALENDAR", "BEGIN:VEVENT", "UID:u1", "END:VEVENT", "END:VCALENDAR"];

describe("readTokens() refuses", () => {
  const cases: readonly [string, Uint8Array, number | null, string][] = [
    ["more than 5 MB", new Uint8Array(5_000_001).fill(65), null, "too-large"],
    ["no bytes", octets(""), null, "empty"],
    ["white space only", octets("\r\n \r\n"), null, "empty"],
    ["octets that are not UTF-8", Uint8Array.of(0x42, 0xff, 0x0a), null, "not-utf-8"],
    ["UTF-16 with a mark", Uint8Array.of(0xff, 0xfe, 0x42, 0), null, "not-utf-8"],
    ["UTF-16 without one", Uint8Array.of(0x42, 0, 0x45, 0, 0x47, 0), null, "not-utf-8"],
    ["a web page", octets("<!DOCTYPE html>\n<p>404"), 1, "html"],
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
    ["deep nesting", calendar(..."ABCDEF".split("").map((name) => `BEGIN:${name}`)), 8, "too-deep"],
  ];
  it.each(cases)("%s", (_what, bytes, line, code) => {
    expect(faultsOf(bytes)[0]).toMatchObject({ line, code });
  });

  it("more than 20,000 components, 64 time zones or 400,000 lines", () => {
    const event = ["BEGIN:VEVENT", "END:VEVENT"];
    const events = Array.from({ length: 20_000 }, () => event).flat();
    expect(faultsOf(calendar(...events))).toMatchObject([{ code: "too-many-components" }]);
    const zone = ["BEGIN:VTIMEZONE", "END:VTIMEZONE"];
    const zones = Array.from({ length: 65 }, () => zone).flat();
    expect(faultsOf(calendar(...zones))).toMatchObject([{ line: 131, code: "too-many-zones" }]);
    const lines = octets(`BEGIN:VCALENDAR\n${"A:1\n".repeat(400_001)}END:VCALENDAR\n`);
    expect(faultsOf(lines)).toMatchObject([{ code: "too-many-lines" }]);
  });
});

describe("readLenientTokens() of a file with one fault", () => {
  const item = (uid: string, ...lines: readonly string[]) => [
    "BEGIN:VEVENT",
    `UID:${uid}`,
    ...lines,
    "END:VEVENT",
  ];
  const alarm = ["BEGIN:VALARM", "TRIGGER:-PT5M"];
  const zone = ["BEGIN:VTIMEZONE", "TZID:Own", "oops", "END:VTIMEZONE"];
  it.each<[string, readonly string[], readonly string[], readonly string[]]>([
    ["a bad line", [...item("a", "oops"), ...item("b")], ["a bad-line"], []],
    ["an alarm without END", [...item("a", ...alarm), ...item("b")], ["a mismatched-end"], []],
    ["an event without END", [...item("a").slice(0, -1), ...item("b")], ["a mismatched-end"], []],
    ["an END too many", [...item("a"), "END:VEVENT", ...item("b")], [], ["mismatched-end"]],
    ["another END", [...item("a", "END:VTODO"), ...item("b")], ["a mismatched-end"], []],
    ["a bad line between items", [...item("a"), "oops", ...item("b")], [], ["bad-line"]],
    ["a bad zone", [...zone, ...item("a"), ...item("b")], ["undefined bad-line"], []],
    [
      "a deep nest",
      [...item("a", ..."BCDEFG".split("").map((n) => `BEGIN:${n}`)), ...item("b")],
      ["a too-deep"],
      [],
    ],
  ])("%s: the others are read", (_what, lines, torn, skipped) => {
    const read = readLenientTokens(calendar(...lines));
    if (!read.ok) throw new Error(JSON.stringify(read.failure));
    const { calendars, faults } = read.value;
    const uids = calendars[0]?.components
      .filter(({ name }) => name === "VEVENT")
      .map(({ lines: [uid] }) => uid?.value);
    expect(uids).toEqual(["a", "b"]);
    const found = [...faults].map(
      ([part, [first]]) => `${part.lines.find(({ name }) => name === "UID")?.value} ${first?.code}`,
    );
    expect(found).toEqual(torn);
    expect(read.value.skipped.map(({ code }) => code)).toEqual(skipped);
  });

  it.each([
    ["after it", [...whole, "hello"], 1],
    ["before it", ["hello", ...whole], 1],
    ["a second calendar", [...whole, ...whole], 2],
    ["a calendar that begins before the END of the first", [...whole.slice(0, 4), ...whole], 2],
  ])("%s: the calendars are read", (_what, lines, count) => {
    const read = readLenientTokens(file(...lines));
    expect(read.ok && read.value.calendars.map(({ components }) => components.length)).toEqual(
      Array.from({ length: count }, () => 1),
    );
  });

  it.each([
    ["spaces around parameters", "DTSTART ; VALUE = DATE :20270301", { VALUE: ["DATE"] }],
    [
      "escaped quotation marks",
      'ATTENDEE;CN="Ana \\"Nan\\" Reis";PARTSTAT=X:mailto:a',
      { CN: ['Ana "Nan" Reis'], PARTSTAT: ["X"] },
    ],
    ["quotation marks inside", 'ATTENDEE;CN=Ana "Nan" Reis:mailto:a', { CN: ['Ana "Nan" Reis'] }],
    [
      "quotation marks in quoted words",
      'ATTENDEE;CN="Ana "Nan" Reis":mailto:a',
      { CN: ['Ana "Nan" Reis'] },
    ],
    ["an underscore", "X-ENTOURAGE_UUID;A_B=1:x", { A_B: ["1"] }],
    ["a dot", "item1.X-ABLABEL;C.D=1:x", { "C.D": ["1"] }],
  ])("accepts %s", (_what, line, params) => {
    const [, read] = innerLines(eventFile(line));
    expect(Object.fromEntries(read?.params ?? [])).toEqual(params);
  });

  it("removes control characters, and reads CR alone as a line end", () => {
    const [, summary] = innerLines(eventFile("SUMMARY:a\u0000\u000b\u007fb"));
    expect(summary?.value).toBe("ab");
    expect(innerLines(octets(whole.join("\r"))).map(({ value }) => value)).toEqual(["u1"]);
  });
});

describe("mended lines, as others read them:", () => {
  const cases: readonly [string, string, string][] = [
    ["spaces around names", "DTSTART ; VALUE = DATE:20270301", "DTSTART;VALUE=DATE:20270301"],
    ["spaces behind quotation marks", 'A;CN = "x, y" ; B=c :z', 'A;CN="x, y";B=c:z'],
    ["escaped quotation marks", 'A;CN="Ana \\"Nan\\" R";B=c:z', "A;CN=Ana ^'Nan^' R;B=c:z"],
    ["escaped quotation marks at the end", 'A;CN="\\"N, o\\"":z', `A;CN="^'N, o^'":z`],
    ["bare quotation marks inside", 'A;CN="Ana "Nan" R":z', "A;CN=Ana ^'Nan^' R:z"],
    ["quotation marks in a bare value", 'A;CN=Ana "Nan" R:z', "A;CN=Ana ^'Nan^' R:z"],
    ["a quotation mark that is not closed", 'A;CN="Ana:mailto:a@b.c', "A;CN=^'Ana:mailto:a@b.c"],
    ["a backslash before the closing one", 'A;CN="C:\\":z', 'A;CN="C:\\":z'],
    ["small letters in times", "DTSTART:20270601t090000z", "DTSTART:20270601T090000Z"],
    ["a length with an idle T", "DURATION:P1DT", "DURATION:P1D"],
    ["underscores and dots", "X-ENTOURAGE_UUID.a:1", "X-ENTOURAGE_UUID.a:1"],
    ["odd names of programs", "X-a/b+c:1", "X-a/b+c:1"],
    ["a name with an underscore", "CATEGORY_COLOR:-1", "CATEGORY_COLOR:-1"],
    ["a zone without a name", "DTSTART;TZID=:20270601T090000", "DTSTART:20270601T090000"],
    ["a zone behind a colon", "DTEND:TZID=A/B:20270601T090000", "DTEND;TZID=A/B:20270601T090000"],
    ["a zone behind an equals sign", "TZID=Europe/Berlin", "TZID:Europe/Berlin"],
    ["an idle semicolon", "DTSTART;;VALUE=DATE:20270301", "DTSTART;VALUE=DATE:20270301"],
  ];
  it.each(cases)("%s", (_what, written, mended) => {
    const lines = innerLines(eventFile(written));
    expect(lines[1]?.raw).toBe(mended);
    expect(innerLines(eventFile(mended))[1]).toMatchObject({ raw: mended });
    const octetsKept = mendOctets(Buffer.from(eventFile(written)));
    expect(Buffer.from(eventFile(mended)).equals(octetsKept)).toBe(true);
  });

  it("control characters and lone CRs in octets", () => {
    const strange = octets("BEGIN:VCALENDAR\rX:a\u0000b\u000b\u007f\r\r\nEND:VCALENDAR\r\n\u001a");
    const plain = "BEGIN:VCALENDAR\r\nX:ab\r\nEND:VCALENDAR\r\n";
    expect(mendOctets(Buffer.from(strange)).toString()).toBe(plain);
  });
});

describe("readTokens()", () => {
  it("reports all bad lines with the UID of their item, even when it follows", () => {
    const bytes = calendar("BEGIN:VEVENT", "bad", "UID:u7", ";", "END:VEVENT", "worse");
    const found = faultsOf(bytes).map(({ line, uid, code }) => [line, uid, code]);
    expect(found).toEqual([
      [4, "u7", "bad-line"],
      [6, "u7", "bad-line"],
      [8, null, "bad-line"],
    ]);
  });

  it("stops after 20 bad lines", () => {
    expect(faultsOf(calendar(...Array.from({ length: 50 }, () => "bad")))).toHaveLength(20);
  });

  it("quotes only the start of a long bad line", () => {
    const [problem] = faultsOf(calendar("x".repeat(10_000)));
    expect(problem && inEnglish(problem.message).length).toBeLessThan(120);
  });

  it("tolerates LF line ends, lower case, a byte order mark, blank lines and no final line end", () => {
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

  it.each([["\r\n "], ["\n\t"]])("joins a character that %j splits", (fold) => {
    const [before, after] = ["BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:u1\nSUMMARY:x", "y\nBAD"];
    const bytes = Uint8Array.of(...octets(before), 0xc3, ...octets(fold), 0xa4, ...octets(after));
    expect(faultsOf(bytes)).toMatchObject([{ line: 6, code: "bad-line" }, { code: "truncated" }]);
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
