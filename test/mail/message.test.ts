import fc from "fast-check";
import { createTransport } from "nodemailer";
import PostalMime from "postal-mime";
import { describe, expect, test } from "vitest";
import type { Mail } from "../../src/mail/mail.ts";
import { toMessage } from "../../src/mail/message.ts";
import { sample } from "./support.ts";

async function render(part: Partial<Mail>): Promise<string> {
  const message = toMessage({ ...sample, ...part });
  if (!message.ok) throw new Error(message.failure);
  const transport = createTransport({ streamTransport: true, buffer: true, newline: "windows" });
  const { message: octets } = await transport.sendMail(message.value);
  if (!Buffer.isBuffer(octets)) throw new Error("a buffer was asked for");
  return octets.toString();
}

const headerNames = (raw: string): readonly string[] =>
  (raw.split("\r\n\r\n")[0] ?? "")
    .replaceAll(/\r\n[ \t]+/g, " ")
    .split("\r\n")
    .map((line) => line.split(":")[0]?.toLowerCase() ?? "");

/** As a reader shows it: white space and control characters become one space. */
const shown = (text: string | undefined): string =>
  (text ?? "")
    .toWellFormed()
    .replaceAll(/[\p{Cc}\s]+/gu, " ")
    .trim();

describe("toMessage()", () => {
  test("writes the plain headers", async () => {
    const raw = await render({ headers: { "List-Unsubscribe": "<https://a.example/u>" } });
    expect(headerNames(raw).toSorted()).toEqual([
      "auto-submitted",
      "content-transfer-encoding",
      "content-type",
      "date",
      "from",
      "list-unsubscribe",
      "message-id",
      "mime-version",
      "subject",
      "to",
    ]);
    expect(raw).toContain("\r\nAuto-Submitted: auto-generated\r\n");
    expect(raw).toContain("charset=utf-8");
  });

  test("writes text, HTML and a calendar as parts", async () => {
    const content = "BEGIN:VCALENDAR\r\nSUMMARY:Größe 🎉\r\nEND:VCALENDAR\r\n";
    const html = "<p>Größe 🎉</p>";
    const text = "Größe 🎉 שלום\n";
    const raw = await render({ text, html, calendar: { content, method: "PUBLISH" } });
    const parsed = await PostalMime.parse(raw);
    expect(parsed.text?.trim()).toBe(text.trim());
    expect(parsed.html?.trim()).toBe(html);
    expect(raw).toMatch(/text\/calendar; charset=utf-8; method=PUBLISH/i);
    const attached = parsed.attachments.map(({ mimeType, filename, content: octets }) => ({
      mimeType,
      filename,
      lines: (typeof octets === "string"
        ? octets
        : Buffer.from(new Uint8Array(octets)).toString()
      ).split(/\r?\n/),
    }));
    const lines = content.split("\r\n");
    expect(attached).toContainEqual({ mimeType: "application/ics", filename: "event.ics", lines });
  });

  test("writes the same octets each time", async () => {
    const part = { html: "<p>x</p>", calendar: { content: "X", method: "PUBLISH" as const } };
    expect(await render(part)).toBe(await render(part));
  });

  test.each([
    "",
    "Über uns: Größe & Ärger",
    "🎉 Launch 🚀 ".repeat(30).trim(),
    "שלום עולם — فردا",
    "a".repeat(2000),
    "word ".repeat(300).trim(),
    "=?utf-8?Q?=0D=0ABcc:_x@y.z?=",
    "a\r\nBcc: x@y.z",
    "a\u2028b\u0000c",
    "half a pair \ud83c here",
  ])("writes the subject %j", async (subject) => {
    const raw = await render({ subject, to: { name: subject, address: "a@b.c" } });
    const parsed = await PostalMime.parse(raw);
    expect(shown(parsed.subject)).toBe(shown(subject));
    expect(parsed.to).toMatchObject([{ address: "a@b.c" }]);
    for (const line of raw.split("\r\n")) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(998);
  });

  test("writes safe headers for any subject, names and header texts", async () => {
    const nasty = fc.constantFrom(
      "\r\n",
      "\n",
      "\r",
      "\r\n\r\n",
      "Bcc: x@y.z",
      "=?utf-8?B?DQo=?=",
      ":",
      "<",
      ">",
      '"',
      ",",
      ";",
      "\\",
      "🎉",
      "\u2028",
      "\u0085",
      "ש",
      "a@b.c",
    );
    const text = fc
      .array(fc.oneof(nasty, fc.string({ unit: "binary", maxLength: 20 })), { maxLength: 12 })
      .map((parts) => parts.join(""));
    const usual = headerNames(await render({ headers: { "X-Note": "x" }, subject: "s" }));
    await fc.assert(
      fc.asyncProperty(text, text, text, async (subject, name, note) => {
        const raw = await render({
          subject,
          to: { name, address: "ana@example.com" },
          from: { name: note, address: "dayferry@example.com" },
          headers: { "X-Note": note },
        });
        expect(
          headerNames(raw)
            .filter((known) => known !== "x-note" && known !== "subject")
            .toSorted(),
        ).toEqual(usual.filter((known) => known !== "x-note" && known !== "subject").toSorted());
        const parsed = await PostalMime.parse(raw);
        expect(parsed.to?.map(({ address }) => address)).toEqual(["ana@example.com"]);
        expect(parsed.from?.address).toBe("dayferry@example.com");
        expect(parsed.text).toBe(sample.text);
        expect(shown(parsed.subject)).toBe(shown(subject));
      }),
      { numRuns: 300 },
    );
  });
});
