import { readCalendar } from "@dayferry/ical";
import { describe, expect, it } from "vitest";
import { inEnglish } from "../../src/sentences.ts";

function read(...lines: readonly string[]) {
  const text = [
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    "BEGIN:VTODO",
    "UID:a",
    "SUMMARY:A",
    ...lines,
    "END:VTODO",
    "END:VCALENDAR",
    "",
  ].join("\r\n");
  const calendar = readCalendar(Buffer.from(text), { zone: "Europe/Berlin" });
  const item = calendar.ok ? calendar.value.items[0] : undefined;
  if (!item) throw new Error("the file cannot be read");
  return item;
}

const inline = (params: string, text = "hello") =>
  `ATTACH${params};VALUE=BINARY;ENCODING=BASE64:${Buffer.from(text).toString("base64")}`;

describe("attachments", () => {
  it.each([
    [";FMTTYPE=text/plain;FILENAME=a.txt", "a.txt", "text/plain"],
    [';X-FILENAME="C:\\\\docs\\\\plan.pdf"', "plan.pdf", "application/octet-stream"],
    [";X-APPLE-FILENAME=../../etc/passwd", "passwd", "application/octet-stream"],
    [";FMTTYPE=IMAGE/PNG", "attachment-1.png", "image/png"],
    [";FMTTYPE=nonsense", "attachment-1", "application/octet-stream"],
  ])("are read with name and type from %j", (params, name, type) => {
    const { attachments, unstorable } = read(inline(params));
    expect(attachments).toEqual([
      { line: 6, name, type, content: new Uint8Array(Buffer.from("hello")) },
    ]);
    expect(unstorable).toEqual([]);
  });

  it("are read from a folded line, several at once", () => {
    const line = inline(";FILENAME=long.txt", "x".repeat(300));
    const folded = line.replace(/(.{70})/g, "$1\r\n ");
    const { attachments } = read(folded, inline(";FILENAME=b.txt"));
    expect(attachments.map(({ name, content }) => [name, content.length])).toEqual([
      ["long.txt", 300],
      ["b.txt", 5],
    ]);
  });

  it.each([
    ["ATTACH:https://example.com/a.pdf", "link"],
    ["ATTACH;VALUE=BINARY;ENCODING=BASE64:***", "Base64"],
    ["ATTACH;VALUE=BINARY;ENCODING=BASE64:AAAAA", "Base64"],
  ])("are not read from %j, which is reported", (line, reason) => {
    const { attachments, unstorable } = read(line);
    expect(attachments).toEqual([]);
    expect(unstorable).toMatchObject([{ line: 6, name: "ATTACH" }]);
    expect(unstorable.map((one) => inEnglish(one.reason))[0]).toContain(reason);
  });
});
